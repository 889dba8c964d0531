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
  input_wait,
  launch,
  throttle,
  jitter
};
inline constexpr std::size_t step_charge_count = 16;
inline constexpr std::array<std::string_view, step_charge_count> step_charge_names = {
    "compute_gemm", "compute_attention", "compute_other", "optimizer",  "recompute",
    "tp_exposed",   "cp_exposed",        "ep_exposed",    "pp_exposed", "dp_exposed",
    "bubble",       "imbalance",         "input_wait",    "launch",     "throttle",
    "jitter"};

constexpr ChargeId charge_id(StepCharge charge) {
  return ChargeId(static_cast<std::size_t>(charge));
}

}  // namespace clusterwright
