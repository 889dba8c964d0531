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
// Multiplies of one tile run beside the exponentials of another, and each waits for the other now and then: between
// the sum of both (1) and the longer one (infinite).
constexpr double overlap_norm = 3;
// Part of the traffic of stored scores that softmax moves, by count: 3 of 8 bytes a score forward, 6 of 11 backward.
// Dropout moves the rest.
constexpr double softmax_forward = 3.0 / 8, softmax_backward = 6.0 / 11;

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
  // A block meets whole the keys on an edge of the mask, half of them in vain.
  const double mean = std::min(s.keys, share * s.keys + (masked ? s.edges * block / 2 : 0));
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

/// Bytes a score that the kernels between the multiplies move; 0 where scores stay on chip.
double score_bytes_of(const AttentionShape& s, const AttentionParameters& fit) {
  const double all = (s.forward ? fit.score_bytes_forward : fit.score_bytes_backward).value;
  if (s.dropout) return all;
  return all * (s.forward ? softmax_forward : softmax_backward);
}

/// Clocks of all multiprocessors together in one second.
double clocks_of(const AttentionDevice& device) {
  const double clock = device.clocks_per_second > 0 ? device.clocks_per_second : usual_clock;
  return device.multiprocessors > 0 ? device.multiprocessors * clock : device.peak.in(flop / second) / flops_per_clock;
}

/// Clocks of one multiprocessor for one score: multiplies, arithmetic between them, and both beside each other.
struct ScoreClocks {
  double multiplies, between;

  double together() const {
    if (multiplies <= 0 || between <= 0) return multiplies + between;
    return std::pow(std::pow(multiplies, overlap_norm) + std::pow(between, overlap_norm), 1 / overlap_norm);
  }
};

ScoreClocks score_clocks_of(const AttentionShape& s, const AttentionParameters& fit, const AttentionDevice& device,
                            Flops per_score) {
  const bool aligned = static_cast<int>(s.key_width) % 8 == 0 && static_cast<int>(s.value_width) % 8 == 0;
  const double width =
      (mean_head_width(s) < 128 ? fit.narrow_head_factor.value : 1) * (aligned ? 1 : fit.unaligned_factor.value);
  const double efficiency = (s.forward ? fit.forward_efficiency : fit.backward_efficiency).value * width;
  const double multiplies = clocks_of(device) * (per_score / (device.peak * efficiency)).in(second);
  // Products and sums bound the backward pass, not exponentials: twice as many of these do not speed it up.
  if (!s.forward) return {multiplies, fit.score_clocks_backward.value};
  return {multiplies, fit.score_clocks.value * usual_exponentials / device.exponentials_per_clock};
}

/// Scores that the time of all blocks would be enough for: beyond those under the mask, the keys on its edges, what
/// blocks do before and after their keys, and multiprocessors that idle at the end.
double executed_scores(const AttentionShape& s, const AttentionParameters& fit, const AttentionDevice& device,
                       double share, double score_clocks) {
  const Blocks blocks = blocks_of(s, share, fit.block_queries.value);
  const double clocks = (s.forward ? fit.block_clocks : fit.block_clocks_backward).value;
  const double prologue = blocks.count > 0 ? clocks / (fit.block_queries.value * score_clocks) : 0;  // in keys
  return blocks.rows * (blocks.mean_keys + prologue) *
         tail_factor(blocks, prologue, fit.tail_share.value, device.multiprocessors);
}

}  // namespace

double mean_head_width(const AttentionShape& s) {
  return s.forward ? (s.key_width + s.value_width) / 2 : (3 * s.key_width + 2 * s.value_width) / 5;
}

AttentionDevice attention_device(const AcceleratorPart& part, BytesPerSecond traffic) {
  AttentionDevice out{peak(part, NumberFormat::bf16), traffic, 0, part.boost_mhz ? 1e6 * part.boost_mhz->value : 0.0};
  const double count = part.multiprocessors ? static_cast<double>(part.multiprocessors->value) : 0;
  const double clock = out.clocks_per_second > 0 ? out.clocks_per_second : usual_clock;
  if (out.peak.in(flop / second) <= most_per_clock * count * clock) out.multiprocessors = count;
  if (part.exponentials_per_clock) out.exponentials_per_clock = part.exponentials_per_clock->value;
  return out;
}

double multiprocessor_clocks(const AcceleratorPart& part) {
  return clocks_of(attention_device(part, {}));
}

AttentionTiming attention_time(const AttentionShape& s, const AttentionParameters& fit, const AttentionDevice& device) {
  AttentionTiming timing;
  if (s.sequences <= 0 || s.heads <= 0 || s.queries <= 0 || s.keys <= 0) return timing;
  // Kernels that skip masked blocks compute the share under the mask, others the whole square.
  const double share = fit.executed_share.value < 1 ? std::min(1.0, 2 * s.share * fit.executed_share.value) : 1.0;
  const double rows = s.sequences * s.heads * s.queries, scores = rows * s.keys * share;  // that count
  const double score_bytes = score_bytes_of(s, fit);
  const double multiplies = multiplies_of(s.forward, score_bytes > 0);
  const Flops per_score = mean_head_width(s) * 2 * multiplies * flop;
  const ScoreClocks clocks = score_clocks_of(s, fit, device, per_score);
  const double executed = executed_scores(s, fit, device, share, clocks.together());
  const Seconds per_clock = 1 / clocks_of(device) * second;
  timing.flops = scores * per_score;
  timing.multiplies = executed * clocks.multiplies * per_clock;
  timing.compute = executed * clocks.together() * per_clock;
  const double row_bytes = s.forward ? 0 : fit.row_bytes_backward.value * mean_head_width(s);
  timing.memory = (scores * score_bytes + rows * row_bytes) * byte / device.traffic;
  // Each multiply of stored scores moves them once, while it computes.
  if (score_bytes > 0) {
    const Seconds moved = scores * bytes_16bit * multiplies * byte / device.traffic;
    timing.memory = timing.memory + std::max(Seconds{}, moved - timing.multiplies);
  }
  return timing;
}

}  // namespace clusterwright
