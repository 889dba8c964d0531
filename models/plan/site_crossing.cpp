// SPDX-License-Identifier: Apache-2.0
#include "models/plan/site_crossing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/plan/placement.hpp"

namespace clusterwright {

namespace {

constexpr const char* across_path = "/job/parallel/across_sites";
constexpr const char* reduction_path = "/job/site_reduction";

/// Walks the groups of a plan over the sites of a cluster.
class SiteWalk {
 public:
  SiteWalk(const Plan& plan, const Cluster& cluster, int sites)
      : plan_(plan), placement_(plan, cluster.blocks), site_ranks_(plan.accelerators() / sites) {}

  SiteCrossing find(int sites) const {
    SiteCrossing out;
    out.sites = sites;
    out.site_ranks = site_ranks_;
    const int last = plan_.tensor - 1, replicas = plan_.gradient_ranks();
    for (int p = 0; p < plan_.pipeline; ++p) {
      out.data |= site({0, 0, p}) != site({last, replicas - 1, p});
      for (int d = 0; d < replicas; ++d) {
        out.inner |= site({0, d, p}) != site({last, d - d % plan_.context + plan_.context - 1, p});
        out.pipeline |= p > 0 && site({0, d, p}) != site({0, d, p - 1});
      }
      out.inner |= experts_cross(p);
    }
    out.together = together();
    return out;
  }

 private:
  int site(const RankCoordinates& at) const { return placement_.rank(at) / site_ranks_; }

  bool experts_cross(int stage) const {
    const int block = plan_.expert * plan_.expert_tensor;
    const auto at = [&](int index) { return site({index % plan_.tensor, index / plan_.tensor, stage}); };
    for (int first = 0; block > 1 && first + block <= plan_.stage_ranks(); first += block)
      if (at(first) != at(first + block - 1)) return true;
    return false;
  }

  /// Length of the runs of gradient ranks on one site; 0 if they differ, or if a site ends inside a tensor group.
  int together() const {
    const int replicas = plan_.gradient_ranks();
    int length = 0;
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int first = 0; first < replicas;) {
        int next = first;
        while (next < replicas && site({0, next, p}) == site({0, first, p})) ++next;
        const bool whole = site({0, first, p}) == site({plan_.tensor - 1, next - 1, p});
        if (!whole || (length > 0 && next - first != length)) return 0;
        length = next - first;
        first = next;
      }
    return length;
  }

  const Plan& plan_;
  Placement placement_;
  int site_ranks_;
};

std::string ranks_text(const Plan& plan) {
  return fmt::format("tensor {} x context {} x pipeline {}", plan.tensor, plan.context, plan.pipeline);
}

/// Why gradients cannot be reduced inside each site first; empty if they can.
std::string no_hierarchy(const Plan& plan, const SiteCrossing& crossing) {
  if (!crossing.data) return "each group of replicas is on one site already";
  if (shards_weights(plan.sharding)) return "sharded weights are gathered from all sites";
  if (crossing.together == 0) return "a site does not hold equally many ranks of each stage";
  if (crossing.together == 1) return "no two ranks that reduce gradients together share a site";
  return {};
}

std::string data_help(const Plan& plan, const SiteCrossing& at) {
  constexpr const char* order = "\"order\": \"tensor-context-pipeline-data\"";
  if (plan.data < at.sites)
    return fmt::format("leave out across_sites: a replica needs several sites, and {} gives each sites of its own",
                       order);
  return fmt::format("use a number of replicas that {} divides, {} or \"auto\", and expert groups inside a site",
                     at.sites, order);
}

void check_across(const Plan& plan, AcrossSites across, const SiteCrossing& at, std::vector<Contradiction>& errors) {
  const auto add = [&](std::string message, const char* field, std::string help) {
    errors.push_back({"E0310", std::move(message), {across_path, field}, std::move(help)});
  };
  if (across == AcrossSites::none)
    return add(fmt::format("across_sites is none, but the job runs on {} sites", at.sites), "/cluster/fabric/sites",
               fmt::format("use a cluster of one site ({} accelerators), or \"data\" or \"pipeline\"", at.site_ranks));
  if (across == AcrossSites::data && (at.pipeline || at.inner))
    return add(fmt::format("{} sites of {} accelerators cannot hold whole replicas (got {} of {} = {} ranks)", at.sites,
                           at.site_ranks, plan.data, ranks_text(plan), plan.accelerators() / plan.data),
               "/job/parallel/data", data_help(plan, at));
  if (across == AcrossSites::pipeline && (at.data || at.inner))
    add(fmt::format(
            "{} pipeline stages cannot fill {} sites whole (each has {} ranks: tensor {} x context {} x data {})",
            plan.pipeline, at.sites, plan.stage_ranks(), plan.tensor, plan.context, plan.data),
        "/job/parallel/pipeline",
        fmt::format(
            "use a number of stages that {} divides, and \"order\": \"tensor-context-data-pipeline\" or \"auto\"; "
            "or \"across_sites\": \"data\"",
            at.sites));
}

}  // namespace

int site_count(const Cluster& cluster) {
  return cluster.spec.fabric.sites && cluster.has_network() ? cluster.spec.fabric.sites->count : 1;
}

SiteCrossing site_crossing(const Plan& plan, const Cluster& cluster) {
  const int sites = site_count(cluster), ranks = plan.accelerators();
  if (sites == 1 || ranks % sites != 0) return {1, ranks, false, false, false, plan.gradient_ranks()};
  return SiteWalk(plan, cluster, sites).find(sites);
}

RankOrder usual_order(const Scenario& s) {
  const ParallelSpec& parallel = s.job.parallel;
  if (parallel.order) return *parallel.order;
  if (!parallel.across_sites || site_count(s.cluster) == 1) return s.stack.rank_order;
  return *parallel.across_sites == AcrossSites::data ? RankOrder::tensor_context_pipeline_data
                                                     : RankOrder::tensor_context_data_pipeline;
}

namespace {

/// Groups that train apart under local_steps: what the job states; those of hsdp; sites with whole replicas; replicas.
int local_groups(const Scenario& s, const Plan& plan) {
  if (s.job.local_groups) return *s.job.local_groups;
  if (plan.sharding == Sharding::hsdp) return plan.gradient_ranks() / plan.shard_group;
  const SiteCrossing at = site_crossing(plan, s.cluster);
  const bool whole = at.data && !at.pipeline && !at.inner && at.together > 0;
  return whole ? plan.gradient_ranks() / at.together : plan.data;
}

void group_by_site(const Scenario& s, Plan& plan) {
  if (site_count(s.cluster) == 1 || plan.sharding == Sharding::hsdp) return;
  if (s.job.site_reduction.value_or(s.stack.site_reduction) == SiteReduction::flat) return;
  const SiteCrossing crossing = site_crossing(plan, s.cluster);
  if (!no_hierarchy(plan, crossing).empty()) return;
  plan.grouped = true;
  plan.shard_group = crossing.together;
}

void check_reduction(const Plan& plan, const SiteCrossing& crossing, std::vector<Contradiction>& errors) {
  const bool weights = shards_weights(plan.sharding);
  const std::string why = plan.sharding == Sharding::hsdp ? "hsdp has groups of its own, inside which they are"
                          : plan.local_steps > 1          ? "with local_steps each group reduces its own alone"
                                                          : no_hierarchy(plan, crossing);
  if (why.empty()) return;
  std::string help = "use \"site_reduction\": \"flat\", or \"across_sites\": \"data\"";
  if (plan.sharding == Sharding::hsdp || plan.local_steps > 1)
    help = "leave out site_reduction";
  else if (weights && crossing.together > 1)
    help = fmt::format("use \"sharding\": \"hsdp\" with \"shard_group\": {}", crossing.together);
  errors.push_back({"E0310",
                    fmt::format("gradients cannot be reduced inside each site first: {}", why),
                    {reduction_path, weights ? "/job/sharding" : "/job/parallel"},
                    std::move(help)});
}

void check_local(const Scenario& s, const Plan& plan, std::vector<Contradiction>& errors) {
  constexpr const char* steps = "/job/local_steps";
  const int groups = local_groups(s, plan);
  const auto add = [&](const char* code, std::string message, const char* field, std::string help) {
    errors.push_back({code, std::move(message), {steps, field}, std::move(help)});
  };
  if (plan.sharding == Sharding::zero3 || plan.sharding == Sharding::fsdp)
    add("E0310", "groups that train apart each need all weights, but these are sharded over all ranks", "/job/sharding",
        fmt::format("use \"sharding\": \"hsdp\" with \"shard_group\": {}",
                    plan.gradient_ranks() / std::max(1, std::min(groups, plan.data))));
  else if (groups < 2 || plan.data % groups != 0)
    add("E0310",
        fmt::format("groups that train apart must divide the replicas (got {} groups, {} replicas)", groups, plan.data),
        "/job/local_groups", "use 2 groups or more, a divisor of the replicas");
  else if (plan.sharding == Sharding::hsdp && groups * plan.shard_group != plan.gradient_ranks())
    add("E0310",
        fmt::format("under hsdp the groups that train apart are those that hold one copy of the weights (got {} "
                    "groups, {} copies)",
                    groups, plan.gradient_ranks() / plan.shard_group),
        "/job/shard_group", fmt::format("use \"shard_group\": {}", plan.gradient_ranks() / groups));
  if (s.transformer.experts)
    add("E0313", "local steps of a mixture of experts are not modelled yet", "/transformer/experts",
        "use \"local_steps\": 1");
  const bool far = s.job.offload.optimizer == MemoryLevel::pool || s.job.offload.optimizer == MemoryLevel::nvme;
  if (far || s.job.offload.weights != MemoryLevel::device)
    add("E0313", "local steps with weights outside the device, or an optimizer beyond the host, are not modelled yet",
        "/job/offload", "use \"offload\": {\"optimizer\": \"host\"}, or \"local_steps\": 1");
  if (plan.schedule == PipelineSchedule::dualpipe || s.job.parallel.schedule == PipelineSchedule::dualpipe)
    add("E0313", "local steps under dualpipe are not modelled yet", "/job/parallel/schedule",
        "use \"schedule\": \"1f1b\"");
}

}  // namespace

void set_sharding(const Scenario& s, Sharding sharding, int group, Plan& plan) {
  plan.sharding = sharding;
  plan.grouped = false;
  plan.local_steps = 1;
  plan.shard_group = sharding == Sharding::hsdp ? group : plan.gradient_ranks();
  if (s.job.local_steps == 1) return group_by_site(s, plan);
  const int groups = local_groups(s, plan);
  if (groups < 2 || plan.data % groups != 0) return;
  plan.local_steps = s.job.local_steps;
  plan.grouped = true;
  if (sharding != Sharding::hsdp) plan.shard_group = plan.gradient_ranks() / groups;
}

std::vector<Contradiction> site_contradictions(const Scenario& s, const Plan& plan) {
  std::vector<Contradiction> errors;
  if (s.job.local_steps > 1) check_local(s, plan, errors);
  if (site_count(s.cluster) == 1) return errors;
  const SiteCrossing crossing = site_crossing(plan, s.cluster);
  if (s.job.parallel.across_sites) check_across(plan, *s.job.parallel.across_sites, crossing, errors);
  if (s.job.site_reduction == SiteReduction::hierarchical && errors.empty()) check_reduction(plan, crossing, errors);
  return errors;
}

}  // namespace clusterwright
