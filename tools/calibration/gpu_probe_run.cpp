// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/gpu_probe_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "sim/diagnostic.hpp"
#include "tools/doctor/machine_access.hpp"
#include "tools/long_computation.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double default_minutes[] = {10, 60};  // defaults of the suites, as in the program
constexpr auto last_grace = std::chrono::seconds(5);
constexpr auto look_every = std::chrono::milliseconds(50);

double minutes_of(const GpuProbeRequest& request) {
  return request.budget ? request.budget->in(second) / 60 : default_minutes[static_cast<std::size_t>(request.suite)];
}

std::vector<std::string> arguments_of(const GpuProbeRequest& request) {
  return {request.program.string(),
          "--suite",
          request.suite == ProbeSuite::full ? "full" : "quick",
          "--minutes",
          fmt::format("{:.3f}", minutes_of(request)),
          "--device",
          std::to_string(request.device),
          "--out",
          request.samples.string()};
}

/// A child process that is ended with this object, whatever happens.
class Child {
 public:
  explicit Child(const GpuProbeRequest& request) {
    std::vector<std::string> words = arguments_of(request);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (request.quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error_ = posix_spawn(&process_, argv.front(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Child() {
    if (error_ != 0 || ended_) return;
    end(SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int error() const { return error_; }
  void end(int signal) const { ::kill(process_, signal); }

  /// The status once it ended.
  std::optional<int> status() {
    int status = 0;
    const pid_t found = ::waitpid(process_, &status, WNOHANG);
    if (found == 0) return std::nullopt;
    ended_ = true;
    return status;
  }

  /// @param stubborn  goes on after a Ctrl-C
  std::optional<int> wait_until(Clock::time_point limit, bool stubborn = false) {
    while (Clock::now() < limit) {
      if (const auto ended = status()) return ended;
      std::this_thread::sleep_for(look_every);
      if (!stubborn) stop_if_interrupted();
    }
    return std::nullopt;
  }

 private:
  pid_t process_ = -1;
  int error_ = 0;
  bool ended_ = false;
};

GpuProbeOutcome outcome_of(int status) {
  using End = GpuProbeOutcome::End;
  if (WIFSIGNALED(status))
    return {End::failed, fmt::format("the probe program died of signal {}", WTERMSIG(status)), {}};
  switch (WEXITSTATUS(status)) {
    case 0:
      return {End::done, "", {}};
    case 4:
      return {End::cut_short, "time ran out, or a launch hung; earlier samples are kept", {}};
    case 5:
      return {End::no_gpu, "no usable GPU: no driver, no device, or an unsupported one", {}};
    default:
      return {End::failed, fmt::format("the probe program ended with {}", WEXITSTATUS(status)), {}};
  }
}

GpuProbeOutcome wait_for(Child& child, const GpuProbeRequest& request) {
  const std::chrono::duration<double> patience(60 * minutes_of(request) + request.grace.in(second));
  const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  try {
    if (const std::optional<int> status = child.wait_until(limit)) return outcome_of(*status);
  } catch (const Interrupted&) {
    child.end(SIGTERM);
    child.wait_until(Clock::now() + last_grace, true);
    return {GpuProbeOutcome::End::cut_short, "interrupted; earlier samples are kept", {}};
  }
  child.end(SIGTERM);
  child.wait_until(Clock::now() + last_grace);
  return {GpuProbeOutcome::End::cut_short, "the probe program hung and was ended; earlier samples are kept", {}};
}

/// A file that is missing or cut off is a reason, not an error of the user.
void read_kept(const fs::path& file, GpuProbeOutcome& outcome) {
  if (!fs::exists(file)) return;
  try {
    outcome.samples = read_probe_samples(file);
  } catch (const ConfigError& error) {
    outcome.end = GpuProbeOutcome::End::failed;
    outcome.reason = "its samples cannot be read: " + error.diagnostics().front().message;
  }
}

}  // namespace

std::optional<fs::path> find_gpu_probe() {
  const auto found = look_for_gpu_probe(this_machine(), configs_directory().parent_path());
  return found ? std::optional<fs::path>(found->path) : std::nullopt;
}

std::string gpu_probe_build_line() {
  return "nvcc -O3 -std=c++17 -arch=native calibration/probes/*.cu -lcublasLt -ldl -o gpu_probe";
}

const std::vector<std::string>& gpu_probe_names() {
  static const std::vector<std::string> names = {"gemm",   "power",   "attention", "layer",  "model",
                                                 "memory", "kernels", "launch",    "copies", "collectives"};
  return names;
}

GpuProbeOutcome run_gpu_probe(const GpuProbeRequest& request) {
  std::error_code ignored;
  fs::remove(request.samples, ignored);  // an older run must not pass for this one
  Child child(request);
  if (child.error() != 0)
    return {GpuProbeOutcome::End::failed,
            fmt::format("the probe program cannot be started: {}", std::strerror(child.error())),
            {}};
  GpuProbeOutcome outcome = wait_for(child, request);
  read_kept(request.samples, outcome);
  return outcome;
}

}  // namespace clusterwright
