// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/layout_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/search/choose_plan.hpp"

namespace clusterwright {

namespace {

constexpr double adam_state_bytes = 12;  // three 32-bit numbers per parameter

double gb(Bytes bytes) {
  return bytes.in(gigabyte);
}

/// Ranks that one copy of the weights is divided over.
int weight_ranks(const Plan& plan) {
  const int shards = shards_weights(plan.sharding) ? plan.gradient_ranks() : 1;
  return plan.tensor * plan.pipeline * shards;
}

/// "weights 31.4 + gradients 62.7 + ... = 114.7 GB of 85.5"
std::string memory_words(const JobCase& job) {
  const MemoryUse& use = job.step.memory;
  const Bytes rest = use.gathered + use.working + use.logits + use.buffers + use.reserved;
  constexpr std::array<const char*, 3> recomputation = {"no", "selective", "full"};
  return fmt::format(
      "weights {:.1f} + gradients {:.1f} + optimizer {:.1f} + activations {:.1f} + others {:.1f} = {:.1f} of {:.1f} GB "
      "({} recomputation)",
      gb(use.weights), gb(use.gradients), gb(use.optimizer), gb(use.activations), gb(rest), gb(use.total()),
      gb(memory_capacity(job.scenario.cluster.accelerator)),
      recomputation[static_cast<std::size_t>(job.step.plan.recompute)]);
}

/// Memory of the fullest rank after a change of the plan.
struct Alternative {
  std::string what;
  Bytes memory;
  bool same_layout = true;
};

Bytes memory_of(const Scenario& scenario) {
  return choose_plan(scenario).memory.total();
}

/// Numbers of stages beyond the layout's that leave nothing idle, up to one that fits.
void add_deeper(const JobCase& job, Bytes capacity, std::vector<Alternative>& out) {
  for (const int stages : whole_pipelines(job.layout, job.scenario.transformer.layers)) {
    if (stages <= job.layout.pipeline) continue;
    Scenario deeper = job.scenario;
    deeper.job.parallel.pipeline = stages;
    deeper.job.parallel.virtual_pipeline.reset();
    deeper.job.parallel.data.reset();
    const Bytes memory = memory_of(used_part(deeper, layout_use(deeper, {})).scenario);
    out.push_back({fmt::format("PP {}", stages), memory, false});
    if (memory <= capacity) return;
  }
}

std::vector<Alternative> alternatives(const JobCase& job, Bytes capacity) {
  constexpr double two_bytes = 2;  // of a 16-bit gradient
  std::vector<Alternative> out;
  Scenario changed = job.used.scenario;
  if (changed.job.sharding == Sharding::none) {
    changed.job.sharding = Sharding::zero1;
    out.push_back({"sharded optimizer", memory_of(changed)});
  }
  if (changed.stack.gradient_size.value > two_bytes) {
    changed.stack.gradient_size.value = two_bytes;
    out.push_back({"16-bit gradients", memory_of(changed)});
  }
  add_deeper(job, capacity, out);
  return out;
}

/// "TP 8 x PP 5 = 40: 30 replicas"
std::string layout_words(const LayoutUse& use, int pipeline) {
  const int replica = use.tensor * pipeline * use.context;
  const std::string context = use.context > 1 ? fmt::format(" x CP {}", use.context) : std::string();
  return fmt::format("TP {} x PP {}{} = {}: {} replicas", use.tensor, pipeline, context, replica,
                     use.accelerators / replica);
}

}  // namespace

ClaimFinding check_weights(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::weights_gb_per_accelerator);
  const Plan& plan = job.step.plan;
  const double fullest = gb(job.step.memory.weights);
  conclude(finding, audit.blueprint, fullest, ClaimSense::equal);
  const double billions = job.parameters / 1e9;
  const double each = element_size(Precision::bf16);
  finding.arithmetic = fmt::format("{:.1f}e9 parameters x {:g} B / {} = {:.2f} GB; the fullest rank has {:.2f} GB",
                                   billions, each, weight_ranks(plan), billions * each / weight_ranks(plan), fullest);
  if (!finding.stated) return finding;
  const double stated = std::get<double>(*finding.stated);
  if (finding.holds != Holds::yes)
    finding.arithmetic +=
        fmt::format("; {:g} GB would be a model of {:.0f}e9 parameters, or one copy over {:.0f} accelerators", stated,
                    stated * weight_ranks(plan) / each, billions * each / stated);
  const double states = adam_state_bytes * billions / audit.cluster.spec.accelerators;
  if (finding.holds != Holds::yes && near_stated(audit.blueprint, finding.claim, states, ClaimSense::equal))
    finding.arithmetic +=
        fmt::format("; the optimizer state sharded over all accelerators is {:.1f} GB: {:g} B x {:.1f}e9 / {}", states,
                    adam_state_bytes, billions, audit.cluster.spec.accelerators);
  finding.remedy = fmt::format("claim {:.1f} GB of weights", fullest);
  return finding;
}

ClaimFinding check_fits(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::fits);
  const Bytes capacity = memory_capacity(audit.cluster.accelerator);
  finding.arithmetic = memory_words(job);
  bool conditional = false;
  if (!job.step.fits)
    for (const Alternative& other : alternatives(job, capacity)) {
      const bool enough = other.memory <= capacity;
      conditional = conditional || (enough && other.same_layout);
      finding.arithmetic += fmt::format("; {}: {:.1f} GB{}", other.what, gb(other.memory), enough ? ", fits" : "");
      if (enough && finding.remedy.empty()) finding.remedy = fmt::format("{} fits", other.what);
    }
  conclude(finding, fmt::format("{:.1f} of {:.1f} GB", gb(job.step.memory.total()), gb(capacity)), job.step.fits,
           conditional);
  return finding;
}

ClaimFinding check_accelerators(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::accelerators);
  const int node = audit.cluster.node_accelerators;
  const int in_racks = audit.site.racks * audit.site.nodes_per_rack * node;
  conclude(finding, audit.blueprint, in_racks, ClaimSense::equal);
  finding.arithmetic = fmt::format("{} racks x {} nodes x {} = {}; {} nodes described", audit.site.racks,
                                   audit.site.nodes_per_rack, node, in_racks, audit.site.nodes);
  finding.remedy = fmt::format("{} racks for {} nodes, {} per rack",
                               (audit.site.nodes + audit.site.nodes_per_rack - 1) / audit.site.nodes_per_rack,
                               audit.site.nodes, audit.site.nodes_per_rack);
  return finding;
}

ClaimFinding check_layout(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::layout);
  const LayoutUse& use = job.layout;
  conclude(finding, use.idle() == 0 ? "all used" : fmt::format("{} idle", use.idle()), use.idle() == 0);
  if (use.idle() == 0) {
    finding.arithmetic = layout_words(use, use.pipeline) + ", none idle";
    return finding;
  }
  finding.arithmetic =
      fmt::format("{} / ({} x {}{}) = {:.4g} replicas: {} used, {} accelerators idle", use.accelerators, use.tensor,
                  use.pipeline, use.context > 1 ? fmt::format(" x {}", use.context) : "",
                  1.0 * use.accelerators / use.replica(), use.replicas, use.idle());
  const std::vector<int> whole = whole_pipelines(use, job.scenario.transformer.layers);
  if (whole.empty()) return finding;
  finding.remedy = layout_words(use, whole.front()) + ", none idle";
  finding.arithmetic += "; " + finding.remedy;
  return finding;
}

}  // namespace clusterwright
