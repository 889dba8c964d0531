// SPDX-License-Identifier: Apache-2.0
#include "models/job/uniform_scenario.hpp"

#include <stdexcept>

#include "topology/cluster/uniform_cluster.hpp"

namespace clusterwright {

Scenario uniform_scenario(const Scenario& s, int kind) {
  Scenario out;
  out.cluster = uniform_cluster(s.cluster, kind);
  out.transformer = s.transformer;
  out.job = s.job;
  out.stack = s.stack;
  out.stack_changed = s.stack_changed;
  out.steps = s.steps;
  out.prices = s.prices;
  out.catalog = s.catalog;
  if (kind > static_cast<int>(s.by_kind.size())) throw std::invalid_argument("a kind of nodes without parameters");
  out.parameters = kind == 0 ? s.parameters : s.by_kind[static_cast<std::size_t>(kind - 1)].parameters;
  out.like = kind == 0 ? s.like : s.by_kind[static_cast<std::size_t>(kind - 1)].like;
  return out;
}

std::vector<Scenario> uniform_scenarios(const Scenario& s) {
  std::vector<Scenario> out;
  for (int kind = 0; kind < s.cluster.kinds(); ++kind) out.push_back(uniform_scenario(s, kind));
  return out;
}

}  // namespace clusterwright
