// SPDX-License-Identifier: Apache-2.0
/// Whole training run of a job that has an end: steps, time, accelerator-hours, energy, rent.
///
/// Failures and restarts are not modelled: `time` is that of a run without them. Money is paid for hours in which the
/// job makes no progress too; a price list states their share (`goodput`).
#pragma once

#include <cstdint>
#include <optional>

#include "models/job/job.hpp"
#include "models/job/price_list.hpp"
#include "sim/interval.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct StepPrediction;
struct SitePower;

/// Rent of all accelerators that the run holds, over the time that is paid.
struct RunRent {
  DollarsPerSecond each;  ///< rent of one accelerator
  double goodput = 1;     ///< share of the paid time in which steps run
  Interval<Dollars> total;
};

struct TrainingRun {
  std::int64_t steps = 0;
  double tokens = 0;       ///< tokens of all steps; the last step is a whole one
  int accelerators = 0;    ///< accelerators that the run holds, idle ones of its nodes and racks included
  Interval<Seconds> time;  ///< steps, and pauses for the checkpoints that the job states
  Seconds checkpoints;     ///< those pauses
  Interval<double> accelerator_hours;
  Interval<Joules> nodes_energy;  ///< energy of all nodes of the job
  /// Energy of all machines, and from the grid; absent unless the hall was planned.
  std::optional<Interval<Joules>> it_energy, facility_energy;
  std::optional<RunRent> rent;  ///< absent unless the scenario's prices state a rent
};

inline constexpr double most_tokens = 1e18;  ///< largest `tokens` of a job

/// Steps that train at least `tokens`.
std::int64_t steps_for(std::int64_t tokens, std::int64_t tokens_per_step);

/// Steps of the whole run; none if the job does not state its end. @param tokens_per_step  of the plan
std::optional<std::int64_t> stated_steps(const Job& job, std::int64_t tokens_per_step);

/// Run of so many steps, each as predicted. The interval is that of the step: an error of the step time is the same in
/// every step, so it does not average out. Power counts as known.
/// @param sequence  tokens of one sequence
TrainingRun training_run(const StepPrediction& step, int sequence, std::int64_t steps);

/// Adds the energy of the site that the run's job is planned in.
void add_site_energy(TrainingRun& run, const SitePower& site);

/// Accelerators times hours.
Interval<double> hours_of(int accelerators, const Interval<Seconds>& time);

/// Time that is paid: steps make progress in the share `goodput` of it, and checkpoints that the job states are among
/// its losses. @return the run's own time where that is longer
Interval<Seconds> paid_time(const TrainingRun& run, double goodput);

/// Share of the paid time in which steps run.
double goodput_of(const TrainingRun& run, const Interval<Seconds>& paid);

/// @param rent     of one accelerator
/// @param goodput  share of the hours in use that makes progress
RunRent rent_of(const TrainingRun& run, const Ranged<DollarsPerSecond>& rent, double goodput);

}  // namespace clusterwright
