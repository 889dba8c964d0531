/// Warm-up, repetitions and the time that they may take.
#pragma once

#include <chrono>
#include <cstddef>

#include "calibration/host/probe_case.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// A stretch of real time; looked at between repetitions, so that one of them may outlast it.
class TimeBudget {
 public:
  explicit TimeBudget(Seconds length);

  /// Not negative.
  Seconds left() const;
  bool used_up() const { return left() <= Seconds{}; }
  /// This share of what is left, from now.
  TimeBudget part(double share) const { return TimeBudget(left() * share); }

 private:
  std::chrono::steady_clock::time_point end_;
};

struct RepetitionRule {
  std::size_t most = 40;
  Seconds shortest = 50 * microsecond;  ///< between two looks at the clock, which costs some 30 ns
};

/// Builds the case, runs it as warm-up (not kept: twice where it is short), then repeats for as long as `own`, at least
/// `least_repetitions` times, and checks its results.
/// @param own  time for this case's repetitions
/// @param all  budget that it shares with the cases after it; building, warm-up and repetitions count
/// @throws ProbeFailure if fewer than `least_repetitions` fit into `all`, or the case fails; std::bad_alloc
ProbeSample measure_case(const PlannedCase& planned, const RepetitionRule& rule, Seconds own, const TimeBudget& all);

}  // namespace clusterwright
