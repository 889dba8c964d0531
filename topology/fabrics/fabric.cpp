// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/enum_array.hpp"
#include "topology/fabrics/dragonfly.hpp"
#include "topology/fabrics/dragonfly_plus.hpp"
#include "topology/fabrics/fat_tree.hpp"
#include "topology/fabrics/hyperx.hpp"
#include "topology/fabrics/sites.hpp"
#include "topology/fabrics/torus.hpp"

namespace clusterwright {

namespace {

/// Jobs of one kind: its check, its nested groups, its cables.
struct FabricJobs {
  const char* key;  ///< in a file: where its numbers stand
  void (*check)(FabricCheck&);
  void (*add_tiers)(SiteTiers&);
  TopSwitches (*build)(NetworkAssembly&);
};

constexpr EnumArray<FabricKind, FabricJobs> jobs_of = {{{
    {"tiers", check_fat_tree, add_fat_tree_tiers, build_fat_tree},
    {"dragonfly", check_dragonfly, add_dragonfly_tiers, build_dragonfly},
    {"dragonfly_plus", check_dragonfly_plus, add_dragonfly_plus_tiers, build_dragonfly_plus},
    {"torus", check_torus, add_torus_tiers, build_torus},
    {"hyperx", check_hyperx, add_hyperx_tiers, build_hyperx},
}}};

bool has_numbers(const FabricSpec& spec, FabricKind kind) {
  switch (kind) {
    case FabricKind::dragonfly:
      return spec.dragonfly.has_value();
    case FabricKind::dragonfly_plus:
      return spec.dragonfly_plus.has_value();
    case FabricKind::torus:
      return spec.torus.has_value();
    case FabricKind::hyperx:
      return spec.hyperx.has_value();
    case FabricKind::fat_tree:
      break;
  }
  return !spec.tiers.empty();
}

/// Check that only the numbers of the fabric's own kind are given.
class KeyCheck {
 public:
  KeyCheck(const FabricSpec& spec, std::vector<FabricError>& errors) : spec_(spec), errors_(errors) {}

  void check() {
    for (const FabricKind kind : {FabricKind::fat_tree, FabricKind::dragonfly, FabricKind::dragonfly_plus,
                                  FabricKind::torus, FabricKind::hyperx})
      check(kind);
    if (spec_.kind == FabricKind::fat_tree && !spec_.switch_part.empty())
      error("the tiers of a fat tree name its switches", {"/fabric/switch", "/fabric/kind"},
            "give \"switch\" in each of the \"tiers\"");
  }

 private:
  void check(FabricKind kind) {
    const char* key = jobs_of[kind].key;
    const bool given = has_numbers(spec_, kind);
    if (kind != spec_.kind && given)
      error(fmt::format("\"{}\" does not belong to a fabric of kind \"{}\"", key, enum_name(spec_.kind)),
            {fmt::format("/fabric/{}", key), "/fabric/kind"},
            fmt::format("leave it out, or give \"kind\": \"{}\"", enum_name(kind)));
    // A fat tree without tiers is a missing network, and fine for a single node.
    if (kind == spec_.kind && !given && kind != FabricKind::fat_tree)
      error(fmt::format("a fabric of kind \"{}\" needs its block of sizes", enum_name(kind)),
            {"/fabric/kind", "/fabric"}, fmt::format("give \"{}\"", key));
  }

  void error(std::string message, std::vector<std::string> pointers, std::string help) {
    errors_.push_back({"E0309", std::move(message), std::move(pointers), "", std::move(help)});
  }

  const FabricSpec& spec_;
  std::vector<FabricError>& errors_;
};

}  // namespace

namespace {

/// Groups that hold the nodes of one site. @param slots  with one group
int groups_for(const EndpointSlots& slots, const NetworkSize& one_site) {
  const long long nodes = std::max(1LL, slots.nodes_per_group(std::max(1, one_site.nics_per_node)));
  return static_cast<int>((one_site.nodes + nodes - 1) / nodes);
}

/// Fabric with as many groups as its nodes need, where they are left open.
FabricSpec with_groups(FabricSpec spec, const NetworkSize& one_site) {
  if (spec.kind == FabricKind::dragonfly && spec.dragonfly && spec.dragonfly->groups == 0)
    spec.dragonfly->groups = groups_for(dragonfly_slots(spec), one_site);
  if (spec.kind == FabricKind::dragonfly_plus && spec.dragonfly_plus && spec.dragonfly_plus->groups == 0)
    spec.dragonfly_plus->groups = groups_for(dragonfly_plus_slots(spec), one_site);
  return spec;
}

}  // namespace

namespace {

/// Several sites would share servers out as they share nodes, and places on a torus are those of its accelerators.
bool check_file_servers(const FabricSpec& spec, std::vector<FabricError>& errors) {
  const auto refuse = [&](const char* why, const char* pointer) {
    errors.push_back({"E0338",
                      fmt::format("file servers cannot be on this network: {}", why),
                      {"/fabric/file_servers", pointer},
                      "",
                      "let hosts reach the file system over links of its own: file_servers 0"});
  };
  if (spec.file_servers == 0) return true;
  if (spec.sites) refuse("it has several sites", "/fabric/sites");
  if (spec.kind == FabricKind::torus) refuse("every place of a torus is an accelerator's", "/fabric/kind");
  return errors.empty();
}

/// A Pareto law beyond the last quantile has a mean only if it falls fast enough.
void check_tail(const FabricSpec& spec, std::vector<FabricError>& errors) {
  constexpr double most_growth = 9;  // from 1 in 100 to 1 in 1,000
  if (!spec.tail || !spec.tail->p999) return;
  const double p99 = spec.tail->p99, p999 = *spec.tail->p999;
  if (p999 < p99 || p999 > most_growth * p99)
    errors.push_back(
        {"E0348",
         fmt::format("flows exceed {:g} medians once in 100 and {:g} once in 1,000: the latter must be from "
                     "1 to {:g} times the former",
                     p99, p999, most_growth),
         {"/fabric/tail/p999", "/fabric/tail/p99"},
         "",
         "leave out p999: the tail then goes on as it begins"});
}

}  // namespace

std::vector<FabricError> check_fabric(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  std::vector<FabricError> errors;
  KeyCheck(spec, errors).check();
  check_tail(spec, errors);
  if (!errors.empty() || !check_file_servers(spec, errors) || !check_sites(spec, size, errors)) return errors;
  const NetworkSize one_site = site_size(spec, size);
  if (one_site.nics_per_node < 1) return errors;
  const FabricSpec sized = with_groups(spec, one_site);
  FabricCheck check(sized, one_site, ports);
  jobs_of[spec.kind].check(check);
  return std::move(check.errors);
}

EndpointSlots slots_of(const FabricSpec& spec) {
  if (spec.kind == FabricKind::dragonfly) return dragonfly_slots(spec);
  return spec.kind == FabricKind::dragonfly_plus ? dragonfly_plus_slots(spec) : hyperx_slots(spec);
}

FabricTiers make_fabric_tiers(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  const NetworkSize one_site = site_size(spec, size);
  const FabricSpec sized = with_groups(spec, one_site);
  SiteTiers site(sized, one_site, ports);
  if (spec.kind == FabricKind::fat_tree || one_site.nics_per_node > 0) jobs_of[spec.kind].add_tiers(site);
  if (spec.sites && !site.tiers.empty()) join_sites(site);
  return FabricTiers(std::move(site.tiers), spec.hop_latency.value);
}

Network build_network(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  const FabricSpec sized = with_groups(spec, site_size(spec, size));
  NetworkAssembly assembly(sized, size, ports);
  const TopSwitches tops = jobs_of[spec.kind].build(assembly);
  if (spec.sites) build_sites(assembly, tops);
  assembly.network.graph.finish();
  return std::move(assembly.network);
}

}  // namespace clusterwright
