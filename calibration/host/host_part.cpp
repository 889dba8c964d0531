// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/host_part.hpp"

#include <algorithm>

#include "calibration/fit/sample_rows.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

FlopsPerSecond best_gemm(const ProbeSamples& samples) {
  FlopsPerSecond best;
  for (const ProbeSample& sample : samples.samples)
    if (const auto* gemm = std::get_if<ProbedGemm>(&sample.what); gemm && gemm->dtype == ProbedFormat::fp32)
      best = std::max(best, median_rate(sample));
  return best;
}

BytesPerSecond best_stream(const ProbeSamples& samples) {
  BytesPerSecond best;
  for (const auto& sample : memory_samples({samples})) best = std::max(best, sample.row.traffic / sample.row.time);
  return best;
}

}  // namespace

AcceleratorPart host_part(const ProbeSamples& samples) {
  const FlopsPerSecond rate = best_gemm(samples);
  const BytesPerSecond bandwidth = best_stream(samples);
  if (rate <= FlopsPerSecond{} || bandwidth <= BytesPerSecond{})
    throw ConfigError({"E0340",
                       "the samples of the host hold no fp32 multiplies, or no streams beyond its cache",
                       {},
                       "",
                       "probe again with more time: clusterwright calibrate run --suite full"});
  const std::string source = "best of own samples";
  AcceleratorPart part;
  part.id = "host";
  part.vendor = samples.device.cpu;
  part.peak_dense_tflops["fp32"] = {rate, source};
  part.memory = {samples.device.memory, source};
  part.memory_bandwidth = {bandwidth, source};
  part.multiprocessors = Sourced<int>{1, source};
  return part;
}

}  // namespace clusterwright
