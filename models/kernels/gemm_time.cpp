// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace clusterwright {

namespace {

struct Tile {
  std::int64_t m;
  std::int64_t n;
};

/// Tiles of common libraries, both ways round.
constexpr std::array<Tile, 12> tiles = {{{16, 64},
                                         {16, 128},
                                         {32, 64},
                                         {32, 128},
                                         {64, 64},
                                         {64, 128},
                                         {64, 256},
                                         {128, 64},
                                         {128, 128},
                                         {128, 256},
                                         {256, 64},
                                         {256, 128}}};
/// Tile of kernels for groups of unequal size, and what they add to the K overhead of gradients of weights.
/// @source own samples of torch._grouped_mm on an H100 and an H200: docs/models/compute.md, "Grouped GEMMs"
constexpr std::array<Tile, 1> grouped_tile = {{{256, 128}}};
constexpr double grouped_gradient_overhead = 1.8;
constexpr int most_splits = 16;
constexpr double wide_load = 16;          // bytes
constexpr std::int64_t array_side = 128;  // of the systolic arrays of TPUs and Trainium

/// Loss of a tile's rate: operands are loaded once per tile side, so short sides cost more. Zero at 256 x 128.
double side_excess(Tile tile) {
  return 128.0 / static_cast<double>(tile.m) + 128.0 / static_cast<double>(tile.n) - 1.5;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Rounds of tiles over the multiprocessors. Libraries shorten the last one, so only a share of its idle places costs.
double waves_of(double count, int multiprocessors, double wave_share) {
  const double whole = std::ceil(count / multiprocessors);
  const double filled = std::max(1.0, count / multiprocessors);
  return wave_share * whole + (1 - wave_share) * filled;
}

/// Rows of tiles of a group: the mean of ceil(m / tile) over normally distributed m.
double tile_rows(const GemmShape& shape, std::int64_t tile) {
  const auto side = static_cast<double>(tile), mean = static_cast<double>(shape.m);
  if (shape.row_deviation <= 0) return static_cast<double>(ceil_divide(shape.m, tile));
  if (shape.row_deviation >= side) return std::max(1.0, mean / side + 0.5);
  double whole = std::max(1.0, std::floor((mean - 5 * shape.row_deviation) / side));
  double rows = whole;
  for (double more = 1; more > 1e-6; ++whole) {
    more = std::erfc((whole * side - mean) / (std::sqrt(2.0) * shape.row_deviation)) / 2;
    rows += more;
  }
  return rows;
}

/// K that a tile costs beyond its own.
double k_overhead(const GemmShape& shape, const GemmParameters& parameters) {
  const bool gradient = shape.one_launch && shape.groups > 1 && shape.layout == GemmLayout::transposed_a;
  return parameters.k_overhead.value * (gradient ? grouped_gradient_overhead : 1);
}

/// Time with one tile size; best over splits of K. @param one  rate of one multiprocessor
Seconds best_split(const GemmShape& shape, Tile tile, const GemmDevice& device, const GemmParameters& parameters,
                   FlopsPerSecond one) {
  const double plain = tile_rows(shape, tile.m) * static_cast<double>(ceil_divide(shape.n, tile.n) * shape.groups);
  const Flops per_k = 2.0 * static_cast<double>(tile.m) * static_cast<double>(tile.n) *
                      (1 + parameters.tile_penalty.value * side_excess(tile)) * flop;
  Seconds best = std::numeric_limits<double>::infinity() * second;
  for (int splits = 1; splits <= most_splits; splits *= 2) {
    const double tiled = plain * splits;
    const double waves = waves_of(tiled, device.multiprocessors, parameters.wave_share.value);
    const double depth = static_cast<double>(shape.k) / splits + k_overhead(shape, parameters);
    const Seconds joining = splits > 1 ? parameters.split.value : Seconds{};
    best = std::min(best, waves * depth * per_k / one + joining);
    if (tiled > 4 * device.multiprocessors) break;  // the last wave is small already
  }
  return best;
}

bool is_aligned(std::int64_t length, Bytes element) {
  return length % aligned_elements(element) == 0;
}

/// Lengths of contiguous rows of A and B. Matrix units read operands of 8 bits along K.
std::pair<std::int64_t, std::int64_t> operand_rows(const GemmShape& shape, Bytes element) {
  if (element < 2 * byte || shape.layout == GemmLayout::transposed_b) return {shape.k, shape.k};
  return {shape.layout == GemmLayout::transposed_a ? shape.m : shape.k, shape.n};
}

/// Shape with tokens in whole 16 bytes, where both operands are contiguous along them.
GemmShape with_whole_tokens(GemmShape shape, Bytes element) {
  const std::int64_t whole = aligned_elements(element);
  if (element < 2 * byte && shape.layout == GemmLayout::transposed_a) shape.k = ceil_divide(shape.k, whole) * whole;
  return shape;
}

double alignment_factor(GemmAlignment alignment, const GemmParameters& parameters) {
  switch (alignment) {
    case GemmAlignment::aligned:
      break;
    case GemmAlignment::unaligned_output:
      return parameters.unaligned_output_factor.value;
    case GemmAlignment::unaligned_operand:
      return parameters.unaligned_factor.value;
  }
  return 1;
}

Seconds tiled_time(const GemmShape& given, const GemmDevice& device, const GemmParameters& parameters,
                   const GemmStorage& storage) {
  const GemmShape shape = with_whole_tokens(given, storage.input);
  const double rate = reached_share(device, parameters) * alignment_factor(alignment_of(given, storage), parameters);
  const FlopsPerSecond one = device.peak * rate / static_cast<double>(device.multiprocessors);
  Seconds best = std::numeric_limits<double>::infinity() * second;
  const bool uneven = shape.one_launch && shape.groups > 1 && shape.row_deviation > 0;
  for (const Tile tile : uneven ? std::span<const Tile>(grouped_tile) : std::span<const Tile>(tiles))
    best = std::min(best, best_split(shape, tile, device, parameters, one));
  return best;
}

/// Tiles of B are fixed in the array, so neither their number nor a last wave matters, only what does not fill them.
Seconds systolic_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters) {
  const GemmShape padded{std::max(shape.m, array_side), ceil_divide(shape.n, array_side) * array_side,
                         ceil_divide(shape.k, array_side) * array_side, shape.groups, shape.layout};
  return padded.flops() / (device.peak * reached_share(device, parameters));
}

Seconds operand_time(const GemmShape& shape, const GemmDevice& device, double share, const GemmStorage& storage) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const Bytes one = m * k * storage.input + k * n * storage.weights + m * n * storage.output;
  return static_cast<double>(shape.groups) * one / (device.memory_bandwidth * share);
}

/// Both at once, nearly as long as the longer: (a^4 + b^4)^(1/4).
Seconds overlapped(Seconds a, Seconds b) {
  const Seconds longer = std::max(a, b), shorter = std::min(a, b);
  const double ratio = shorter / longer, square = ratio * ratio;
  return longer * std::sqrt(std::sqrt(1 + square * square));
}

/// 0 up to 1 TFLOP, 1 from 100 TFLOP on.
double kernel_length(Flops work) {
  const double teraflops = work.in(1e12 * flop);
  return teraflops <= 1 ? 0 : std::min(1.0, std::log10(teraflops) / 2);
}

}  // namespace

std::int64_t aligned_elements(Bytes element) {
  const double without_scales = std::exp2(std::floor(std::log2(element.in(byte))));
  return std::llround(wide_load / without_scales);
}

GemmAlignment alignment_of(const GemmShape& given, const GemmStorage& storage) {
  const GemmShape shape = with_whole_tokens(given, storage.input);
  const auto [of_a, of_b] = operand_rows(shape, storage.input);
  if (!is_aligned(of_a, storage.input) || !is_aligned(of_b, storage.weights)) return GemmAlignment::unaligned_operand;
  return is_aligned(shape.n, storage.output) ? GemmAlignment::aligned : GemmAlignment::unaligned_output;
}

double reached_share(const GemmDevice& device, const GemmParameters& parameters) {
  if (device.density < 0) return parameters.efficiency.value;
  const double loss = parameters.density_loss.value;
  return parameters.efficiency.value * (1 + loss * parameters.density_reference.value) / (1 + loss * device.density);
}

GemmTiming gemm_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters,
                     const GemmStorage& storage, double long_kernel_share) {
  GemmTiming timing;
  timing.fixed = parameters.fixed.value;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.groups <= 0) return timing;
  timing.memory_time = operand_time(shape, device, parameters.bandwidth_share.value, storage);
  const double clock_loss = parameters.long_kernel_loss.value * long_kernel_share * kernel_length(shape.flops());
  const Seconds compute = device.multiprocessors > 0 ? tiled_time(shape, device, parameters, storage)
                                                     : systolic_time(shape, device, parameters);
  timing.time = overlapped(compute, timing.memory_time) * (1 + clock_loss);
  timing.tensor_share = shape.flops() / (timing.time * device.peak);
  return timing;
}

Seconds quantisation_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters) {
  const Bytes traffic = parameters.cast_bytes.value * static_cast<double>(shape.m) * static_cast<double>(shape.k) *
                        static_cast<double>(shape.groups) * byte;
  return parameters.cast_fixed.value + traffic / device.memory_bandwidth;
}

}  // namespace clusterwright
