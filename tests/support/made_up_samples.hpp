// SPDX-License-Identifier: Apache-2.0
/// Samples of a GPU that behaves as given parameters say, with noise: what a fit must find again.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "calibration/fit/power_fit.hpp"
#include "calibration/fit/sample_rows.hpp"
#include "calibration/fit/thermal_fit.hpp"
#include "calibration/host/random_data.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/gemm_time.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Standard normal numbers, the same on every machine.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : words_(seed) {}
  double next() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += (words_.signed_unit() + 1) / 2;
    return sum - 6;
  }

 private:
  RandomWords words_;
};

inline const AcceleratorPart& shipped_part(const std::string& id) {
  static const Catalog catalog = load_catalog(CLUSTERWRIGHT_CONFIGS "/parts");
  return *catalog.find_accelerator(id);
}

inline ParameterSet shipped_parameters(const std::string& name) {
  return decode_record<ParameterSet>(
      read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parameters" / (name + ".json")));
}

inline ProbeSamples made_up_gpu() {
  ProbeSamples out;
  out.tool = "gpu_probe";
  out.date = "2026-11-21T21:04:06Z";
  out.device.kind = ProbeDeviceKind::gpu;
  out.device.name = "NVIDIA H200";
  out.device.driver = "580.1";
  out.device.l2 = 50 * mebibyte;
  return out;
}

/// Five repetitions around `time`.
inline ProbeSample made_up_sample(ProbeWhat what, Seconds time, double noise, NormalNumbers& numbers) {
  ProbeSample out;
  out.what = std::move(what);
  out.mode = "burst";
  const double common = std::exp(noise * numbers.next());
  for (int i = 0; i < 5; ++i) out.repetitions.push_back(time * common * std::exp(0.1 * noise * numbers.next()));
  return out;
}

/// Multiplies of many shapes, timed as `truth` says.
inline void add_gemms(const AcceleratorPart& part, const GemmParameters& truth, double noise, ProbeSamples& out) {
  NormalNumbers numbers(7);
  const GemmDevice device{peak(part, NumberFormat::bf16), part.memory_bandwidth.value, part.multiprocessors->value};
  for (const std::int64_t m : {64, 512, 2048, 4096, 8192})
    for (const std::int64_t n : {1024, 4096, 8192, 28672})
      for (const std::int64_t k : {1024, 4096, 8192, 28672}) {
        const GemmTiming timing = gemm_time({m, n, k}, device, truth, 2 * byte, 2 * byte, 1);
        ProbedGemm what;
        what.m = m, what.n = n, what.k = k, what.dtype = ProbedFormat::bf16, what.layout = "forward";
        ProbeSample sample = made_up_sample(what, timing.time + timing.fixed, noise, numbers);
        sample.flops = GemmShape{m, n, k}.flops();
        out.samples.push_back(std::move(sample));
      }
}

}  // namespace clusterwright
