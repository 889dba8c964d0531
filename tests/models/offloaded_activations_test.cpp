// SPDX-License-Identifier: Apache-2.0
// Activations that leave the device layer by layer: each layer travels at its own size, recomputed or whole.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include "models/memory/activation_memory.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/search/candidate_heap.hpp"
#include "models/search/layout_costs.hpp"
#include "models/search/layout_search.hpp"
#include "models/search/recomputed_counts.hpp"
#include "models/settling/settle_input.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/small_scenario.hpp"

namespace clusterwright {

using testing::SmallCase;

namespace {

/// Eight layers on one node, with all activations in host memory.
SmallCase offloaded_case(int layers = 8) {
  SmallCase c;
  c.data = 8;
  c.layers = layers;
  c.hidden = 1024;
  c.sequence = 2048;
  c.micro_batches = 2;
  c.sharding = Sharding::fsdp;
  c.stack = "torchtitan-2024";
  c.offload.activations = MemoryLevel::host;
  return c;
}

/// Scenario with the first `count` layers of each stage recomputed. @param link_gb_per_s  rate of an accelerator's slot
Scenario with_count(const SmallCase& c, int count, double link_gb_per_s) {
  Scenario s = testing::small_scenario(c);
  s.cluster.spec.node.pcie.link = link_gb_per_s * gigabyte / second;
  s.job.recompute = count > 0 ? Recompute::full : Recompute::none;
  if (count > 0) s.job.recomputed_layers = count;
  return s;
}

double offloaded_step(const Scenario& s) {
  return to_seconds(time_step(s, testing::plan_of(s)).end).in(second);
}

double offloaded_bound(const Scenario& s) {
  return LayoutCosts(s).bound(layout_of(testing::plan_of(s), s.job.offload));
}

/// What memory models say of a stage of a scenario.
struct StageMemory {
  explicit StageMemory(const Scenario& s, int stage = 0) {
    const Plan plan = testing::plan_of(s);
    const StageLayout layout = stage_layout(s.transformer.layers, plan);
    const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
    staged = stored_activations(planned, stage).in(byte);
    working = layer_working_set(planned).in(byte);
    copied = copied_activations(planned, stage).in(byte);
    for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
      if (s.transformer.layers_of(kind) == 0) continue;
      lean[static_cast<std::size_t>(kind)] = layer_activations(planned, kind, true).in(byte);
      whole[static_cast<std::size_t>(kind)] = layer_activations(planned, kind, false).in(byte);
    }
  }
  double staged = 0, working = 0, copied = 0;
  std::array<double, 2> lean{}, whole{};  // by kind of layer
};

constexpr auto dense_layer = static_cast<std::size_t>(LayerKind::dense);
constexpr auto routed_layer = static_cast<std::size_t>(LayerKind::experts);

constexpr double slow_link = 1;  // GB/s: copies take nearly all of the step

}  // namespace

TEST_CASE("each recomputed layer takes its own share of the copies off a step", "[models]") {
  const SmallCase c = offloaded_case();
  Scenario full = with_count(c, c.layers, slow_link);
  full.job.recomputed_layers.reset();
  const double none = offloaded_step(with_count(c, 0, slow_link)), all = offloaded_step(full);
  const double share = (none - all) / c.layers;
  REQUIRE(share > 0.05 * none);
  double before = none;
  for (int count = 1; count <= c.layers; ++count) {
    const double step = offloaded_step(with_count(c, count, slow_link));
    CHECK(before - step == Approx(share).epsilon(0.2));
    before = step;
  }
  CHECK(before == all);  // eight layers of eight are all of them
}

TEST_CASE("a step with offloaded activations is not faster than with those on the device", "[models]") {
  SmallCase c = offloaded_case();
  for (const int count : {0, 1, 4, 8}) {
    c.offload.activations = MemoryLevel::device;
    const double here = offloaded_step(with_count(c, count, 63));
    c.offload.activations = MemoryLevel::host;
    CHECK(offloaded_step(with_count(c, count, 63)) >=
          here * (1 - 1e-3));  // clocks settle to a few parts in ten thousand
  }
}

TEST_CASE("copies of a stage are those of its recomputed and its whole layers", "[models][memory]") {
  SmallCase c = offloaded_case(4);
  c.experts = ExpertMixture{8, 2, 256, 0, {}, 1, 1, {}, {}};  // the first layer is dense
  const StageMemory m(with_count(c, 2, slow_link));
  REQUIRE(m.whole[routed_layer] != m.whole[dense_layer]);
  CHECK(m.copied == Approx(m.lean[dense_layer] + m.lean[routed_layer] + 2 * m.whole[routed_layer]));
}

TEST_CASE("buffers of offloaded activations hold whole layers as long as any layer is whole", "[models][memory]") {
  const SmallCase c = offloaded_case();
  const StageMemory none(with_count(c, 0, slow_link)), all(with_count(c, c.layers, slow_link));
  CHECK(none.staged == Approx(2 * none.whole[dense_layer]));
  CHECK(all.staged == Approx(2 * all.lean[dense_layer]));
  for (const int count : {1, 4, 7}) {
    const StageMemory some(with_count(c, count, slow_link));
    CHECK(some.staged == Approx(some.whole[dense_layer] + some.lean[dense_layer]));
    // The working set holds the rest of the second whole layer.
    CHECK(some.staged + some.working == Approx(none.staged + none.working));
  }
  CHECK(all.staged + all.working < none.staged + none.working);
}

TEST_CASE("the bound counts the copies of recomputed and of whole layers", "[models]") {
  const SmallCase c = offloaded_case();
  const double none = offloaded_bound(with_count(c, 0, slow_link)),
               all = offloaded_bound(with_count(c, c.layers, slow_link));
  REQUIRE(none > 4 * all);  // it is that of the copies
  for (const int count : {1, 4, 7}) {
    const Scenario s = with_count(c, count, slow_link);
    const double bound = offloaded_bound(s);
    CHECK(bound <= offloaded_step(s));
    // 8 layers: one of them recomputed leaves 7/8 of the copies, and the small ones of what is recomputed.
    CHECK(bound >= none * (c.layers - count) / c.layers);
    CHECK(bound <= none * (c.layers - count) / c.layers + all);
  }
}

TEST_CASE("no step with offloaded activations and partial recomputation is faster than its bound", "[models]") {
  REQUIRE(rc::check("bound <= replay", [] {
    SmallCase c = testing::random_case();
    c.stage_layers.clear();
    c.offload.activations = MemoryLevel::host;
    c.recompute = Recompute::full;
    Scenario s = testing::random_scenario(c);
    s.job.recomputed_layers = *rc::gen::inRange(1, c.layers + 1);
    s.cluster.spec.node.pcie.link = *rc::gen::element(1.0, 10.0, 63.0) * gigabyte / second;
    testing::describe(s);
    RC_LOG() << *s.job.recomputed_layers << " layers recomputed";
    RC_ASSERT(offloaded_bound(s) <= offloaded_step(s));
  }));
}

namespace {

constexpr std::int64_t all_offloaded_layouts = 1'000'000'000;

/// Search over recomputation alone. @param s  whose other fields are decided
SearchResult search_recomputation(Scenario s) {
  s.stack.layouts.reset();
  s.job.recompute.reset();
  s.job.recomputed_layers.reset();
  SearchRequest request;
  request.sweep.most_layouts = all_offloaded_layouts;
  request.most_replays = 1000;
  return LayoutSearch(s, limits_of(s), request).run();
}

}  // namespace

TEST_CASE("a search looks at several numbers of recomputed layers where activations are offloaded", "[models]") {
  const double link = GENERATE(1.0, 5.0, 20.0, 63.0);
  const int layers = GENERATE(4, 12);
  const SmallCase c = offloaded_case(layers);
  const SearchResult found = search_recomputation(with_count(c, 0, link));
  REQUIRE_FALSE(found.found.empty());
  const double best = found.found.front().value;
  double best_of_all = std::numeric_limits<double>::infinity();
  for (int count = 0; count <= layers; ++count) {
    const Scenario s = with_count(c, count, link);
    Plan plan = testing::plan_of(s);
    const double step = to_seconds(settle_input(s, plan).end).in(second);
    best_of_all = std::min(best_of_all, step);
    if (count % (layers / 4) == 0) CHECK(best <= step);
  }
  INFO("link " << link << " GB/s, " << layers << " layers");
  CHECK(best <= 1.1 * best_of_all);
  if (found.proven()) CHECK(best <= best_of_all);
  if (layers == 4) CHECK(found.proven());  // quarters are all numbers there are
}

TEST_CASE("numbers of recomputed layers are the least that fits, quarters, and where copies balance passes",
          "[models]") {
  CHECK(least_count(48, [](int) { return true; }) == 0);
  CHECK(least_count(48, [](int layers) { return layers >= 17; }) == 17);
  CHECK(least_count(48, [](int layers) { return layers >= 48; }) == 48);
  CHECK_FALSE(least_count(48, [](int) { return false; }));
  CHECK(balanced_count(40, 2, -3) == 16);   // 40 x 2 / (2 + 3)
  CHECK_FALSE(balanced_count(40, -1, -3));  // copies are never in the way
  CHECK_FALSE(balanced_count(40, 2, 1));    // they are with any number
  CHECK(further_counts(48, 0, 48, 16) == std::set<int>{12, 16, 24, 36});
  CHECK(further_counts(48, 12, 30, {}) == std::set<int>{24});
  CHECK(further_counts(4, 0, 4, 3) == std::set<int>{1, 2, 3});
  CHECK(further_counts(1, 0, 1, {}).empty());
}

TEST_CASE("layouts that a heap passes over count as not kept", "[models]") {
  CandidateHeap heap(10);
  heap.add({5, 0, {}});
  CHECK(heap.lowest_dropped() == std::numeric_limits<double>::infinity());
  heap.pass_over(7);
  heap.pass_over(8);
  CHECK(heap.lowest_dropped() == 7);
  CHECK(heap.take().size() == 1);
}

}  // namespace clusterwright
