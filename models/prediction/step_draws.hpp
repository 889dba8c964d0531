// SPDX-License-Identifier: Apache-2.0
/// What chance decides about a step: paths of hashed flows, shuffled places, slow devices, the slowest of all replicas.
#pragma once

#include <cstdint>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/slow_devices.hpp"

namespace clusterwright {

/// Whether a seed changes anything: flows are hashed, nodes are shuffled, slow devices are drawn, or replicas
/// differ in speed.
bool draws_anything(const Scenario& scenario, const std::vector<SlowWish>& wishes);

/// The scenario with the draws of a seed. Seed 0 leaves hashed paths and places as the files say.
/// @param among  number of ranks, from the first on, that slow devices are drawn from
/// @throws ConfigError as draw_slow
Scenario drawn(const Scenario& scenario, const std::vector<SlowWish>& wishes, int among, std::uint64_t seed);

/// Step times of one plan under the draws of seeds that follow each other.
struct SampledSteps {
  std::uint64_t first_seed = 0;
  std::vector<Seconds> times;     ///< by seed, each with a draw of its slowest replica
  std::vector<Seconds> expected;  ///< by seed, with the expected jitter, as the step of that seed is predicted

  bool draws_jitter() const { return times != expected; }
  bool draws_replays() const;          ///< whether expected times differ
  std::uint64_t slowest_seed() const;  ///< by expected times
};

/// Time that a share of the draws does not exceed. @param share  from 0 to 1
Seconds time_quantile(std::vector<Seconds> times, double share);

/// @param count  number of seeds, at least 1
SampledSteps sample_steps(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan,
                          std::uint64_t first_seed, int count);

}  // namespace clusterwright
