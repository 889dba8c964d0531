// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/placement_spec.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

#ifdef CLUSTERWRIGHT_RAPIDCHECK
#include <rapidcheck.h>
#endif

using namespace clusterwright;

namespace {

PlacementSpec in_order(PlacementOrder order, int seed = 0) {
  PlacementSpec spec;
  spec.order = order;
  spec.seed = seed;
  return spec;
}

PlacementSpec on_nodes(std::vector<int> nodes) {
  PlacementSpec spec;
  spec.nodes = std::move(nodes);
  return spec;
}

Diagnostic placement_refusal(const PlacementSpec& spec, int job, int machine) {
  try {
    place_domains(spec, job, machine, 4);
  } catch (const ConfigError& error) {
    return error.diagnostics().front();
  }
  return {};
}

}  // namespace

TEST_CASE("a packed job takes the first domains", "[topology]") {
  CHECK(place_domains(in_order(PlacementOrder::packed), 3, 8, 4) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a scattered job takes one domain of each group by turns", "[topology]") {
  const PlacementSpec scattered = in_order(PlacementOrder::scattered);
  CHECK(place_domains(scattered, 5, 8, 4) == std::vector<int>{0, 4, 1, 5, 2});
  // The last group is short: 8 is there, 9 and beyond are not.
  CHECK(place_domains(scattered, 9, 9, 4) == std::vector<int>{0, 4, 8, 1, 5, 2, 6, 3, 7});
  CHECK(place_domains(scattered, 3, 3, 4) == std::vector<int>{0, 1, 2});  // all in one group
  CHECK(place_domains(scattered, 3, 4, 1) == std::vector<int>{0, 1, 2});  // groups of one
}

TEST_CASE("a shuffled job is drawn from the whole machine by its seed", "[topology]") {
  const auto places = [](int seed) { return place_domains(in_order(PlacementOrder::shuffled, seed), 16, 64, 4); };
  CHECK(places(1) == places(1));
  std::set<std::vector<int>> drawn;
  for (int seed = 0; seed < 20; ++seed) drawn.insert(places(seed));
  CHECK(drawn.size() == 20);
  CHECK(std::ranges::max(places(1)) > 15);
}

TEST_CASE("given domains are taken in their order, those beyond the job are left", "[topology]") {
  CHECK(place_domains(on_nodes({5, 0, 7}), 3, 8, 4) == std::vector<int>{5, 0, 7});
  CHECK(place_domains(on_nodes({5, 0, 7}), 2, 8, 4) == std::vector<int>{5, 0});
}

TEST_CASE("a placement that cannot be says why", "[topology]") {
  const Diagnostic few = placement_refusal(on_nodes({0, 1}), 3, 8);
  CHECK(few.code == "E0335");
  CHECK(few.message == "the placement has 2 nodes, the job fills 3");
  CHECK(placement_refusal(on_nodes({0, 8, 1}), 3, 8).message == "the placement names node 8, the machine has 8");
  CHECK(placement_refusal(on_nodes({3, 1, 3}), 3, 8).message == "the placement names node 3 twice");
  CHECK(placement_refusal(on_nodes({3, 1, 2, 3}), 3, 8).message == "the placement names node 3 twice");
  for (const PlacementOrder order : {PlacementOrder::packed, PlacementOrder::scattered, PlacementOrder::shuffled})
    CHECK(placement_refusal(in_order(order), 9, 8).message == "the machine has 8 nodes, the job fills 9");
}

#ifdef CLUSTERWRIGHT_RAPIDCHECK

TEST_CASE("every order names different domains of the machine, and a smaller job takes the first of them",
          "[topology]") {
  REQUIRE(rc::check("places are a permutation, cut to the job", [] {
    const int machine = *rc::gen::inRange(1, 200), per_group = *rc::gen::inRange(1, 50);
    const PlacementSpec spec =
        in_order(*rc::gen::element(PlacementOrder::packed, PlacementOrder::scattered, PlacementOrder::shuffled),
                 *rc::gen::inRange(0, 1000));
    const std::vector<int> all = place_domains(spec, machine, machine, per_group);
    RC_ASSERT(std::set<int>(all.begin(), all.end()).size() == all.size());
    RC_ASSERT(std::ranges::min(all) == 0);
    RC_ASSERT(std::ranges::max(all) == machine - 1);
    const int job = *rc::gen::inRange(1, machine + 1);
    RC_ASSERT(place_domains(spec, job, machine, per_group) == std::vector<int>(all.begin(), all.begin() + job));
  }));
}

#endif
