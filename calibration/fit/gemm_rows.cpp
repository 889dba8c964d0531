// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/gemm_rows.hpp"
#include "topology/parts/parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace clusterwright {

namespace {

constexpr std::int64_t training_rows = 1024;  // M of the smallest GEMM in a usual training step
constexpr double small_m_weight = 0.15;       // keeps decode shapes close without bending training shapes
constexpr double crowding = 0.25;             // errors within one benchmark run are correlated: n points weigh n^0.75

/// Number of multiprocessors; 0 where it is not published, which stands for one systolic array.
int multiprocessors_of(const AcceleratorPart& part) {
  return part.multiprocessors ? part.multiprocessors->value : 0;
}

/// Peak of the data sheet; a single 16-bit rate serves both 16-bit formats; zero if there is none.
FlopsPerSecond peak_of(const MeasuredHardware& hardware, NumberFormat format) {
  const auto at = [&](NumberFormat one) {
    const auto found = hardware.peak_dense.find(std::string(number_format_names[static_cast<std::size_t>(one)]));
    return found == hardware.peak_dense.end() ? FlopsPerSecond{} : found->second;
  };
  const FlopsPerSecond own = at(format);
  if (own > FlopsPerSecond{}) return own;
  if (format == NumberFormat::fp16) return at(NumberFormat::bf16);
  return format == NumberFormat::bf16 ? at(NumberFormat::fp16) : FlopsPerSecond{};
}

/// Whether a call takes 16-bit activations: the inference library does, cuBLASLt and DeepGEMM do not.
bool quantises(const MeasuredGemm& gemm, const GemmFormat& format) {
  return format.below_16_bit() && gemm.library == "tensorrt-llm";
}

bool belongs_to(const MeasuredGemm& gemm, const std::string& format) {
  const GemmFormat* own = measured_gemm_format(gemm.dtype);
  return own && (own->key == format || (format == "bf16" && own->key == "fp16"));
}

double vote(const MeasuredGemm::Point& point) {
  return point.m >= training_rows ? 1 : small_m_weight;
}

void append(std::vector<GemmRow>& all, const std::vector<GemmRow>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

const std::vector<GemmFormat>& gemm_formats() {
  using F = NumberFormat;
  // mxfp8 has a scale byte for each 32 elements, nvfp4 one for each 16, grouped int4 two for each 128.
  static const std::vector<GemmFormat> formats = {{"bf16", "bf16", F::bf16, 2, 2},
                                                  {"fp16", "fp16", F::fp16, 2, 2},
                                                  {"fp32", "fp32", F::fp32, 4, 4},
                                                  {"tf32", "tf32", F::tf32, 4, 4},
                                                  {"fp8", "fp8-tensor", F::fp8, 1, 1},
                                                  {"fp8-block", "fp8-block", F::fp8, 1, 1},
                                                  {"fp8-rowwise", "fp8-rowwise", F::fp8, 1, 1},
                                                  {"mxfp8", "mxfp8", F::fp8, 1.03125, 1.03125},
                                                  {"nvfp4", "nvfp4", F::fp4, 0.5625, 0.5625},
                                                  {"int8", "int8", F::int8, 1, 1},
                                                  {"int8-weight-only", "int8-weight-only", F::bf16, 2, 1},
                                                  {"int4-weight-only", "int4-weight-only", F::bf16, 2, 0.515625}};
  return formats;
}

const GemmFormat* measured_gemm_format(const std::string& dtype) {
  for (const GemmFormat& format : gemm_formats())
    if (format.measured == dtype) return &format;
  return nullptr;
}

std::vector<GemmRow> rows_of_case(const Measurement& measurement, const AcceleratorPart& part) {
  const MeasuredGemm& gemm = *measurement.gemm;
  const GemmFormat& format = *measured_gemm_format(gemm.dtype);
  const BytesPerSecond memory = measurement.hardware.memory_bandwidth.value_or(part.memory_bandwidth.value);
  double total = 0;
  for (const auto& point : gemm.points) total += vote(point);
  std::vector<GemmRow> out;
  for (const auto& point : gemm.points)
    out.push_back(
        {.shape = {point.m, point.n, point.k, gemm.groups},
         .device = {peak_of(measurement.hardware, format.units), memory, multiprocessors_of(part), power_density(part)},
         .storage = {format.bytes_a * byte, format.bytes_b * byte, 2 * byte},
         .quantises = quantises(gemm, format),
         .time = point.time,
         .weight = vote(point) / std::pow(total, crowding),
         .accelerator = part.id,
         .architecture = architecture_of(part)});
  return out;
}

std::vector<GemmRow> gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                               const std::string& format) {
  std::vector<GemmRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.gemm || measurement.hardware.accelerator != part.id) continue;
    const MeasuredGemm& gemm = *measurement.gemm;
    if (belongs_to(gemm, format) && gemm.groups == 1 && !gemm.best_of_search)
      append(out, rows_of_case(measurement, part));
  }
  return out;
}

std::vector<GemmRow> searched_gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const std::string& format) {
  // Time of a usual shape over that of the best one: the 90th percentile of the errors of large shapes around the fits
  // of A100, H200, B200 and GB200 in their own formats is 0.07 to 0.12.
  constexpr double luck = 1.1;
  std::vector<GemmRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.gemm || measurement.hardware.accelerator != part.id || !measurement.gemm->best_of_search) continue;
    if (belongs_to(*measurement.gemm, format)) append(out, rows_of_case(measurement, part));
  }
  for (GemmRow& row : out) row.time = luck * row.time;
  return out;
}

std::vector<GemmRow> all_gemm_rows(const std::vector<Measurement>& measurements,
                                   const std::vector<AcceleratorPart>& catalog, const std::string& format) {
  std::vector<GemmRow> out;
  for (const AcceleratorPart& part : catalog) append(out, gemm_rows(measurements, part, format));
  std::map<std::string, double> total;
  for (const GemmRow& row : out) total[row.architecture] += row.weight;
  for (GemmRow& row : out) row.weight *= 10 / total.at(row.architecture);
  return out;
}

bool is_large(const GemmRow& row) {
  return row.shape.m >= training_rows;
}

}  // namespace clusterwright
