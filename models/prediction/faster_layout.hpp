// SPDX-License-Identifier: Apache-2.0
/// Faster layouts near that of a step, for advice that was tried before it is given.
#pragma once

#include <cstdint>
#include <optional>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/search/layout.hpp"

namespace clusterwright {

/// Share of a step that a change must save to be advised.
inline constexpr double worth_a_change = 0.01;

/// What was looked at, and the best of it by replay.
struct LayoutsAround {
  std::int64_t evaluated = 0;  ///< layouts in closed form
  std::optional<Layout> best;  ///< nothing where none saves enough
};

/// Looks among layouts that fit, that the stack runs, and whose groups, stages and micro-batch are from half to twice
/// those of the plan (limits_near); recomputation, sharding, chunks, schedule and order are free, offload and batch
/// stay.
/// @param step_time  of the plan
LayoutsAround layouts_around(const Scenario& scenario, const Plan& plan, Seconds step_time);

}  // namespace clusterwright
