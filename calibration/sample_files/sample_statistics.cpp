#include "calibration/sample_files/sample_statistics.hpp"

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

namespace {

/// Mean of the two in the middle where their number is even.
Seconds median_of(std::vector<Seconds> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

SampleStatistics statistics_of(const std::vector<Seconds>& repetitions) {
  if (repetitions.empty()) throw std::invalid_argument("statistics of a sample without repetitions");
  SampleStatistics out;
  out.median = median_of(repetitions);
  std::vector<Seconds> distances;
  for (const Seconds time : repetitions) distances.push_back(std::max(time - out.median, out.median - time));
  out.spread = median_of(std::move(distances));
  if (repetitions.size() > 1)
    out.first_against_rest = repetitions.front() / median_of({repetitions.begin() + 1, repetitions.end()});
  return out;
}

FlopsPerSecond median_rate(const ProbeSample& sample) {
  return sample.flops / statistics_of(sample.repetitions).median;
}

BytesPerSecond median_bandwidth(const ProbeSample& sample) {
  return sample.bytes / statistics_of(sample.repetitions).median;
}

}  // namespace clusterwright
