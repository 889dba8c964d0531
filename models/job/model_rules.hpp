// SPDX-License-Identifier: Apache-2.0
/// Rules between dimensions of a transformer, and between a job, its transformer and its hosts.
#pragma once

#include <vector>

#include "models/job/job.hpp"
#include "models/job/transformer.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Least width of a head: 16 bytes of 16-bit numbers, which matrix units read at once. Published models have 32 and
/// more.
inline constexpr std::int64_t least_head_width = 8;

/// A job with what it runs on.
struct JobOnCluster {
  const Job& job;
  const Transformer& transformer;
  const Cluster& cluster;
};

/// Rules that the dimensions break, with pointers relative to the scenario.
std::vector<RuleFinding> transformer_findings(const Transformer& transformer);
/// Rules that the job breaks on its transformer and cluster.
std::vector<RuleFinding> job_findings(const JobOnCluster& subject);

void add_model_rules(std::vector<RuleWords>& list);

}  // namespace clusterwright
