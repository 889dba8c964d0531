// SPDX-License-Identifier: Apache-2.0
// The space of a search holds the layouts that resolve_plan() accepts, with the memory that a run reports.
#include "models/search/layout_space.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/plan/resolve_plan.hpp"
#include "models/search/candidate_heap.hpp"
#include "models/search/choose_plan.hpp"
#include "models/search/layout_costs.hpp"
#include "models/search/stack_ability.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"

namespace clusterwright {

using testing::small_scenario;
using testing::SmallCase;

namespace {

using Degrees = std::tuple<int, int, int, int, int, int, int, int, int>;

Degrees degrees_of(const Layout& l) {
  return {l.tensor,        l.context,          l.expert,
          l.expert_tensor, l.pipeline,         l.data,
          l.micro_batch,   l.virtual_pipeline, static_cast<int>(l.schedule)};
}

Layout with_inner(const InnerGroups& groups, const StageCounts& stages) {
  Layout layout;
  layout.tensor = groups.tensor;
  layout.context = groups.context;
  layout.expert = groups.expert;
  layout.expert_tensor = groups.expert_tensor;
  layout.pipeline = stages.pipeline;
  layout.data = stages.data;
  return layout;
}

std::set<Degrees> listed(const Scenario& s) {
  std::set<Degrees> out;
  LayoutSpace space(s, {});
  for (const InnerGroups& groups : space.groups())
    for (const StageCounts& stages : space.stages(groups))
      for (const ScheduleChoice& choice : space.schedules(stages.pipeline))
        for (const int size : space.micro_batches(stages)) {
          if (!space.takes(choice, stages.pipeline, s.job.global_batch / stages.data / size)) continue;
          Layout layout = with_inner(groups, stages);
          layout.micro_batch = size;
          layout.schedule = choice.schedule;
          layout.virtual_pipeline = choice.virtual_pipeline;
          out.insert(degrees_of(layout));
        }
  return out;
}

bool accepted(const Scenario& given, const Layout& layout) {
  Scenario s = given;
  s.job = with_layout(s.job, layout);
  try {
    resolve_plan(s);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

/// Calls `visit` with every layout whose numbers are at most those of a small cluster, legal or not.
template <class Visit>
void for_each_layout(const Scenario& s, const Visit& visit) {
  const int ranks = s.cluster.spec.accelerators, experts = s.transformer.experts ? ranks : 1;
  Layout l;
  for (l.tensor = 1; l.tensor <= ranks; ++l.tensor)
    for (l.context = 1; l.context * l.tensor <= ranks; ++l.context)
      for (l.pipeline = 1; l.pipeline * l.context * l.tensor <= ranks; ++l.pipeline)
        for (l.expert = 1; l.expert <= experts; ++l.expert)
          for (l.expert_tensor = 1; l.expert_tensor * l.expert <= experts; ++l.expert_tensor)
            for (l.micro_batch = 1; l.micro_batch <= s.job.global_batch; ++l.micro_batch)
              for (l.virtual_pipeline = 1; l.virtual_pipeline <= 4; ++l.virtual_pipeline)
                for (const auto schedule : {PipelineSchedule::one_forward_one_backward, PipelineSchedule::zero_bubble,
                                            PipelineSchedule::dualpipe}) {
                  l.schedule = schedule;
                  l.data = ranks / (l.tensor * l.context * l.pipeline);
                  visit(l);
                }
}

testing::SmallCase small_case(bool experts) {
  testing::SmallCase c;
  c.per_node = 4;
  c.tensor = 2;
  c.data = 4;
  c.layers = 4;
  c.micro_batches = 2;
  if (experts) c.experts = ExpertMixture{4, 2, 256, 0, {}, 0, 1, {}, {}};
  return c;
}

}  // namespace

TEST_CASE("a space of layouts holds those that a plan can have, and no others", "[models]") {
  const bool experts = GENERATE(false, true);
  const Scenario s = testing::small_scenario(small_case(experts));
  const std::set<Degrees> space = listed(s);
  std::set<Degrees> legal;
  for_each_layout(s, [&](const Layout& layout) {
    if (accepted(s, layout)) legal.insert(degrees_of(layout));
  });
  CHECK(legal.size() > 50);
  CHECK(space == legal);
}

TEST_CASE("a layout is the plan that it came from, with its memory to the bit", "[models]") {
  REQUIRE(rc::check("plan and memory", [] {
    testing::SmallCase c = testing::random_case();
    c.stage_layers.clear();
    const Scenario s = testing::random_scenario(c);
    const Plan plan = testing::plan_of(s);
    const Layout layout = layout_of(plan, s.job.offload);
    const Plan again = plan_of(s, layout);
    testing::describe(s);
    RC_ASSERT(layout_of(again, s.job.offload) == layout);
    RC_ASSERT(again.micro_batches == plan.micro_batches);
    RC_ASSERT(again.larger_group == plan.larger_group);
    RC_ASSERT(again.paired == plan.paired);
    RC_ASSERT(again.sequence_parallel == plan.sequence_parallel);
    RC_ASSERT(LayoutCosts(s).memory(layout) == memory_under(s, plan).total());
  }));
}

TEST_CASE("groups of a site are no part of a layout", "[models]") {
  SmallCase c;
  c.data = 8;
  const Scenario s = small_scenario(c);
  Plan plan = testing::plan_of(s);
  const Layout layout = layout_of(plan, s.job.offload);
  plan.grouped = true;
  plan.shard_group = 4;
  CHECK(layout_of(plan, s.job.offload) == layout);
}

TEST_CASE("the settings of a layout turn one job into another", "[models]") {
  const Scenario s = testing::small_scenario(small_case(false));
  Layout layout = layout_of(testing::plan_of(s), s.job.offload);
  CHECK(settings_of(s, layout).empty());
  layout.tensor = 4;
  layout.data = 2;
  layout.recompute = Recompute::full;
  layout.recomputed_layers = 2;
  layout.offload.optimizer = MemoryLevel::host;
  const std::vector<std::string> settings = settings_of(s, layout);
  const std::set<std::string> found(settings.begin(), settings.end());
  CHECK(found.contains("job.parallel.tensor=4"));
  CHECK(found.contains("job.recompute=full"));
  CHECK(found.contains("job.recomputed_layers=2"));
  CHECK(found.contains("job.offload.optimizer=host"));
}

TEST_CASE("groups that are seldom best come last, so that a short search has seen the others", "[models]") {
  SmallCase c;
  c.data = 16;
  const Scenario s = small_scenario(c);
  LayoutSpace space(s, {});
  const std::vector<InnerGroups> groups = space.groups();
  const auto beyond = [&](const InnerGroups& g) { return g.tensor * g.context > s.cluster.node_ranks(); };
  CHECK(std::is_partitioned(groups.begin(), groups.end(), [&](const auto& g) { return !beyond(g); }));
  CHECK(std::any_of(groups.begin(), groups.end(), beyond));
  CHECK(groups.front().context == 1);
}

TEST_CASE("a space asks for no more machines than the job has", "[models]") {
  SmallCase c;
  c.data = 24;
  c.heads = 24;
  c.hidden = 3072;
  const Scenario s = small_scenario(c);
  LayoutSpace space(s, {});
  for (const InnerGroups& groups : space.groups()) {
    CHECK(space.scenario(groups).cluster.domains() == 3);  // groups of 3 or 6 would fill 6 of 8, in four nodes
    CHECK(groups.tensor != 3);
    CHECK(groups.tensor != 6);
  }
}

TEST_CASE("where nobody holds the same weights, the sharding that stands for all is one that the stack runs",
          "[models]") {
  SmallCase c;
  c.data = 1;
  c.pipeline = 2;
  Scenario s = small_scenario(c);
  for (const Sharding listed : {Sharding::none, Sharding::zero1, Sharding::fsdp}) {
    s.stack.layouts =
        StackLayouts{"test", {PipelineSchedule::one_forward_one_backward}, {listed}, true, {}, true, true, true};
    LayoutSpace space(s, {});
    const std::vector<StateChoice> states = space.states({1, 1, 1, 1, 0}, {2, 1});
    REQUIRE_FALSE(states.empty());
    Layout layout;
    layout.pipeline = 2;
    layout.sharding = states.front().sharding;
    CHECK(StackAbility(s.stack, {}, s.transformer.layers).runs(layout));
  }
}

namespace {

/// Layout of the small case with a sharding, with its memory and its step.
struct ShardedStep {
  Bytes memory;
  Picoseconds end;
};

ShardedStep sharded(Scenario s, Sharding sharding) {
  s.job.sharding = sharding;
  const Plan plan = resolve_plan(s).plan;
  return {memory_under(s, plan).total(), time_step(s, plan).end};
}

}  // namespace

TEST_CASE("shardings that a space leaves out are never leaner and faster than one that it has", "[models]") {
  SmallCase c;
  c.tensor = 2;
  c.pipeline = GENERATE(1, 2);
  c.data = GENERATE(1, 4);
  c.micro_batches = 4;
  if (c.pipeline * c.data == 1) c.tensor = 8;
  c.per_node = c.tensor * c.pipeline * c.data;
  Scenario s = small_scenario(c);
  s.stack.layouts = {};
  std::vector<ShardedStep> kept;
  std::set<Sharding> listed;
  for (const StateChoice& state : LayoutSpace(s, {}).states({c.tensor, 1, 1, 1, 0}, {c.pipeline, c.data})) {
    if (state.sharding == Sharding::hsdp || !listed.insert(state.sharding).second) continue;
    kept.push_back(sharded(s, state.sharding));
  }
  for (const Sharding sharding : {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp}) {
    const ShardedStep one = sharded(s, sharding);
    INFO(static_cast<int>(sharding) << " in " << c.pipeline << " stages over " << c.data);
    CHECK(std::ranges::any_of(kept, [&](const auto& k) { return k.memory <= one.memory && k.end <= one.end; }));
  }
}

TEST_CASE("the second order of ranks is offered where the stack lets its users choose, or a limit names it",
          "[models]") {
  SmallCase c;
  c.tensor = 2;
  c.pipeline = 2;
  c.data = 2;
  Scenario s = small_scenario(c);
  s.job.parallel.order = {};
  LayoutLimits named;
  named.order.add(RankOrder::tensor_context_pipeline_data);
  const auto orders = [&](const LayoutLimits& limits) { return LayoutSpace(s, limits).orders({2, 2}); };
  for (const bool any : {false, true}) {
    s.stack.layouts->any_order = any;
    CHECK(orders({}).size() == (any ? 2 : 1));
    CHECK(orders({}).front() == s.stack.rank_order);
    CHECK(orders(named) == std::vector{RankOrder::tensor_context_pipeline_data});
  }
}

TEST_CASE("a limit that only excludes a value asks for none of the others", "[models]") {
  SmallCase c;
  c.tensor = 2;
  c.pipeline = 2;
  c.data = 2;
  Scenario s = small_scenario(c);
  LayoutLimits without, named;
  for (const Sharding sharding : {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::hsdp}) {
    without.sharding.allow(sharding);
    named.sharding.add(sharding);
  }
  const auto states = [&](const LayoutLimits& limits, const StageCounts& stages) {
    return LayoutSpace(s, limits).states({2, 1, 1, 1, 0}, stages).size();
  };
  CHECK(states(without, {2, 2}) == states({}, {2, 2}));
  CHECK(states(named, {2, 2}) > states({}, {2, 2}));
  CHECK(states(without, {1, 4}) < states({}, {1, 4}));  // without fsdp
  LayoutLimits weights;
  weights.sharding.allow(Sharding::fsdp);
  CHECK(states(weights, {2, 2}) > 0);  // nothing else is left to stand for it
}

TEST_CASE("of layouts that do equally well the common one comes first", "[models]") {
  Layout usual, other = usual, sharded = usual;
  other.order = RankOrder::tensor_context_pipeline_data;
  sharded.sharding = Sharding::fsdp;
  CHECK(is_commoner(usual, other));
  CHECK(is_commoner(usual, sharded));
  CHECK(is_commoner(sharded, other));
  CHECK_FALSE(is_commoner(usual, usual));
  CandidateHeap heap(3);
  for (const Layout& layout : {other, sharded, usual}) heap.add({1, 0, layout});
  CHECK(heap.take().front().layout == usual);
}

TEST_CASE("small micro-batches stay in a thinned space where a search asks for them", "[models]") {
  SmallCase c;
  c.data = 8;
  c.micro_batches = 60;
  const Scenario s = small_scenario(c);
  LayoutLimits limits;
  for (const bool keep : {false, true}) {
    limits.keep_small_sizes = keep;
    LayoutSpace space(s, limits);
    space.thin_out(1);
    const std::vector<int> sizes = space.micro_batches({1, 8});
    CHECK(std::ranges::count(sizes, 5) == (keep ? 1 : 0));
    CHECK(std::ranges::count(sizes, 4) == 1);
    CHECK(std::ranges::count(sizes, 15) == 0);
  }
}

TEST_CASE("ranges do not ask for what the stack cannot run, values do", "[models]") {
  Scenario s = small_scenario({});
  s.stack.layouts = StackLayouts{
      "test", {PipelineSchedule::one_forward_one_backward}, {Sharding::zero1}, true, {}, false, false, true};
  const auto runs = [&](const Layout& layout, const LayoutLimits& limits) {
    return StackAbility(s.stack, limits, s.transformer.layers).runs(layout);
  };
  Layout dual, context;
  dual.pipeline = 2, dual.schedule = PipelineSchedule::dualpipe;
  context.context = 2;
  LayoutLimits ranges, values;
  ranges.pipeline.most = 4, ranges.context.most = 2;
  values.schedule.add(PipelineSchedule::dualpipe), values.context.only = {1, 2};
  for (const Layout& layout : {dual, context}) {
    CHECK_FALSE(runs(layout, {}));
    CHECK_FALSE(runs(layout, ranges));
    CHECK(runs(layout, values));
  }
}

}  // namespace clusterwright
