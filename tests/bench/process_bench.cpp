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

std::string shipped(const std::string& scenario) {
  return std::string(CLUSTERWRIGHT_CONFIGS) + "/scenarios/" + scenario + ".json";
}

void process_run(benchmark::State& state, const char* scenario, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {CLUSTERWRIGHT_PROGRAM, "run", shipped(scenario), "--threads", "1"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  repeat(state, arguments);
}

void process_scale(benchmark::State& state) {
  repeat(state,
         {CLUSTERWRIGHT_PROGRAM, "scale", shipped("llama3-405b-h100"), "--gpus", "1024..16384x2", "--threads", "1"});
}

const std::vector<std::string> nothing_else;
/// 4,096 micro-batches of 1F1B on 1,024 GPUs.
const std::vector<std::string> many_micro_batches = {"--set", "cluster.accelerators=1024",  //
                                                     "--set", "job.global_batch=32768",     //
                                                     "--set", "job.parallel.virtual_pipeline=1"};
const std::vector<std::string> unfolded = {"--unfold"};
const std::vector<std::string> explained = {"--explain"};

BENCHMARK_CAPTURE(process_run, 405b, "llama3-405b-h100", nothing_else)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(process_run, 405b_explain, "llama3-405b-h100", explained)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(process_run, 405b_4096_micro_batches, "llama3-405b-h100", many_micro_batches)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(process_run, deepseek_v3, "deepseek-v3-h800", nothing_else)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(process_run, 405b_unfold, "llama3-405b-h100", unfolded)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);
BENCHMARK(process_scale)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
