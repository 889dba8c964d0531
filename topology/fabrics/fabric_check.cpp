#include "topology/fabrics/fabric_check.hpp"

#include <fmt/format.h>

#include <iterator>

#include "topology/fabrics/endpoint_slots.hpp"
#include "topology/fabrics/fat_tree.hpp"
#include "topology/fabrics/hyperx.hpp"
#include "topology/fabrics/torus.hpp"

namespace clusterwright {

namespace {

/// The numbers of each kind stand under its name.
struct Block {
  FabricKind kind;
  const char* key;
  bool given;
};

class FabricChecker {
 public:
  FabricChecker(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports)
      : spec_(spec), size_(size), ports_(ports) {}

  std::vector<FabricError> check() && {
    check_blocks();
    if (!errors_.empty() || !check_sites()) return std::move(errors_);
    size_ = site_size(spec_, size_);
    if (size_.nics_per_node < 1) return std::move(errors_);
    switch (spec_.kind) {
      case FabricKind::fat_tree:
        check_fat_tree();
        break;
      case FabricKind::dragonfly:
        check_dragonfly();
        break;
      case FabricKind::dragonfly_plus:
        check_dragonfly_plus();
        break;
      case FabricKind::torus:
        check_torus();
        break;
      case FabricKind::hyperx:
        check_hyperx();
        break;
    }
    return std::move(errors_);
  }

 private:
  void error(std::string code, std::string message, std::vector<std::string> pointers, std::string help = {}) {
    errors_.push_back({std::move(code), std::move(message), std::move(pointers), "", std::move(help)});
  }

  void check_blocks() {
    const Block blocks[] = {{FabricKind::fat_tree, "tiers", !spec_.tiers.empty()},
                            {FabricKind::dragonfly, "dragonfly", spec_.dragonfly.has_value()},
                            {FabricKind::dragonfly_plus, "dragonfly_plus", spec_.dragonfly_plus.has_value()},
                            {FabricKind::torus, "torus", spec_.torus.has_value()},
                            {FabricKind::hyperx, "hyperx", spec_.hyperx.has_value()}};
    const std::string_view kind = fabric_kind_names[static_cast<std::size_t>(spec_.kind)];
    for (const Block& block : blocks) {
      if (block.kind != spec_.kind && block.given)
        error("E0309", fmt::format("\"{}\" does not belong to a fabric of kind \"{}\"", block.key, kind),
              {fmt::format("/fabric/{}", block.key), "/fabric/kind"},
              fmt::format("leave it out, or give \"kind\": \"{}\"", fabric_kind_names[static_cast<int>(block.kind)]));
      // A fat tree without tiers is a missing network, and fine for a single node.
      if (block.kind == spec_.kind && !block.given && block.kind != FabricKind::fat_tree)
        error("E0309", fmt::format("a fabric of kind \"{}\" needs its numbers", kind), {"/fabric/kind", "/fabric"},
              fmt::format("give \"{}\"", block.key));
    }
    if (spec_.kind == FabricKind::fat_tree && !spec_.switch_part.empty())
      error("E0309", "the switches of a fat tree are named by its tiers", {"/fabric/switch", "/fabric/kind"},
            "give \"switch\" in each of the \"tiers\"");
  }

  bool check_sites() {
    if (!spec_.sites || size_.nodes % spec_.sites->count == 0) return true;
    error("E0308",
          fmt::format("the sites must divide the nodes (got {} sites, {} nodes)", spec_.sites->count, size_.nodes),
          {"/fabric/sites/count", "/accelerators"});
    return false;
  }

  void check_fat_tree() {
    if (spec_.rails == RailLayout::planes && size_.nics_per_node == 1)
      error("E0319", "rail planes need nodes with several NICs (got 1)", {"/fabric/rails", "/node/nics"},
            "with one NIC all rails are one: \"joined\"");
    std::vector<FabricError> sizing = fat_tree_errors(spec_, size_, ports_);
    errors_.insert(errors_.end(), std::make_move_iterator(sizing.begin()), std::make_move_iterator(sizing.end()));
  }

  /// @param what  the ports added up, for people
  void check_ports(long long needed, const std::string& what, const std::string& pointer) {
    const int ports = ports_.direct_switches;
    if (ports > 0 && needed > ports)
      error("E0306", fmt::format("a switch has too few ports: {} = {} are needed (got {})", what, needed, ports),
            {pointer, "/fabric/switch"}, "take a larger switch, or give it fewer cables");
  }

  void check_slots(const std::string& pointer) {
    const EndpointSlots slots = endpoint_slots(spec_);
    const int nics = size_.nics_per_node;
    if (size_.nodes <= slots.nodes(nics)) return;
    const long long all = slots.groups * slots.switches_per_group * slots.per_switch;
    error(
        "E0316",
        fmt::format("the fabric has {} ports for NICs, of which {} nodes with {} NICs can use {}: {} are asked for",
                    all, slots.nodes(nics), nics, slots.nodes(nics) * nics, static_cast<long long>(size_.nodes) * nics),
        {pointer, "/accelerators", "/node/nics"}, "add groups or switches, or take fewer accelerators");
  }

  void check_groups(int groups, long long switches, int links, const std::string& pointer) {
    if (groups > switches * links + 1)
      error("E0307",
            fmt::format("{} groups cannot all be joined: a group has {} x {} global links", groups, switches, links),
            {pointer + "/groups"}, fmt::format("at most {} groups", switches * links + 1));
  }

  void check_dragonfly() {
    const DragonflySpec& d = *spec_.dragonfly;
    const int p = d.endpoints_per_switch, a = d.switches_per_group, h = d.global_links_per_switch;
    check_ports(p + (a - 1) + h, fmt::format("{} + {} + {}", p, a - 1, h), "/fabric/dragonfly");
    check_groups(d.groups, a, h, "/fabric/dragonfly");
    check_slots("/fabric/dragonfly");
  }

  void check_dragonfly_plus() {
    const DragonflyPlusSpec& d = *spec_.dragonfly_plus;
    check_ports(d.endpoints_per_leaf + d.spines_per_group,
                fmt::format("leaf, {} + {}", d.endpoints_per_leaf, d.spines_per_group), "/fabric/dragonfly_plus");
    check_ports(d.leaves_per_group + d.global_links_per_spine,
                fmt::format("spine, {} + {}", d.leaves_per_group, d.global_links_per_spine), "/fabric/dragonfly_plus");
    check_groups(d.groups, d.spines_per_group, d.global_links_per_spine, "/fabric/dragonfly_plus");
    check_slots("/fabric/dragonfly_plus");
  }

  void check_torus() {
    const long long nodes = torus_nodes(*spec_.torus);
    if (nodes != size_.nodes || spec_.torus->sides.empty())
      error("E0308",
            fmt::format("the sides of the torus must multiply to the nodes{} (got {} = {}, {} nodes)",
                        spec_.sites ? " of a site" : "", fmt::join(spec_.torus->sides, " x "), nodes, size_.nodes),
            {"/fabric/torus/sides", "/accelerators"});
  }

  void check_hyperx() {
    const HyperxSpec& grid = *spec_.hyperx;
    if (grid.sides.empty() || (!grid.links.empty() && grid.links.size() != grid.sides.size())) {
      error("E0308",
            fmt::format("one number of links for each side is needed (got {}, {} sides)", grid.links.size(),
                        grid.sides.size()),
            {grid.sides.empty() ? "/fabric/hyperx/sides" : "/fabric/hyperx/links", "/fabric/hyperx/sides"});
      return;
    }
    long long needed = grid.endpoints_per_switch;
    std::string sum = std::to_string(grid.endpoints_per_switch);
    for (std::size_t axis = 0; axis < grid.sides.size(); ++axis) {
      needed += hyperx_switch_cables(grid, axis);
      sum += fmt::format(" + {}", hyperx_switch_cables(grid, axis));
    }
    check_ports(needed, sum, "/fabric/hyperx");
    check_slots("/fabric/hyperx");
  }

  const FabricSpec& spec_;
  NetworkSize size_;
  const FabricPorts& ports_;
  std::vector<FabricError> errors_;
};

}  // namespace

std::vector<FabricError> check_fabric(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  return FabricChecker(spec, size, ports).check();
}

}  // namespace clusterwright
