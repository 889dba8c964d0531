// SPDX-License-Identifier: Apache-2.0
#include "models/plan/mixed_nodes.hpp"

#include <fmt/format.h>

#include "models/job/scenario_source.hpp"
#include "models/job/uniform_scenario.hpp"

namespace clusterwright {

namespace {

const std::vector<std::string> other_nodes = {"/cluster/also"};

/// Blocks of ranks are cut from equal domains, each of one kind.
void check_domains(const Cluster& cluster, std::vector<Contradiction>& out) {
  for (const NodeGroup& group : cluster.groups) {
    if (group.domain != cluster.domain)
      out.push_back({"E0324",
                     fmt::format("a step on nodes whose scale-up domains differ in size is not modelled yet ({} has {} "
                                 "accelerators, {} has {})",
                                 cluster.accelerator.id, cluster.domain, group.accelerator.id, group.domain),
                     other_nodes, "give all nodes the same \"scale_up_domain\""});
    else if (group.accelerators() % cluster.domain != 0)
      out.push_back(
          {"E0324",
           fmt::format("a scale-up domain of {} accelerators with nodes of two kinds is not modelled yet (got "
                       "{} of {})",
                       cluster.domain, group.accelerators(), group.accelerator.id),
           other_nodes, "give each kind a multiple of the domain"});
  }
}

/// Blocks and places are made for a machine of one kind.
void check_places(const Scenario& s, std::vector<Contradiction>& out) {
  if (s.job.placement)
    out.push_back({"E0324",
                   "a placement on nodes of several kinds is not modelled yet",
                   {"/job/placement", "/cluster/also"},
                   "leave \"placement\" out: ranks fill the nodes in order"});
  if (s.job.accelerators_per_domain && *s.job.accelerators_per_domain != s.cluster.domain)
    out.push_back({"E0324",
                   "a part of each domain on nodes of several kinds is not modelled yet",
                   {"/job/accelerators_per_domain", "/cluster/also"},
                   "leave \"accelerators_per_domain\" out"});
}

}  // namespace

std::vector<Contradiction> check_mixed_nodes(const Scenario& s) {
  std::vector<Contradiction> out;
  if (s.cluster.kinds() == 1) return out;
  check_domains(s.cluster, out);
  check_places(s, out);
  for (int kind = 1; kind < s.cluster.kinds(); ++kind)
    for (Contradiction& found : check_stores(uniform_scenario(s, kind)))
      if (found.code == "E0328") out.push_back(std::move(found));
  return out;
}

void refuse_several_kinds(const Scenario& s, std::string_view what) {
  if (s.cluster.kinds() == 1) return;
  Contradictions errors(s.source);
  errors.report("E0324", fmt::format("{} on nodes of several kinds is not modelled yet", what), other_nodes,
                "describe one kind of nodes and leave out \"also\"");
  errors.finish();
}

}  // namespace clusterwright
