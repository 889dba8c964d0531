#include <stdexcept>

#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

/// Switches of a tier are numbered site by site, group by group, line by line, plane by plane.
struct BuiltTier {
  FatTreeTier shape;
  int groups = 0;  ///< of one site, those that have nodes
  VertexId first = 0;

  long long per_site() const { return static_cast<long long>(groups) * shape.lines * shape.switches(); }
  VertexId at(int site, int group, int line) const {
    return first + static_cast<VertexId>(site * per_site() +
                                         (static_cast<long long>(group) * shape.lines + line) * shape.switches());
  }
};

class FatTreeBuilder {
 public:
  explicit FatTreeBuilder(NetworkAssembly& assembly) : assembly_(assembly) {
    for (FatTreeTier& shape : fat_tree_shape(assembly.spec, assembly.size, assembly.ports)) {
      const int groups = (assembly.size.nodes + shape.nodes - 1) / shape.nodes;
      tiers_.push_back({std::move(shape), groups, 0});
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
    return {top.first, count, count, top.shape.lines};
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
                            leaf.at(site, node / leaf.shape.nodes, nic % leaf.shape.lines), kind);
  }

  void join(const BuiltTier& below, const BuiltTier& above) {
    const std::size_t kind = assembly_.add_kind(below.shape.name + "-" + above.shape.name, below.shape.uplink_rate);
    const int groups_in_group = above.shape.nodes / below.shape.nodes;
    for (int site = 0; site < assembly_.sites; ++site)
      for (int group = 0; group < below.groups; ++group)
        for (int line = 0; line < below.shape.lines; ++line)
          join_line(below, below.at(site, group, line), above,
                    above.at(site, group / groups_in_group, line % above.shape.lines), kind);
  }

  void join_line(const BuiltTier& below, VertexId lower, const BuiltTier& above, VertexId upper, std::size_t kind) {
    const int positions = below.shape.switches();
    const int in_plane = positions / above.shape.planes;
    const int parallel = below.shape.uplinks / above.shape.per_plane;
    for (int position = 0; position < positions; ++position) {
      const int plane = position / in_plane;
      for (int k = 0; k < above.shape.per_plane; ++k)
        assembly_.connect(lower + static_cast<VertexId>(position),
                          upper + static_cast<VertexId>(plane * above.shape.per_plane + k), kind, parallel);
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
