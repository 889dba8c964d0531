// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "models/kernels/kernel_times.hpp"
#include "sim/enum_array.hpp"

namespace clusterwright {

template <>
struct EnumNames<ClosedFormGeneration> {
  static constexpr std::array<std::string_view, 4> names = {"Ampere", "Hopper", "Blackwell", "other"};
};

namespace {

/// Shares of the data sheet that GEMMs reach, by generation; docs/validation.md, "Closed form".
struct SheetShares {
  double gemm, small_depth, long_loss;
};
constexpr EnumArray<ClosedFormGeneration, SheetShares> shares_of_16_bit = {
    {{{0.91, 230, 0.19}, {0.83, 40, 0.26}, {0.68, 0, 0}, {0.85, 100, 0}}}};
constexpr EnumArray<ClosedFormGeneration, SheetShares> shares_of_8_bit = {
    {{{0.91, 230, 0.19}, {0.81, 219, 0.16}, {0.68, 0, 0}, {0.85, 100, 0}}}};
/// Usual power_density; 0: not known.
constexpr EnumArray<ClosedFormGeneration, double> usual_density = {{0.78, 1.413, 2.25, 0}};

constexpr double memory_reached = 0.86;   // share of the sheet, element-wise kernels
constexpr double rowwise_slowness = 1.6;  // 8-bit GEMMs with a scale per row
constexpr double kernel_start = 1e-6;

double per_second(const AcceleratorPart& part, NumberFormat format) {
  return peak(part, format) / (1 * flop / second);
}

}  // namespace

ClosedFormGeneration closed_form_generation(const AcceleratorPart& part) {
  const std::string name = architecture_of(part);
  if (name == "Ampere") return ClosedFormGeneration::ampere;
  if (name == "Hopper") return ClosedFormGeneration::hopper;
  return name == "Blackwell" ? ClosedFormGeneration::blackwell : ClosedFormGeneration::other;
}

ClosedFormRates closed_form_rates(const AcceleratorPart& part, Precision precision) {
  const NumberFormat format = matrix_format(precision);
  const double sixteen = per_second(part, NumberFormat::bf16), native = per_second(part, format);
  const bool narrow = size_of(format) < 2 * byte;
  const ClosedFormGeneration generation = closed_form_generation(part);
  const SheetShares& shares = (narrow ? shares_of_8_bit : shares_of_16_bit)[generation];
  const double usual = usual_density[generation];
  const double short_of = usual > 0 ? std::max(1.0, power_density(part) / usual) : 1;
  ClosedFormRates rates;
  rates.peak_16_bit = sixteen / std::cbrt(short_of);
  rates.gemm = (native > 0 ? native : sixteen) * shares.gemm / std::cbrt(short_of);
  if (precision == Precision::fp8_rowwise) rates.gemm /= rowwise_slowness;
  rates.small_depth = shares.small_depth;
  rates.long_loss = shares.long_loss / 2;  // in a step, half of what a loop over one GEMM shows
  rates.memory = memory_reached * (part.memory_bandwidth.value / (1 * byte / second));
  return rates;
}

double closed_form_gemm(const ClosedFormRates& rates, double m, double n, double k) {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  const double work = 2 * m * n * k;
  const double arithmetic = work * (1 + rates.small_depth / k) / rates.gemm;
  const double traffic = 2 * (m * k + k * n + m * n) / rates.memory;
  const double long_share = std::clamp(std::log10(work / 1e12) / 2, 0.0, 1.0);
  return std::pow(std::pow(arithmetic, 4) + std::pow(traffic, 4), 0.25) * (1 + rates.long_loss * long_share) +
         kernel_start;
}

AttentionEfficiency closed_form_attention(ClosedFormGeneration generation, const std::string& kernel) {
  const bool ampere = generation == ClosedFormGeneration::ampere;
  AttentionEfficiency out = ampere ? AttentionEfficiency{0.55, 0.45} : AttentionEfficiency{0.52, 0.42};
  if (!ampere && !kernel.starts_with("cudnn") && kernel != "xla") out = {0.35, 0.28};
  constexpr double triton_slowness = 1.34;
  if (kernel == "flash-triton") out = {out.forward / triton_slowness, out.backward / triton_slowness};
  return out;
}

double closed_form_ring(double bytes, int ranks, double bandwidth, bool inside) {
  if (ranks <= 1 || bandwidth <= 0) return 0;
  constexpr double hop_inside = 2e-6, hop_outside = 5e-6, outside_reached = 0.85, ramp = 7.5e6;
  const double share = (ranks - 1.0) / ranks;
  if (!inside) return bytes * share / (bandwidth * outside_reached) + hop_outside * std::log2(ranks);
  const double reached = 0.8 - 0.46 / ranks;  // of the data sheet: 0.57 of 2 ranks, 0.74 of 8
  return (bytes + ramp) * share / (bandwidth * reached) + hop_inside * (ranks - 1);
}

}  // namespace clusterwright
