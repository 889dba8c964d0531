// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fat_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace clusterwright {

namespace {

/// Tolerance for quotients that are whole except for the last bit.
constexpr double rounding = 1e-9;
/// Cables between switches, with their modules, that cost as much as a switch: $1,250 of modules and $95 of fibre to
/// $43,000 on NDR, $800 to $20,000 on HDR (configs/parts).
constexpr double cables_of_a_switch = 32;
/// Most cables of a trunk between switches that are not known; beyond, each is faster.
constexpr double most_trunk_cables = 1 << 20;
/// Most accelerators below a tier that is left open: more could not be numbered.
constexpr int most_accelerators = 1 << 30;

long long ceil_div(long long a, long long b) {
  return (a + b - 1) / b;
}

/// Cables that one rail of a group receives from the tier below.
struct Arriving {
  long long children = 0;  ///< rails of groups below
  int positions = 1;       ///< switches in each of them
  int uplinks = 1;         ///< of each switch
};

struct Spread {
  int planes = 0;
  int per_plane = 0;
};

/// Fewest switches over which the cables spread evenly; of equal counts the one with the fewest planes, where the
/// loss of a switch costs every switch below the least. Nothing fits: {0, 0}.
Spread least_spread(const Arriving& from, int down_ports) {
  Spread best;
  for (int planes = 1; planes <= from.positions; ++planes) {
    if (from.positions % planes != 0) continue;
    const long long cables = from.children * (from.positions / planes) * from.uplinks;
    long long per_plane = ceil_div(cables, down_ports);
    while (per_plane <= from.uplinks && from.uplinks % per_plane != 0) ++per_plane;
    if (per_plane > from.uplinks) continue;
    if (best.planes == 0 || planes * per_plane < static_cast<long long>(best.planes) * best.per_plane)
      best = {planes, static_cast<int>(per_plane)};
  }
  return best;
}

class FatTreeSizer {
 public:
  FatTreeSizer(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports)
      : spec_(spec), size_(size), ports_(ports), rails_(std::max(1, size.nics_per_node)) {
    while (tiers_.size() < spec.tiers.size())
      if (!add_tier(tiers_.size())) return;
    complete_ = true;
  }

  bool complete() const { return complete_; }
  std::vector<FatTreeTier>& tiers() { return tiers_; }
  std::vector<FabricError>& errors() { return errors_; }

 private:
  bool is_top(std::size_t t) const { return t + 1 == spec_.tiers.size(); }
  BytesPerSecond link_rate(std::size_t t) const { return uplink_rate(spec_, size_, ports_, t); }

  bool add_tier(std::size_t t) {
    FatTreeTier tier;
    tier.name = spec_.tiers[t].name;
    tier.ports = t < ports_.tiers.size() ? ports_.tiers[t] : 0;
    tier.rails = spec_.rails == RailLayout::shared || (is_top(t) && spec_.rails == RailLayout::joined) ? 1 : rails_;
    if (spec_.tiers[t].accelerators % size_.accelerators_per_node != 0) return false;  // reported as not nesting
    tier.nodes = spec_.tiers[t].accelerators / size_.accelerators_per_node;
    if (spec_.tiers[t].accelerators == 0 && tier.ports == 0) return unknown_size(t);
    const int down = tier.ports == 0 ? 0 : most_down(t, tier.ports);
    if (tier.ports > 0 && down < 1) return no_way_up(t, tier.ports);
    if (!(t == 0 ? size_leaf(tier, down) : size_upper(t, tier, down))) return false;
    if (!is_top(t)) add_uplinks(t, tier);
    tiers_.push_back(std::move(tier));
    return true;
  }

  /// Cables up over cables down of a non-blocking switch.
  double rate_ratio(std::size_t t) const {
    const BytesPerSecond arriving = t == 0 ? size_.nic_rate : tiers_[t - 1].uplink_rate;
    return link_rate(t) > BytesPerSecond{} ? arriving / link_rate(t) : 1;
  }

  int most_down(std::size_t t, int ports) const {
    if (is_top(t)) return ports;
    const double taper = spec_.tiers[t].taper / rate_ratio(t);
    return std::min(ports - 1, static_cast<int>(std::floor(ports * taper / (1 + taper) + rounding)));
  }

  bool size_leaf(FatTreeTier& tier, int down) {
    const long long ends = tier.rails == 1 ? rails_ : 1;  // NICs of one node on one leaf
    if (spec_.tiers[0].accelerators == 0) tier.nodes = static_cast<int>(down / ends);
    const bool fits = down == 0 || (tier.nodes > 0 && tier.nodes * ends <= down);
    if (!fits) return too_few_ports(0, std::max(1, tier.nodes) * ends, down, "NICs");
    if (tier.nodes < 1) return false;  // less than a node: reported as tiers that do not nest
    tier.down_ports = static_cast<int>(tier.nodes * ends);
    return true;
  }

  bool size_upper(std::size_t t, FatTreeTier& tier, int down) {
    const FatTreeTier& below = tiers_.back();
    const int joined = below.rails / tier.rails;  // rails below that meet in one here
    int groups = tier.nodes / below.nodes;
    if (spec_.tiers[t].accelerators == 0) {
      groups = down / joined;
      if (groups < 1) return too_few_ports(t, joined, down, "rails");
      groups = std::max(1, std::min(groups, most_accelerators / size_.accelerators_per_node / below.nodes));
      tier.nodes = groups * below.nodes;
      // A top tier left open is built only for the leaves that exist.
      if (is_top(t)) groups = static_cast<int>(ceil_div(size_.nodes, below.nodes));
    }
    if (groups < 1 || tier.nodes % below.nodes != 0) return false;  // reported as tiers that do not nest
    const Arriving from{static_cast<long long>(groups) * joined, below.switches(), below.uplinks};
    const Spread spread = down == 0 ? Spread{1, 1} : least_spread(from, down);
    if (spread.planes == 0) return too_few_ports(t, from.children, down, "groups below");
    tier.planes = spread.planes;
    tier.per_plane = spread.per_plane;
    tier.down_ports = static_cast<int>(std::min<long long>(
        from.children * (from.positions / spread.planes) * (from.uplinks / spread.per_plane), 1 << 30));
    return true;
  }

  void add_uplinks(std::size_t t, FatTreeTier& tier) {
    taper_ *= spec_.tiers[t].taper;
    const BytesPerSecond sent = tier.nodes * size_.accelerators_per_node * size_.per_accelerator();
    if (tier.ports == 0) {
      tier.uplink_capacity = sent / taper_;
      const double cables = tier.uplink_capacity / tier.rails / link_rate(t);  // not a number without a network
      tier.uplinks = cables > 1 ? static_cast<int>(std::min(cables + rounding, most_trunk_cables)) : 1;
      tier.uplink_rate = tier.uplink_capacity / tier.rails / tier.uplinks;
      tier.tapered = taper_ > 1;
      return;
    }
    tier.uplinks =
        std::max(1, static_cast<int>(std::ceil(tier.down_ports * rate_ratio(t) / spec_.tiers[t].taper - rounding)));
    tier.uplink_rate = link_rate(t);
    const double cables = static_cast<double>(tier.rails) * tier.switches() * tier.uplinks;
    tier.uplink_capacity = cables * link_rate(t);
    tier.tapered = tier.uplink_capacity < (1 - rounding) * sent;
  }

  std::string pointer(std::size_t t, const char* field) const { return fmt::format("/fabric/tiers/{}/{}", t, field); }

  bool unknown_size(std::size_t t) {
    errors_.push_back({"E0317",
                       fmt::format("the size of tier \"{}\" is not known", spec_.tiers[t].name),
                       {fmt::format("/fabric/tiers/{}", t)},
                       "neither accelerators nor a switch is given",
                       "give the \"accelerators\" below one group, or the \"switch\" of the tier"});
    return false;
  }

  bool no_way_up(std::size_t t, int ports) {
    errors_.push_back(
        {"E0318",
         fmt::format("a switch of tier \"{}\" has too few ports for links down and up (got {} ports, taper {})",
                     spec_.tiers[t].name, ports, spec_.tiers[t].taper),
         {pointer(t, "taper"), pointer(t, "switch")},
         "",
         "a tier below the top needs ports down and up"});
    return false;
  }

  bool too_few_ports(std::size_t t, long long needed, int down, const char* what) {
    errors_.push_back(
        {"E0306",
         fmt::format("a switch of tier \"{}\" has too few ports: it needs {} {} (got {} ports down)",
                     spec_.tiers[t].name, needed, what, down),
         {pointer(t, "accelerators"), pointer(t, "switch")},
         "",
         "make the groups of this tier smaller, take a larger switch, add a tier, or let the tiers follow "
         "from the nodes (fabric.tiers=[])"});
    return false;
  }

  const FabricSpec& spec_;
  const NetworkSize& size_;
  const FabricPorts& ports_;
  int rails_;
  double taper_ = 1;
  bool complete_ = false;
  std::vector<FatTreeTier> tiers_;
  std::vector<FabricError> errors_;
};

/// Sizes of middle tiers that are left open: those of the least effort, since a group is built whole even where it is
/// filled in part. Of equal ones the larger group, whose nodes meet lower.
class GroupChooser {
 public:
  GroupChooser(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports)
      : spec_(spec), size_(size), ports_(ports) {}

  /// The tree with its open middle tiers sized; as written where no size works.
  FabricSpec choose() {
    const FabricSpec written = spec_;
    size_tier(1);
    return best_ ? std::move(*best_) : written;
  }

 private:
  bool open(std::size_t t) const {
    return spec_.tiers[t].accelerators == 0 && t < ports_.tiers.size() && ports_.tiers[t] > 0;
  }

  void size_tier(std::size_t t) {
    while (t + 1 < spec_.tiers.size() && !open(t)) ++t;
    if (t + 1 >= spec_.tiers.size()) return weigh();
    const std::vector<FatTreeTier> largest = std::move(FatTreeSizer(spec_, size_, ports_).tiers());
    if (largest.size() <= t) return;  // not even one group: the errors say why
    const int below = largest[t - 1].nodes;
    const int most = std::min<int>(largest[t].nodes / below, static_cast<int>(ceil_div(size_.nodes, below)));
    for (int groups = most; groups >= 1; --groups) {
      spec_.tiers[t].accelerators = groups * below * size_.accelerators_per_node;
      size_tier(t + 1);
    }
    spec_.tiers[t].accelerators = 0;
  }

  void weigh() {
    FatTreeSizer sizer(spec_, size_, ports_);
    if (!sizer.complete() || sizer.tiers().back().nodes < size_.nodes) return;
    const double effort = fat_tree_effort(sizer.tiers(), size_.nodes);
    if (!best_ || effort < least_ * (1 - rounding)) best_ = spec_, least_ = effort;
  }

  FabricSpec spec_;
  const NetworkSize& size_;
  const FabricPorts& ports_;
  std::optional<FabricSpec> best_;
  double least_ = 0;
};

bool has_middle_tiers(const FabricSpec& spec) {
  return spec.tiers.size() > 2;
}

FatTreeSizer sized_tree(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports, FabricSpec& chosen) {
  if (!has_middle_tiers(spec)) return FatTreeSizer(spec, size, ports);
  chosen = GroupChooser(spec, size, ports).choose();
  return FatTreeSizer(chosen, size, ports);
}

}  // namespace

std::vector<FatTreeTier> fat_tree_shape(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  FabricSpec chosen;
  FatTreeSizer sizer = sized_tree(spec, size, ports, chosen);
  if (!sizer.complete()) {
    throw std::invalid_argument(sizer.errors().empty() ? "the tiers of a fat tree must nest"
                                                       : sizer.errors()[0].message);
  }
  return std::move(sizer.tiers());
}

std::vector<FabricError> fat_tree_errors(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  FabricSpec chosen;
  return std::move(sized_tree(spec, size, ports, chosen).errors());
}

std::optional<std::vector<FatTreeTier>> joining_shape(const FabricSpec& spec, const NetworkSize& size,
                                                      const FabricPorts& ports) {
  FabricSpec chosen;
  FatTreeSizer sizer = sized_tree(spec, size, ports, chosen);
  if (!sizer.complete() || sizer.tiers().back().nodes < size.nodes) return {};
  return std::move(sizer.tiers());
}

long long fat_tree_switches(const std::vector<FatTreeTier>& tiers, int nodes) {
  long long sum = 0;
  for (const FatTreeTier& tier : tiers) sum += ceil_div(nodes, tier.nodes) * tier.rails * tier.switches();
  return sum;
}

double fat_tree_effort(const std::vector<FatTreeTier>& tiers, int nodes) {
  double cables = 0;
  for (const FatTreeTier& tier : tiers) cables += static_cast<double>(fat_tree_switches({tier}, nodes)) * tier.uplinks;
  return static_cast<double>(fat_tree_switches(tiers, nodes)) + cables / cables_of_a_switch;
}

void check_fat_tree(FabricCheck& check) {
  if (check.spec.rails == RailLayout::planes && check.size.nics_per_node == 1)
    check.error("E0319", "rail planes need nodes with several NICs (got 1)", {"/fabric/rails", "/node/nics"},
                "use \"joined\": with one NIC there is one rail");
  std::vector<FabricError> sizing = fat_tree_errors(check.spec, check.size, check.ports);
  check.errors.insert(check.errors.end(), std::make_move_iterator(sizing.begin()),
                      std::make_move_iterator(sizing.end()));
}

void add_fat_tree_tiers(SiteTiers& site) {
  int switches = 1;
  for (const FatTreeTier& tier : fat_tree_shape(site.spec, site.size, site.ports)) {
    site.add(tier.name, tier.nodes, tier.uplink_capacity, switches);
    site.tiers.back().tapered = tier.tapered;
    switches += 2;
  }
  site.to_border = static_cast<int>(site.tiers.size());
}

namespace {

/// Switches of a tier are numbered site by site, group by group, rail by rail, plane by plane.
struct BuiltTier {
  FatTreeTier shape;
  int groups = 0;  ///< of one site, those that have nodes
  VertexId first;

  long long per_site() const { return static_cast<long long>(groups) * shape.rails * shape.switches(); }
  VertexId at(int site, int group, int rail) const {
    return first + (site * per_site() + (static_cast<long long>(group) * shape.rails + rail) * shape.switches());
  }
};

class FatTreeBuilder {
 public:
  explicit FatTreeBuilder(NetworkAssembly& assembly) : assembly_(assembly) {
    for (FatTreeTier& shape : fat_tree_shape(assembly.spec, assembly.size, assembly.ports)) {
      const int groups = (assembly.size.nodes + shape.nodes - 1) / shape.nodes;
      tiers_.push_back({std::move(shape), groups, {}});
    }
    if (tiers_.empty() || tiers_.back().groups > 1)
      throw std::invalid_argument("a fat tree must have a top tier that joins all nodes");
  }

  TopSwitches build() {
    assembly_.expect_cables(cables());
    for (BuiltTier& tier : tiers_)
      tier.first = assembly_.add_switches(tier.shape.name, tier.per_site(), tier.shape.ports);
    attach_nodes();
    for (std::size_t t = 1; t < tiers_.size(); ++t) join(tiers_[t - 1], tiers_[t]);
    const BuiltTier& top = tiers_.back();
    const auto count = static_cast<std::uint32_t>(top.per_site());
    return {top.first, count, count, top.shape.rails};
  }

 private:
  long long cables() const {
    long long count = static_cast<long long>(assembly_.size.nodes) * assembly_.size.nics_per_node;
    for (const BuiltTier& tier : tiers_) count += tier.per_site() * tier.shape.uplinks;
    return count;
  }

  void attach_nodes() {
    const BuiltTier& leaf = tiers_[0];
    const std::size_t kind = assembly_.add_kind("node-" + leaf.shape.name, assembly_.size.nic_rate);
    for (int site = 0; site < assembly_.sites; ++site)
      for (int node = 0; node < assembly_.size.nodes; ++node)
        for (int nic = 0; nic < assembly_.size.nics_per_node; ++nic)
          assembly_.connect(assembly_.endpoint(site, node, nic),
                            leaf.at(site, node / leaf.shape.nodes, nic % leaf.shape.rails), kind);
  }

  void join(const BuiltTier& below, const BuiltTier& above) {
    const std::size_t kind = assembly_.add_kind(below.shape.name + "-" + above.shape.name, below.shape.uplink_rate);
    const int groups_in_group = above.shape.nodes / below.shape.nodes;
    for (int site = 0; site < assembly_.sites; ++site)
      for (int group = 0; group < below.groups; ++group)
        for (int rail = 0; rail < below.shape.rails; ++rail)
          join_rail(below, below.at(site, group, rail), above,
                    above.at(site, group / groups_in_group, rail % above.shape.rails), kind);
  }

  void join_rail(const BuiltTier& below, VertexId lower, const BuiltTier& above, VertexId upper, std::size_t kind) {
    const int positions = below.shape.switches();
    const int in_plane = positions / above.shape.planes;
    const int parallel = below.shape.uplinks / above.shape.per_plane;
    for (int position = 0; position < positions; ++position) {
      const int plane = position / in_plane;
      for (int k = 0; k < above.shape.per_plane; ++k)
        assembly_.connect(lower + position, upper + (plane * above.shape.per_plane + k), kind, parallel);
    }
  }

  NetworkAssembly& assembly_;
  std::vector<BuiltTier> tiers_;
};

}  // namespace

TopSwitches build_fat_tree(NetworkAssembly& assembly) {
  return FatTreeBuilder(assembly).build();
}

}  // namespace clusterwright
