#include <fmt/format.h>

#include <algorithm>

#include "models/site/audit/claim_checks.hpp"

namespace clusterwright {

namespace {

/// "TP 8 x PP 5 = 40: 30 replicas"
std::string layout_words(const LayoutUse& use, int pipeline) {
  const int replica = use.tensor * pipeline * use.context;
  const std::string context = use.context > 1 ? fmt::format(" x CP {}", use.context) : std::string();
  return fmt::format("TP {} x PP {}{} = {}: {} replicas", use.tensor, pipeline, context, replica,
                     use.accelerators / replica);
}

}  // namespace

ClaimFinding check_accelerators(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::accelerators);
  const int node = c.scenario.cluster.node_accelerators;
  const int in_racks = c.site.racks * c.site.nodes_per_rack * node;
  conclude(finding, c, in_racks, ClaimSense::equal);
  finding.arithmetic = fmt::format("{} racks x {} nodes x {} = {}; {} nodes described", c.site.racks,
                                   c.site.nodes_per_rack, node, in_racks, c.site.nodes);
  finding.remedy = fmt::format("{} racks for {} nodes, {} in each",
                               (c.site.nodes + c.site.nodes_per_rack - 1) / c.site.nodes_per_rack, c.site.nodes,
                               c.site.nodes_per_rack);
  return finding;
}

ClaimFinding check_layout(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::layout);
  const LayoutUse& use = c.layout;
  conclude(finding, use.idle() == 0 ? "all used" : fmt::format("{} idle", use.idle()), use.idle() == 0);
  if (use.idle() == 0) {
    finding.arithmetic = layout_words(use, use.pipeline) + ", none idle";
    return finding;
  }
  finding.arithmetic =
      fmt::format("{} / ({} x {}{}) = {:.4g} replicas: {} used, {} accelerators idle", use.accelerators, use.tensor,
                  use.pipeline, use.context > 1 ? fmt::format(" x {}", use.context) : "",
                  1.0 * use.accelerators / use.replica(), use.replicas, use.idle());
  const std::vector<int> whole = whole_pipelines(use, c.scenario.transformer.layers);
  if (whole.empty()) return finding;
  finding.remedy = layout_words(use, whole.front()) + ", none idle";
  finding.arithmetic += "; " + finding.remedy;
  return finding;
}

}  // namespace clusterwright
