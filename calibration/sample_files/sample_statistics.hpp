#pragma once

#include <vector>

#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct SampleStatistics {
  Seconds median;
  Seconds spread;  ///< median distance from the median (MAD), not scaled to a standard deviation
  /// First repetition over the median of the others: far above 1, the warm-up was too short; below 1, it throttled.
  double first_against_rest = 1;
};

/// @throws std::invalid_argument without repetitions; one alone has spread 0 and no drift
SampleStatistics statistics_of(const std::vector<Seconds>& repetitions);

/// Operations or bytes of one call over its median time; zero where the sample has none.
FlopsPerSecond median_rate(const ProbeSample& sample);
BytesPerSecond median_bandwidth(const ProbeSample& sample);

}  // namespace clusterwright
