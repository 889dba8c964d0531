// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

/// Far beyond any machine, and far from overflow in sums and products.
constexpr double most_endpoints = 1 << 24;
constexpr double most_ports = 1 << 12;
constexpr double most_groups = 1 << 16;

FieldRule count_rule(const char* help, double max = most_ports) {
  return {.help = help, .min = 1, .max = max};
}

}  // namespace

const Record<TierSpec>& record(const TierSpec*) {
  static const auto table =
      Record<TierSpec>("tier", "One level of switches of a fat tree")
          .required("name", &TierSpec::name, {.help = "such as leaf, pod, core"})
          .optional("accelerators", &TierSpec::accelerators,
                    {.help = "below one full group of this tier; 0: as many as its switch allows",
                     .min = 0,
                     .max = most_endpoints})
          .optional(
              "taper", &TierSpec::taper,
              {.help = "capacity that arrives from below over capacity up; 1 is non-blocking", .min = 1, .max = 1000})
          .optional("switch", &TierSpec::switch_part,
                    {.help = "which part; may be empty where accelerators are given", .catalog = "switches"});
  return table;
}

const Record<DragonflySpec>& record(const DragonflySpec*) {
  using S = DragonflySpec;
  static const auto table =
      Record<S>("dragonfly", "Groups of switches, all joined in a group; groups joined by global links")
          .required("endpoints_per_switch", &S::endpoints_per_switch, count_rule("NIC ports on one switch"))
          .required("switches_per_group", &S::switches_per_group, count_rule("all joined to each other"))
          .required("global_links_per_switch", &S::global_links_per_switch, count_rule("to other groups"))
          .required("groups", &S::groups, count_rule("at most one more than the global links of a group", most_groups));
  return table;
}

const Record<DragonflyPlusSpec>& record(const DragonflyPlusSpec*) {
  using S = DragonflyPlusSpec;
  static const auto table =
      Record<S>("dragonfly_plus", "Groups of leaves and spines; groups joined by global links of their spines")
          .required("endpoints_per_leaf", &S::endpoints_per_leaf, count_rule("NIC ports on one leaf"))
          .required("leaves_per_group", &S::leaves_per_group, count_rule("each joined to every spine of its group"))
          .required("spines_per_group", &S::spines_per_group, count_rule("in one group"))
          .required("global_links_per_spine", &S::global_links_per_spine, count_rule("to other groups"))
          .required("groups", &S::groups, count_rule("at most one more than the global links of a group", most_groups));
  return table;
}

const Record<TorusSpec>& record(const TorusSpec*) {
  static const auto table =
      Record<TorusSpec>("torus", "Every node is a router with two neighbours along each side")
          .required(
              "sides", &TorusSpec::sides,
              {.help = "1 to 3; their product is the number of nodes", .min = 1, .max = most_groups, .max_elements = 3})
          .optional("wrap", &TorusSpec::wrap, {.help = "false: without the links that close each ring"});
  return table;
}

const Record<HyperxSpec>& record(const HyperxSpec*) {
  using S = HyperxSpec;
  static const auto table =
      Record<S>("hyperx", "A grid of switches, all joined to each other along each side")
          .required("sides", &S::sides,
                    {.help = "switches along each dimension", .min = 1, .max = most_ports, .max_elements = 4})
          .optional("links", &S::links,
                    {.help = "parallel cables between two switches, by dimension; 1 each if not given",
                     .min = 1,
                     .max = most_ports,
                     .max_elements = 4})
          .required("endpoints_per_switch", &S::endpoints_per_switch, count_rule("NIC ports on one switch"));
  return table;
}

const Record<SitesSpec>& record(const SitesSpec*) {
  using S = SitesSpec;
  static const auto table =
      Record<S>("sites", "Several places, each with a whole fabric; every site has one link to every other")
          .required("count", &S::count, {.help = "places, with equally many nodes", .min = 2, .max = 4096})
          .required("rate_gbit_per_s", &S::rate,
                    {.help = "of the link between two sites, one direction", .min = 0, .max = 1e9, .above_min = true})
          .required("latency_ms", &S::latency, {.help = "of that link, one way", .min = 0, .max = 1e5});
  return table;
}

const Record<FabricSpec>& record(const FabricSpec*) {
  static const auto table = [] {
    Record<FabricSpec> t("fabric", "The network between the nodes");
    t.optional("kind", &FabricSpec::kind, {.help = "its shape"})
        .optional("transport", &FabricSpec::transport, {.help = "protocol of the network; ethernet is TCP"})
        .optional("tiers", &FabricSpec::tiers,
                  {.help = "of a fat tree, nearest to the nodes first; the last joins everything", .max_elements = 8})
        .optional("rails", &FabricSpec::rails, {.help = "where the NICs of one node meet the leaves of a fat tree"})
        .optional(
            "routing", &FabricSpec::routing,
            {.help = "how traffic is laid on equal paths; spray on InfiniBand, adaptive on dragonflies, else hash "
                     "if not given"})
        .optional("switch", &FabricSpec::switch_part,
                  {.help = "of kinds other than a fat tree: which part; its ports are checked", .catalog = "switches"})
        .optional(
            "link_rate_gbit_per_s", &FabricSpec::link_rate,
            {.help = "of links between switches, one direction; the NIC's if not given", .min = 0.001, .max = 1e6})
        .optional("dragonfly", &FabricSpec::dragonfly, {.help = "its numbers"})
        .optional("dragonfly_plus", &FabricSpec::dragonfly_plus, {.help = "its numbers"})
        .optional("torus", &FabricSpec::torus, {.help = "its numbers"})
        .optional("hyperx", &FabricSpec::hyperx, {.help = "its numbers"})
        .optional("sites", &FabricSpec::sites, {.help = "places far from each other"})
        .optional("hop_latency_us", &FabricSpec::hop_latency,
                  {.help = "of one switch and its cable", .min = 0, .max = 1e6});
    return t;
  }();
  return table;
}

}  // namespace clusterwright
