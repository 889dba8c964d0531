// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/small_fabrics.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr NetworkSize sixteen_nodes{16, 8, 8, nic_400g};

std::vector<FabricError> errors(const FabricSpec& spec, const NetworkSize& size = sixteen_nodes, int ports = 0) {
  return check_fabric(spec, size, all_ports(spec, ports));
}

FabricError only_error(const FabricSpec& spec, const NetworkSize& size = sixteen_nodes, int ports = 0) {
  const std::vector<FabricError> found = errors(spec, size, ports);
  REQUIRE(found.size() == 1);
  REQUIRE_FALSE(found[0].pointers.empty());
  return found[0];
}

}  // namespace

TEST_CASE("sound fabrics have no errors", "[topology][fabric]") {
  CHECK(errors(fat_tree({{32, 1}, {128, 1}})).empty());
  CHECK(errors(fat_tree({{0, 1}, {0, 1}}), sixteen_nodes, 64).empty());
  CHECK(errors(dragonfly({16, 8, 8, 5}), sixteen_nodes, 31).empty());  // 16 + 7 + 8 ports
  CHECK(errors(dragonfly_plus({16, 4, 4, 2, 9}), sixteen_nodes, 20).empty());
  CHECK(errors(torus({4, 2, 2})).empty());
  CHECK(errors(hyperx({4, 4}, {1, 2}, 8), sixteen_nodes, 8 + 3 + 6).empty());
  CHECK(errors(FabricSpec{}, {1, 8, 0, {}}).empty());
}

TEST_CASE("a dragonfly switch needs ports for endpoints, neighbours and global links", "[topology][fabric]") {
  const FabricError error = only_error(dragonfly({16, 8, 8, 5}), sixteen_nodes, 30);
  CHECK(error.code == "E0306");
  CHECK(error.message == "a switch has too few ports: 16 + 7 + 8 = 31 needed (got 30)");
  CHECK(error.pointers == std::vector<std::string>{"/fabric/dragonfly", "/fabric/switch"});
}

TEST_CASE("leaves and spines of a dragonfly+ are checked apart", "[topology][fabric]") {
  CHECK(only_error(dragonfly_plus({16, 4, 4, 2, 9}), sixteen_nodes, 19).message ==
        "a switch has too few ports: leaf, 16 + 4 = 20 needed (got 19)");
  CHECK(only_error(dragonfly_plus({8, 16, 2, 5, 3}), sixteen_nodes, 20).message ==
        "a switch has too few ports: spine, 16 + 5 = 21 needed (got 20)");
}

TEST_CASE("a HyperX switch needs ports along every side", "[topology][fabric]") {
  const FabricError error = only_error(hyperx({4, 4}, {1, 2}, 8), sixteen_nodes, 16);
  CHECK(error.code == "E0306");
  CHECK(error.message == "a switch has too few ports: 8 + 3 + 6 = 17 needed (got 16)");
}

TEST_CASE("groups that cannot all be joined are refused", "[topology][fabric]") {
  const FabricError error = only_error(dragonfly({16, 4, 2, 10}));
  CHECK(error.code == "E0307");
  CHECK(error.pointers[0] == "/fabric/dragonfly/groups");
  CHECK(error.help == "at most 9 groups");
  CHECK(errors(dragonfly({16, 4, 2, 9})).empty());
  CHECK(only_error(dragonfly_plus({16, 4, 2, 2, 6})).code == "E0307");
}

TEST_CASE("the sides of a torus must multiply to the nodes", "[topology][fabric]") {
  const FabricError error = only_error(torus({4, 3}));
  CHECK(error.code == "E0308");
  CHECK(error.message == "the product of the torus sides must be the number of nodes (got 4 x 3 = 12, 16 nodes)");
  CHECK(error.pointers == std::vector<std::string>{"/fabric/torus/sides", "/accelerators"});
  FabricSpec sites = torus({4, 2});
  spread_over_sites(sites, 2, 1 * gigabyte_per_second, 1 * millisecond);
  CHECK(errors(sites).empty());
}

TEST_CASE("sites must divide the nodes", "[topology][fabric]") {
  FabricSpec spec = fat_tree({{32, 1}, {128, 1}});
  spread_over_sites(spec, 3, 1 * gigabyte_per_second, 1 * millisecond);
  CHECK(only_error(spec).message == "the number of sites must divide the nodes (got 3 sites, 16 nodes)");
}

TEST_CASE("every side of a HyperX needs its number of links", "[topology][fabric]") {
  CHECK(only_error(hyperx({4, 4}, {2}, 8)).code == "E0308");
}

TEST_CASE("a kind needs its own numbers and no others", "[topology][fabric]") {
  CHECK(only_error(of_kind(FabricKind::torus)).code == "E0309");
  FabricSpec both = torus({4, 4});
  both.dragonfly = DragonflySpec{16, 8, 8, 5};
  const FabricError error = only_error(both);
  CHECK(error.code == "E0309");
  CHECK(error.pointers == std::vector<std::string>{"/fabric/dragonfly", "/fabric/kind"});
  FabricSpec named = fat_tree({{32, 1}, {128, 1}});
  named.switch_part = "QM9700/QM9790";
  CHECK(only_error(named).pointers[0] == "/fabric/switch");
}

TEST_CASE("more NICs than ports are refused with both numbers", "[topology][fabric]") {
  const FabricError error = only_error(dragonfly({8, 3, 2, 5}));
  CHECK(error.code == "E0316");
  CHECK(error.message ==
        "the fabric has too few ports for NICs: it has 120, of which 15 nodes with 8 NICs can use 120; 128 are needed");
  // Groups of 20 ports hold two nodes of 8; seven groups hold 14.
  CHECK(only_error(dragonfly({10, 2, 3, 7})).message ==
        "the fabric has too few ports for NICs: it has 140, of which 14 nodes with 8 NICs can use 112; 128 are needed");
  CHECK(only_error(hyperx({3, 5}, {}, 8)).code == "E0316");
}

TEST_CASE("a tier needs a size or a switch", "[topology][fabric]") {
  const FabricError error = only_error(fat_tree({{32, 1}, {0, 1}}));
  CHECK(error.code == "E0317");
  CHECK(error.pointers[0] == "/fabric/tiers/1");
}

TEST_CASE("a switch below the top needs ports both ways", "[topology][fabric]") {
  CHECK(only_error(fat_tree({{0, 1}, {128, 1}}), sixteen_nodes, 1).code == "E0318");
}

TEST_CASE("groups larger than their switches allow are refused", "[topology][fabric]") {
  // 33 nodes on each leaf of 64 ports at taper 1.
  const FabricError leaf = only_error(fat_tree({{33 * 8, 1}, {33 * 16, 1}}), sixteen_nodes, 64);
  CHECK(leaf.code == "E0306");
  CHECK(leaf.message == "a switch of tier \"leaf\" has too few ports: it needs 33 NICs (got 32 ports down)");
  CHECK(leaf.pointers[0] == "/fabric/tiers/0/accelerators");
  CHECK(errors(fat_tree({{32 * 8, 1}, {64 * 64, 1}}, RailLayout::planes), sixteen_nodes, 64).empty());
  // Two tiers of 64 ports join 64 leaves: 8 rails of 8 groups, not 9.
  CHECK(errors(fat_tree({{256, 1}, {2048, 1}}), sixteen_nodes, 64).empty());
  CHECK(only_error(fat_tree({{256, 1}, {2304, 1}}), sixteen_nodes, 64).code == "E0306");
  // Left open, the top tier must still join the nodes that are there.
  CHECK(only_error(fat_tree({{256, 1}, {0, 1}}), {32 * 9, 8, 8, nic_400g}, 64).code == "E0306");
}

TEST_CASE("rail planes need several rails", "[topology][fabric]") {
  const FabricError error = only_error(fat_tree({{32, 1}, {128, 1}}, RailLayout::planes), {16, 8, 1, nic_400g});
  CHECK(error.code == "E0319");
  CHECK(error.pointers == std::vector<std::string>{"/fabric/rails", "/node/nics"});
}
