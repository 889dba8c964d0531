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

const FieldRule open_groups = {
    .help = "number of groups, at most one more than the global links of a group; 0: as many as the nodes need",
    .min = 0,
    .max = most_groups};
const FieldRule pair_links = {.help = "cables between any two groups; 0: as many as the ports for global links allow",
                              .min = 0,
                              .max = most_ports};

}  // namespace

const Record<TierSpec>& record(const TierSpec*) {
  static const auto table =
      Record<TierSpec>("tier", "One level of switches of a fat tree")
          .required("name", &TierSpec::name, {.help = "name of the tier, such as leaf, pod or core"})
          .optional("accelerators", &TierSpec::accelerators,
                    {.help = "accelerators below one full group of this tier; 0: as many as its switch allows",
                     .min = 0,
                     .max = most_endpoints})
          .optional(
              "taper", &TierSpec::taper,
              {.help = "capacity from below over capacity up; 1 is non-blocking, less is more capacity up than down",
               .min = 0.1,
               .max = 1000})
          .optional(
              "switch", &TierSpec::switch_part,
              {.help = "catalog entry of the switch; may be empty if `accelerators` is given", .catalog = "switches"});
  return table;
}

const Record<DragonflySpec>& record(const DragonflySpec*) {
  using S = DragonflySpec;
  static const auto table =
      Record<S>(
          "dragonfly",
          "Groups of switches; every switch is joined to all others of its group, and global links join the groups")
          .required("endpoints_per_switch", &S::endpoints_per_switch, count_rule("NIC ports on one switch"))
          .required("switches_per_group", &S::switches_per_group,
                    count_rule("switches in one group, each joined to every other"))
          .required("global_links_per_switch", &S::global_links_per_switch,
                    count_rule("links of one switch to other groups"))
          .optional("groups", &S::groups, open_groups)
          .optional("links_per_group_pair", &S::links_per_group_pair, pair_links);
  return table;
}

const Record<DragonflyPlusSpec>& record(const DragonflyPlusSpec*) {
  using S = DragonflyPlusSpec;
  static const auto table =
      Record<S>("dragonfly_plus", "Groups of leaves and spines; global links of the spines join the groups")
          .required("endpoints_per_leaf", &S::endpoints_per_leaf, count_rule("NIC ports on one leaf"))
          .required("leaves_per_group", &S::leaves_per_group,
                    count_rule("leaves in one group, each joined to every spine of the group"))
          .required("spines_per_group", &S::spines_per_group, count_rule("spines in one group"))
          .required("global_links_per_spine", &S::global_links_per_spine,
                    count_rule("links of one spine to other groups"))
          .optional("groups", &S::groups, open_groups)
          .optional("links_per_group_pair", &S::links_per_group_pair, pair_links);
  return table;
}

const Record<TorusSpec>& record(const TorusSpec*) {
  static const auto table =
      Record<TorusSpec>("torus", "A grid in which every node is a router with two neighbours along each side")
          .required("sides", &TorusSpec::sides,
                    {.help = "number of nodes along each of 1 to 3 sides; their product is the number of nodes",
                     .min = 1,
                     .max = most_groups,
                     .max_elements = 3})
          .optional("wrap", &TorusSpec::wrap, {.help = "whether links close the ring along each side"});
  return table;
}

const Record<HyperxSpec>& record(const HyperxSpec*) {
  using S = HyperxSpec;
  static const auto table =
      Record<S>("hyperx", "A grid of switches; every switch is joined to all others along each dimension")
          .required("sides", &S::sides,
                    {.help = "number of switches along each dimension", .min = 1, .max = most_ports, .max_elements = 4})
          .optional("links", &S::links,
                    {.help = "number of parallel cables between two switches, by dimension; 1 if not given",
                     .min = 1,
                     .max = most_ports,
                     .max_elements = 4})
          .required("endpoints_per_switch", &S::endpoints_per_switch, count_rule("NIC ports on one switch"));
  return table;
}

const Record<SitesSpec>& record(const SitesSpec*) {
  using S = SitesSpec;
  static const auto table =
      Record<S>("sites", "Several sites, each with a complete fabric; every two sites are joined by one link")
          .required("count", &S::count,
                    {.help = "number of sites, with equally many nodes each", .min = 2, .max = 4096})
          .required("rate_gbit_per_s", &S::rate,
                    {.help = "rate of the link between two sites, one direction", .min = 0, .above_min = true})
          .required("latency_ms", &S::latency,
                    {.help = "latency of the link between two sites, one way", .min = 0, .max = 1e5});
  return table;
}

const Record<TailSpec>& record(const TailSpec*) {
  using S = TailSpec;
  static const auto table =
      Record<S>("tail", "Times that flows between nodes take by chance, over their median")
          .required("p99", &S::p99, {.help = "time that 1 in 100 flows exceeds, over the median", .min = 1, .max = 40})
          .optional("p999", &S::p999,
                    {.help = "time that 1 in 1,000 flows exceeds, over the median: at least p99, less than nine times "
                             "p99; if not given, the tail goes on as it begins",
                     .min = 1,
                     .max = 360});
  return table;
}

const Record<FabricSpec>& record(const FabricSpec*) {
  static const auto table = [] {
    Record<FabricSpec> t("fabric", "The network that joins the nodes");
    t.optional("kind", &FabricSpec::kind, {.help = "topology of the network"})
        .optional("transport", &FabricSpec::transport, {.help = "network protocol; ethernet means TCP"})
        .optional("tiers", &FabricSpec::tiers,
                  {.help = "tiers of a fat tree, nearest to the nodes first; the last one joins everything; if not "
                           "given, the smallest tree that joins the nodes",
                   .max_elements = 8})
        .optional("rails", &FabricSpec::rails, {.help = "how the NICs of one node attach to the leaves of a fat tree"})
        .optional("routing", &FabricSpec::routing,
                  {.help = "how traffic is spread over equal paths; if not given, evenly, and adaptive on dragonflies; "
                           "fat trees have no detours, so there adaptive and valiant spread evenly"})
        .optional("queue_pairs", &FabricSpec::queue_pairs,
                  {.help = "queue pairs (flows) of a pair of NICs; where paths are hashed, each has its own path",
                   .min = 1,
                   .max = 1024})
        .optional("routing_seed", &FabricSpec::routing_seed,
                  {.help = "seed of the paths that hashed flows take", .min = 0, .max = 2147483647})
        .optional(
            "file_servers", &FabricSpec::file_servers,
            {.help = "servers of the shared file system on this network, each at the place of one more node, with "
                     "its NICs; 0: hosts reach the file system over links of its own",
             .min = 0,
             .max = 65536})
        .optional("faults", &FabricSpec::faults,
                  {.help = "broken and slow parts: \"leaf:3\", \"leaf:0-spine:1\", \"node:5.3\" (NIC 3 of node 5); "
                           "\"=0.5\" at the end leaves half of the rate",
                   .max_elements = 4096})
        .optional(
            "switch", &FabricSpec::switch_part,
            {.help = "switch of a topology that is not a fat tree, whose number of ports is checked; of a fat tree "
                     "without tiers, the switch that it is made of: the cheapest one that suits the NICs if not "
                     "given",
             .catalog = "switches"})
        .optional("taper", &FabricSpec::taper,
                  {.help = "capacity from below over capacity up of the leaves of a fat tree without tiers",
                   .min = 0.1,
                   .max = 1000})
        .optional("link_rate_gbit_per_s", &FabricSpec::link_rate,
                  {.help = "rate of a link between switches, one direction; the NIC's if not given",
                   .min = 0.001,
                   .max = 1e6})
        .optional("dragonfly", &FabricSpec::dragonfly, {.help = "dimensions of a dragonfly"})
        .optional("dragonfly_plus", &FabricSpec::dragonfly_plus, {.help = "dimensions of a dragonfly+"})
        .optional("torus", &FabricSpec::torus, {.help = "dimensions of a torus"})
        .optional("hyperx", &FabricSpec::hyperx, {.help = "dimensions of a HyperX"})
        .optional("sites", &FabricSpec::sites, {.help = "several sites, far from each other"})
        .optional("tail", &FabricSpec::tail,
                  {.help = "how far flows between nodes differ by chance; collectives wait for their slowest flow; if "
                           "not given, all flows take the mean time"})
        .optional(
            "hop_latency_us", &FabricSpec::hop_latency,
            {.help = "latency of one switch and its cable; if not given, that of the slowest named switch with 10 m of "
                     "fibre, else 0.25 us on InfiniBand and 0.65 us elsewhere",
             .min = 0,
             .max = 1e6});
    return t;
  }();
  return table;
}

}  // namespace clusterwright
