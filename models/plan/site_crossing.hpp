// SPDX-License-Identifier: Apache-2.0
/// Groups of a plan that reach over several sites of a fabric, and what a job asks of them.
///
/// Ranks fill one site after the other, so the order of the dimensions decides: the outermost one crosses.
///
/// Example: 8 tensor ranks x 12 stages x 32 replicas on 2 sites of 1,536 GPUs. With replicas outermost a replica is 96
/// neighbouring ranks and each site holds 16 of them: gradients cross. With stages outermost each site holds 6 stages:
/// messages between stages 5 and 6 cross.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/store_check.hpp"

namespace clusterwright {

struct SiteCrossing {
  int sites = 1;
  int site_ranks = 0;     ///< ranks of one site
  bool inner = false;     ///< tensor, context or expert groups cross
  bool pipeline = false;  ///< neighbouring stages of a replica are on different sites
  bool data = false;      ///< ranks that reduce gradients together are on different sites
  /// Neighbouring gradient ranks of a stage on one site: equally many everywhere, or 0.
  int together = 0;
};

/// Sites that the cluster's fabric has; 1 without.
int site_count(const Cluster& cluster);

SiteCrossing site_crossing(const Plan& plan, const Cluster& cluster);

/// Order of the ranks: the job's; else the one that its across_sites needs; else the stack's.
RankOrder usual_order(const Scenario& scenario);

/// Sets what gradient ranks shard, and the groups in which they reduce gradients first: those of hsdp; those that train
/// apart; or those of a site, if several sites hold replicas, the job or its stack reduces hierarchically, and nothing
/// rules it out.
/// @param group  ranks of a group of hsdp; ignored for others
/// @param plan   with its degrees and the order of its ranks
void set_sharding(const Scenario& scenario, Sharding sharding, int group, Plan& plan);

/// Contradictions between a plan and what its job asks of sites and of groups that train apart: E0310 for across_sites,
/// site_reduction and local_groups, E0313 for local steps that are not modelled yet.
std::vector<Contradiction> site_contradictions(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
