// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "calibration/host/loop/host_trainer.hpp"
#include "calibration/host/loop/rank_processes.hpp"
#include "calibration/sample_files/probe_samples.hpp"

namespace clusterwright {

namespace {

constexpr int warm_up_steps = 2;  // the first touches all memory, the second finds grown socket buffers

// A process reports a row per step: loss, time of the step, time of each part; times in seconds.
constexpr std::size_t loss_column = 0, step_column = 1, part_column = 2;
constexpr std::size_t columns = part_column + step_part_names.size();
using Reports = std::vector<std::vector<double>>;  // one per process

std::vector<double> timed_steps(const HostModel& model, Ring& ring, int repetitions, int buckets) {
  PartClock clock;
  HostTrainer<float> trainer(model, ring, clock, buckets);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(repetitions) * columns);
  for (int i = 0; i < warm_up_steps + repetitions; ++i) {
    ring.barrier();
    clock.start();
    const double loss = trainer.step();
    clock.stop();
    if (i < warm_up_steps) continue;
    out.push_back(loss);
    out.push_back(clock.whole().in(second));
    for (std::size_t part = 0; part < step_part_names.size(); ++part)
      out.push_back(clock.spent(static_cast<StepPart>(part)).in(second));
  }
  return out;
}

/// Column of all processes in one step.
struct AcrossProcesses {
  double least, most, mean;
};

AcrossProcesses across(const Reports& reports, std::size_t step, std::size_t column) {
  const auto value = [&](const std::vector<double>& report) { return report[step * columns + column]; };
  AcrossProcesses out{value(reports.front()), value(reports.front()), 0};
  for (const std::vector<double>& report : reports) {
    out.least = std::min(out.least, value(report));
    out.most = std::max(out.most, value(report));
    out.mean += value(report) / static_cast<double>(reports.size());
  }
  return out;
}

/// Value that `pick` takes of a column, in seconds, for each step.
template <class Pick>
std::vector<Seconds> each_step(const Reports& reports, std::size_t column, Pick pick) {
  std::vector<Seconds> out;
  for (std::size_t step = 0; step < reports.front().size() / columns; ++step)
    out.push_back(pick(across(reports, step, column)) * second);
  return out;
}

HostStepTimes summary_of(const Reports& reports) {
  const auto least = [](const AcrossProcesses& values) { return values.least; };
  const auto most = [](const AcrossProcesses& values) { return values.most; };
  const auto mean = [](const AcrossProcesses& values) { return values.mean; };
  HostStepTimes out;
  out.processes = static_cast<int>(reports.size());
  out.steps = each_step(reports, step_column, most);
  for (std::size_t step = 0; step < out.steps.size(); ++step)
    out.losses.push_back(across(reports, step, loss_column).mean);
  for (std::size_t part = 0; part < step_part_names.size(); ++part) {
    const std::vector<Seconds> steps = each_step(reports, part_column + part, mean);
    out.parts[step_part_names[part]] = statistics_of(steps).median;
    out.part_steps[step_part_names[part]] = steps;
  }
  constexpr std::size_t all_reduce = part_column + static_cast<std::size_t>(StepPart::all_reduce);
  out.all_reduce_of_last = statistics_of(each_step(reports, all_reduce, least)).median;
  return out;
}

}  // namespace

HostStepTimes run_host_steps(const HostModel& model, int processes, int repetitions, Seconds time_limit, int buckets) {
  model.check();
  for (const auto& [name, count] : {std::pair("repetitions", repetitions), std::pair("buckets", buckets)})
    if (count < 1) throw std::invalid_argument(fmt::format("{} must be at least 1 (got {})", name, count));
  return summary_of(
      run_ranks(processes, time_limit, [&](Ring& ring) { return timed_steps(model, ring, repetitions, buckets); }));
}

}  // namespace clusterwright
