// SPDX-License-Identifier: Apache-2.0
// Whole processes, as a user waits for them: start to result, output thrown away.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace {

/// User and system seconds of one run of the program; fails the benchmark if it does not exit with 0.
double cpu_seconds(benchmark::State& state, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  rusage usage{};
  if (failed || wait4(child, &status, 0, &usage) < 0 || status != 0) state.SkipWithError("the program failed");
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void repeat(benchmark::State& state, const std::vector<std::string>& arguments) {
  double total = 0;
  for (auto _ : state) total += cpu_seconds(state, arguments);
  state.counters["cpu_ms"] = benchmark::Counter(1e3 * total, benchmark::Counter::kAvgIterations);
}

const std::string scenario = std::string(CLUSTERWRIGHT_CONFIGS) + "/scenarios/llama3-405b-h100.json";

void process_run(benchmark::State& state) {
  repeat(state, {CLUSTERWRIGHT_PROGRAM, "run", scenario, "--threads", "1"});
}

void process_scale(benchmark::State& state) {
  repeat(state, {CLUSTERWRIGHT_PROGRAM, "scale", scenario, "--gpus", "1024..16384x2", "--threads", "1"});
}

BENCHMARK(process_run)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(process_scale)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
