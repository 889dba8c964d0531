#include "models/gemm_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
constexpr std::int64_t most_splits = 16;

/// Loss of a tile's rate: operands are loaded once per tile side, so short sides cost more. Zero at 256 x 128.
double side_excess(Tile tile) {
  return 128.0 / static_cast<double>(tile.m) + 128.0 / static_cast<double>(tile.n) - 1.5;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Time with one tile size in units of (one FLOP at the full rate of one multiprocessor); best over splits of K.
double best_split(const GemmShape& shape, Tile tile, std::int64_t multiprocessors, double k_overhead) {
  const std::int64_t plain = ceil_divide(shape.m, tile.m) * ceil_divide(shape.n, tile.n);
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t splits = 1; splits <= most_splits; splits *= 2) {
    const std::int64_t waves = ceil_divide(plain * splits, multiprocessors);
    const double depth = static_cast<double>(shape.k) / static_cast<double>(splits) + k_overhead;
    best = std::min(best, static_cast<double>(waves) * depth);
    if (plain * splits > 4 * multiprocessors) break;  // the last wave is small already
  }
  return best * 2.0 * static_cast<double>(tile.m) * static_cast<double>(tile.n);
}

Seconds compute_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters) {
  double best = std::numeric_limits<double>::infinity();
  for (const Tile tile : tiles) {
    const double slowdown = 1 + parameters.tile_penalty.value * side_excess(tile);
    best = std::min(best, slowdown * best_split(shape, tile, device.multiprocessors, parameters.k_overhead.value));
  }
  const FlopsPerSecond one = device.peak * parameters.efficiency.value / static_cast<double>(device.multiprocessors);
  return best * flop / one;
}

Seconds operand_time(const GemmShape& shape, const GemmDevice& device, double share, Bytes element, Bytes output) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  return ((m * k + k * n) * element + m * n * output) / (device.memory_bandwidth * share);
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

GemmCost gemm_cost(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters, Bytes element,
                   Bytes output, double long_kernel_share) {
  GemmCost cost;
  cost.fixed = parameters.fixed.value;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0) return cost;
  cost.memory_time = operand_time(shape, device, parameters.bandwidth_share.value, element, output);
  const double clock_loss = parameters.long_kernel_loss.value * long_kernel_share * kernel_length(shape.flops());
  cost.time = overlapped(compute_time(shape, device, parameters), cost.memory_time) * (1 + clock_loss);
  cost.tensor_share = shape.flops() / (cost.time * device.peak);
  return cost;
}

Seconds quantisation_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters) {
  const Bytes traffic =
      parameters.cast_bytes.value * static_cast<double>(shape.m) * static_cast<double>(shape.k) * byte;
  return parameters.cast_fixed.value + traffic / device.memory_bandwidth;
}

}  // namespace clusterwright
