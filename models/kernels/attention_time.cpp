// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention_time.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

constexpr double usual_clock = 1.7e9;     // per second, where the data sheet has none
constexpr double flops_per_clock = 4096;  // of a multiprocessor of Hopper, for parts that count none
constexpr double most_per_clock = 32768;  // beyond it a unit is no multiprocessor with 16 exponentials in a clock

/// Blocks of queries, and the keys that each of them meets.
struct Blocks {
  double count;  ///< 0: the kernel has no blocks
  double rows;   ///< queries of all heads, those that fill up blocks included
  double mean_keys;
  double longest_keys;
};

Blocks blocks_of(const AttentionShape& s, double share, double block) {
  const bool masked = share < 1;
  const double heads = s.sequences * s.heads, count = block > 0 ? heads * std::ceil(s.queries / block) : 0;
  // A block meets whole the keys on the mask's edge, half of them in vain.
  const double mean = std::min(s.keys, share * s.keys + (masked ? block / 2 : 0));
  const double longest = masked ? std::max(mean, std::min(s.keys, 2 * share * s.keys)) : s.keys;
  return {count, block > 0 ? count * block : heads * s.queries, mean, longest};
}

/// Time of all blocks over that of a device kept busy to the end.
double tail_factor(const Blocks& blocks, double prologue, double tail_share, double multiprocessors) {
  if (multiprocessors <= 0 || blocks.count <= 0 || tail_share <= 0) return 1;
  const double mean = blocks.mean_keys + prologue, longest = blocks.longest_keys + prologue;
  const double rounds = blocks.count / multiprocessors * mean / longest;  // in times of the longest block
  const bool alike = blocks.longest_keys <= blocks.mean_keys;
  const double idle = alike ? std::min(tail_share, 1.0) * (std::ceil(rounds) - rounds) : tail_share;
  return std::max(1.0, rounds + idle) / rounds;
}

/// Multiplies of a pass. Kernels that keep scores on chip compute them again in the backward pass.
double multiplies_of(bool forward, bool stores_scores) {
  if (forward) return 2;
  return stores_scores ? 4 : 5;
}

/// Exponentials of one second.
double exponentials(const AttentionDevice& device, double score_clocks) {
  const double clock = device.clocks_per_second > 0 ? device.clocks_per_second : usual_clock;
  const double clocks =
      device.multiprocessors > 0 ? device.multiprocessors * clock : device.peak.in(flop / second) / flops_per_clock;
  return clocks / score_clocks;
}

}  // namespace

AttentionDevice attention_device(const AcceleratorPart& part, BytesPerSecond traffic) {
  AttentionDevice out{peak(part, NumberFormat::bf16), traffic, 0, part.boost_mhz ? 1e6 * part.boost_mhz->value : 0.0};
  const double count = part.multiprocessors ? static_cast<double>(part.multiprocessors->value) : 0;
  const double clock = out.clocks_per_second > 0 ? out.clocks_per_second : usual_clock;
  if (out.peak.in(flop / second) <= most_per_clock * count * clock) out.multiprocessors = count;
  return out;
}

AttentionTiming attention_time(const AttentionShape& s, const AttentionParameters& fit, const AttentionDevice& device) {
  AttentionTiming timing;
  if (s.sequences <= 0 || s.heads <= 0 || s.queries <= 0 || s.keys <= 0) return timing;
  // Kernels that skip masked blocks compute the share under the mask, others the whole square.
  const double share = fit.executed_share.value < 1 ? std::min(1.0, 2 * s.share * fit.executed_share.value) : 1.0;
  const double rows = s.sequences * s.heads * s.queries, scores = rows * s.keys * share;  // that count
  const bool aligned = static_cast<int>(s.head_width) % 8 == 0;
  const double width =
      (s.head_width < 128 ? fit.narrow_head_factor.value : 1) * (aligned ? 1 : fit.unaligned_factor.value);
  const double efficiency = (s.forward ? fit.forward_efficiency : fit.backward_efficiency).value * width;
  const double score_bytes = (s.forward ? fit.score_bytes_forward : fit.score_bytes_backward).value;
  const double multiplies = multiplies_of(s.forward, score_bytes > 0);
  const Flops per_score = s.head_width * 2 * multiplies * flop;
  const Blocks blocks = blocks_of(s, share, fit.block_queries.value);
  const double executed = blocks.rows * (blocks.mean_keys + fit.prologue_keys.value) *
                          tail_factor(blocks, fit.prologue_keys.value, fit.tail_share.value, device.multiprocessors);
  timing.flops = scores * per_score;
  timing.multiplies = executed * per_score / (device.peak * efficiency);
  timing.compute = timing.multiplies;
  if (fit.score_clocks.value > 0)
    timing.compute = timing.compute + executed / exponentials(device, fit.score_clocks.value) * second;
  const double row_bytes = s.forward ? 0 : fit.row_bytes_backward.value * s.head_width;
  timing.memory = (scores * score_bytes + rows * row_bytes) * byte / device.traffic;
  // Each multiply of stored scores moves them once, while it computes.
  if (score_bytes > 0) {
    const Seconds moved = scores * bytes_16bit * multiplies * byte / device.traffic;
    timing.memory = timing.memory + std::max(Seconds{}, moved - timing.multiplies);
  }
  return timing;
}

}  // namespace clusterwright
