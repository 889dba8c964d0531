// SPDX-License-Identifier: Apache-2.0
/// Causes to which the time of a step is charged.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// Kinds of `breakdown_s`, in the order in which they are shown. The values are ChargeIds of the step graph.
enum class StepCharge {
  compute_gemm,
  compute_attention,
  compute_other,
  optimizer,
  recompute,
  tp_exposed,
  cp_exposed,
  ep_exposed,
  pp_exposed,
  dp_exposed,
  bubble,
  imbalance,
  ep_imbalance,
  input_wait,
  offload,
  launch,
  throttle,
  jitter
};
inline constexpr std::size_t step_charge_count = 18;
inline constexpr std::array<std::string_view, step_charge_count> step_charge_names = {
    "compute_gemm", "compute_attention", "compute_other", "optimizer",  "recompute", "tp_exposed",
    "cp_exposed",   "ep_exposed",        "pp_exposed",    "dp_exposed", "bubble",    "imbalance",
    "ep_imbalance", "input_wait",        "offload",       "launch",     "throttle",  "jitter"};
static_assert(static_cast<std::size_t>(StepCharge::jitter) + 1 == step_charge_count);

/// What a charge scales with: FLOPs, device memory, links, the host, or the work of others.
enum class ChargeKind { compute, streaming, communication, launch, waiting };

/// The compiler refuses a charge without a kind (-Wswitch), so no sum over a kind leaves one out.
constexpr ChargeKind kind_of(StepCharge charge) {
  switch (charge) {
    case StepCharge::compute_gemm:
    case StepCharge::compute_attention:
    case StepCharge::recompute:
    case StepCharge::throttle:
      return ChargeKind::compute;
    case StepCharge::compute_other:
    case StepCharge::optimizer:
      return ChargeKind::streaming;
    case StepCharge::tp_exposed:
    case StepCharge::cp_exposed:
    case StepCharge::ep_exposed:
    case StepCharge::pp_exposed:
    case StepCharge::dp_exposed:
      return ChargeKind::communication;
    case StepCharge::launch:
      return ChargeKind::launch;
    case StepCharge::bubble:
    case StepCharge::imbalance:
    case StepCharge::ep_imbalance:
    case StepCharge::input_wait:
    case StepCharge::offload:
    case StepCharge::jitter:
      break;
  }
  return ChargeKind::waiting;
}

constexpr ChargeId charge_id(StepCharge charge) {
  return ChargeId(static_cast<std::size_t>(charge));
}

}  // namespace clusterwright
