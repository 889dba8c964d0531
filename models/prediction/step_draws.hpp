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
///
/// Where very many flows are hashed (many_hashed_flows), paths move a step little and cost nearly all the time of a
/// draw. Then only the first seeds have their paths laid, as many as their part of the variance deserves, and the
/// others take these by turns: step i is that of the paths of seed i % M with the slowest replica of seed i.
struct SampledSteps {
  std::uint64_t first_seed = 0;
  std::vector<Seconds> times;     ///< by seed, each with a draw of its slowest replica
  std::vector<Seconds> expected;  ///< of the first M seeds, with the expected jitter, as `run` predicts their steps
  double share_of_paths = 1;      ///< part of the variance that those M make, an estimate; 1 where M is all

  bool draws_jitter() const;
  bool draws_replays() const;          ///< whether expected times differ
  std::uint64_t slowest_seed() const;  ///< by expected times
  bool few_stand_for_all() const { return expected.size() < times.size(); }
};

/// Time that a share of the draws does not exceed. @param share  from 0 to 1
Seconds time_quantile(std::vector<Seconds> times, double share);

/// Queue pairs of all ranks from which on paths of a few seeds may stand for all: the sum over so many has no long
/// tail, which a few draws would miss.
inline constexpr double many_hashed_flows = 1 << 16;

/// Paths to lay for `count` steps, so that reusing them adds no more error to a mean than the number of steps leaves:
/// count times their part of the variance, between few_draws and count.
/// @param of_paths   variance of the steps of few_draws seeds at the expected jitter; it may be a third of the true one
/// @param of_jitter  variance that drawn jitter adds
int paths_worthwhile(double of_paths, double of_jitter, int count);
inline constexpr int few_draws = 8;

/// @param count  number of seeds, at least 1
SampledSteps sample_steps(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan,
                          std::uint64_t first_seed, int count);

}  // namespace clusterwright
