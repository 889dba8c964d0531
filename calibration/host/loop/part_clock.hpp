// SPDX-License-Identifier: Apache-2.0
/// Time of a step by part: every instant between start and stop counts for exactly one part.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "sim/quantity.hpp"

namespace clusterwright {

enum class StepPart {
  gemm_forward,   ///< linear layers; GEMMs of attention count as attention
  gemm_backward,  ///< gradients of inputs and of weights
  attention,      ///< scores, softmax and values, forward and backward
  elementwise,    ///< embedding, norms, residuals, GELU, loss, and the small rest
  optimizer,
  all_reduce,  ///< waiting for the other processes included
};

inline constexpr std::array<const char*, 6> step_part_names = {"gemm_forward", "gemm_backward", "attention",
                                                               "elementwise",  "optimizer",     "all_reduce"};

/// Clock of parts; reads the steady clock once per change of part, some 30 ns.
class PartClock {
 public:
  /// Clears all counts; `elementwise` begins.
  void start() {
    spent_ = {};
    part_ = StepPart::elementwise;
    last_ = Clock::now();
  }
  /// Ends the running part.
  void enter(StepPart part) {
    const Clock::time_point now = Clock::now();
    spent_[static_cast<std::size_t>(part_)] += now - last_;
    part_ = part;
    last_ = now;
  }
  void stop() { enter(StepPart::elementwise); }

  /// Time of a part between start and stop.
  Seconds spent(StepPart part) const { return in_seconds(spent_[static_cast<std::size_t>(part)]); }
  /// Time from start to stop; the sum of all parts.
  Seconds whole() const {
    Clock::duration sum{};
    for (const Clock::duration one : spent_) sum += one;
    return in_seconds(sum);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static Seconds in_seconds(Clock::duration time) { return std::chrono::duration<double>(time).count() * second; }

  std::array<Clock::duration, step_part_names.size()> spent_{};
  StepPart part_ = StepPart::elementwise;
  Clock::time_point last_;
};

}  // namespace clusterwright
