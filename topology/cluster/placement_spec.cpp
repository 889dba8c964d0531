// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/placement_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "sim/split_mix.hpp"

namespace clusterwright {

const Record<PlacementSpec>& record(const PlacementSpec*) {
  using P = PlacementSpec;
  static const auto table =
      Record<P>("placement", "Nodes of a machine that a job runs on")
          .optional(
              "order", &P::order,
              {.help = "packed: the first nodes; scattered: one of each leaf or scalable unit by turns; shuffled: "
                       "drawn from the machine"})
          .optional("machine_nodes", &P::machine_nodes,
                    {.help = "nodes of the whole machine; 0: the job fills it", .min = 0, .max = 1048576})
          .optional("nodes", &P::nodes,
                    {.help = "numbers of the nodes in rank order, from 0, instead of an order; numbers of scale-up "
                             "domains where these hold several nodes",
                     .min = 0,
                     .max = 1048576,
                     .max_elements = 131072})
          .optional("seed", &P::seed, {.help = "random seed of a shuffled placement", .min = 0, .max = 1e9});
  return table;
}

namespace {

[[noreturn]] void refuse_placement(std::string what, std::string help) {
  throw ConfigError({"E0335", std::move(what), {}, "", std::move(help)});
}

std::vector<int> given_domains(const std::vector<int>& given, int job, int machine) {
  if (static_cast<int>(given.size()) < job)
    refuse_placement(fmt::format("the placement has {} nodes, the job fills {}", given.size(), job),
                     "name one for each node of the job, in rank order");
  std::set<int> seen;
  for (const int domain : given) {
    if (domain >= machine)
      refuse_placement(fmt::format("the placement names node {}, the machine has {}", domain, machine),
                       "nodes are numbered from 0; machine_nodes makes the machine larger than the job");
    if (!seen.insert(domain).second)
      refuse_placement(fmt::format("the placement names node {} twice", domain), "name each node once");
  }
  return {given.begin(), given.begin() + job};
}

std::vector<int> scattered_domains(int machine, int per_group) {
  std::vector<int> out;
  for (int place = 0; place < per_group; ++place)
    for (int first = 0; first < machine; first += per_group)
      if (first + place < machine) out.push_back(first + place);
  return out;
}

std::vector<int> shuffled_domains(int machine, int seed) {
  std::vector<int> out(static_cast<std::size_t>(machine));
  std::iota(out.begin(), out.end(), 0);
  SplitMix draws(static_cast<std::uint64_t>(seed));
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[draws.below(i)]);
  return out;
}

}  // namespace

std::vector<int> place_domains(const PlacementSpec& spec, int job, int machine, int per_group) {
  if (machine < job)
    refuse_placement(fmt::format("the machine has {} nodes, the job fills {}", machine, job),
                     "let machine_nodes count the nodes of the job too");
  if (!spec.nodes.empty()) return given_domains(spec.nodes, job, machine);
  std::vector<int> out(static_cast<std::size_t>(machine));
  std::iota(out.begin(), out.end(), 0);
  if (spec.order == PlacementOrder::scattered) out = scattered_domains(machine, std::min(machine, per_group));
  if (spec.order == PlacementOrder::shuffled) out = shuffled_domains(machine, spec.seed);
  out.resize(static_cast<std::size_t>(job));
  return out;
}

}  // namespace clusterwright
