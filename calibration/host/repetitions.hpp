// SPDX-License-Identifier: Apache-2.0
/// Warm-up, repetitions and their time budget.
#pragma once

#include <chrono>
#include <cstddef>

#include "calibration/host/probe_case.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Budget of real time, checked between repetitions, so that one of them may outlast it.
class TimeBudget {
 public:
  explicit TimeBudget(Seconds length);

  /// Time left, not negative.
  Seconds left() const;
  bool used_up() const { return left() <= Seconds{}; }
  /// Budget of this share of the time left, from now.
  TimeBudget part(double share) const { return TimeBudget(left() * share); }

 private:
  std::chrono::steady_clock::time_point end_;
};

struct RepetitionRule {
  std::size_t most = 40;
  Seconds shortest = 50 * microsecond;  ///< between two readings of the clock, which cost some 30 ns
};

/// Sample of a case: builds it, runs it as warm-up (twice where it is short), repeats it for as long as `own`, at least
/// `least_repetitions` times, and checks its results.
/// @param own  time for this case's repetitions
/// @param all  budget shared with the cases after it; building, warm-up and repetitions count
/// @throws ProbeFailure if fewer than `least_repetitions` fit into `all`, or the case fails; std::bad_alloc
ProbeSample measure_case(const PlannedCase& planned, const RepetitionRule& rule, Seconds own, const TimeBudget& all);

}  // namespace clusterwright
