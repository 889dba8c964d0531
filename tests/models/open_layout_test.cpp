// SPDX-License-Identifier: Apache-2.0
// Fields that a job leaves to the search.
#include <algorithm>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/search/best_plan.hpp"
#include "models/search/layout_search.hpp"
#include "models/search/nearby_layouts.hpp"
#include "support/catch.hpp"

namespace clusterwright {

namespace {

Scenario alone(const char* model, const char* node, int accelerators, std::vector<std::string> settings) {
  ScenarioOptions options;
  options.node = node;
  options.accelerators = accelerators;
  options.settings = std::move(settings);
  return scenario_of_document(pretraining_of(configs_directory() / "transformers" / model, 0), options);
}

Plan decided(const Scenario& scenario) {
  return decide_plan(scenario, OpenFields::best).chosen.plan;
}

}  // namespace

TEST_CASE("a model alone gets a context group where sequences are long, few for the nodes, or do not fit", "[models]") {
  CHECK(decided(alone("llama3-8b.json", "DGX H100", 64, {"job.global_batch=128"})).context == 1);
  CHECK(decided(alone("llama3-8b.json", "DGX H100", 64, {"job.global_batch=4", "job.sequence=131072"})).context > 1);
  CHECK(decided(alone("llama3-8b.json", "DGX H100", 512, {"job.global_batch=16"})).context > 1);
}

TEST_CASE("a stated context group stays, and no group is that of one rank", "[models]") {
  const auto with = [](const char* context) {
    return decided(alone("llama3-8b.json", "DGX H100", 512, {"job.global_batch=16", context}));
  };
  CHECK(with("job.parallel.context=1").context == 1);
  CHECK(with("job.parallel.context=4").context == 4);
}

TEST_CASE("an open sharding is the usual one where that fits in scale-up domains, else that of weights", "[models]") {
  CHECK(decided(alone("llama3-8b.json", "DGX H100", 64, {"job.global_batch=128"})).sharding == Sharding::zero1);
  const Plan cards = decided(alone("llama3-70b.json", "8 x RTX-4090 server", 64, {"job.global_batch=256"}));
  CHECK(cards.sharding == Sharding::fsdp);
  CHECK(cards.pipeline == 1);
  const auto of_stack = [](const char* stack) {
    return decided(alone("llama3-8b.json", "DGX H100", 64, {"job.global_batch=128", stack})).sharding;
  };
  CHECK(of_stack("job.stack=torchtitan-2025") == Sharding::zero1);  // which shards gradients too, without stages
  CHECK(of_stack("job.stack=automodel-2025") == Sharding::fsdp);
  CHECK(of_stack("job.stack=megatron-2022") == Sharding::none);
}

TEST_CASE("an order that is stated as open is searched even if nothing else is open", "[models]") {
  const std::vector<std::string> stated = {
      "job.global_batch=64",    "job.parallel.tensor=1", "job.parallel.pipeline=4",
      "job.parallel.context=4", "job.parallel.expert=8", "job.parallel.expert_tensor=1",
      "job.sharding=zero1",     "job.micro_batch=1",     "job.parallel.virtual_pipeline=4",
      "job.recompute=full"};
  const auto order = [&](const char* setting) {
    std::vector<std::string> settings = stated;
    if (setting) settings.emplace_back(setting);
    return decided(alone("mixtral-8x7b.json", "L40S", 64, settings)).rank_order;
  };
  CHECK(order(nullptr) == RankOrder::tensor_context_data_pipeline);
  CHECK(order("job.parallel.order=auto") == RankOrder::tensor_context_pipeline_data);
  CHECK(order("job.parallel.order=tensor-context-data-pipeline") == RankOrder::tensor_context_data_pipeline);
}

TEST_CASE("where memory is short, a look around the best layout finds the context group that frees it", "[models]") {
  const auto step = [](std::vector<std::string> settings) {
    const Scenario s = alone("llama3-70b.json", "DGX H100", 64, std::move(settings));
    DecidedPlan decided = decide_plan(s, OpenFields::best);
    REQUIRE(decided.step);
    return std::pair(decided.chosen.plan.context, to_seconds(decided.step->end).in(second));
  };
  const auto [open, open_time] = step({"job.global_batch=256"});
  const auto [stated, stated_time] = step({"job.global_batch=256", "job.parallel.context=1"});
  CHECK(open == 2);
  CHECK(stated == 1);
  CHECK(open_time < 0.97 * stated_time);
}

TEST_CASE("a second space gives what is better there, and keeps a search from a proof", "[models]") {
  const Scenario s = alone("llama3-8b.json", "DGX H100", 16, {"job.global_batch=64"});
  LayoutLimits limits = limits_of(s);
  limits.context.only = {1};
  SearchRequest request;
  request.best_alone = true;
  const SearchResult alone_result = LayoutSearch(s, limits, request).run();
  request.beyond = limits_of(s);
  request.beyond->context.least = 2;
  const SearchResult wider = LayoutSearch(s, limits, request).run();
  CHECK(alone_result.proven());
  CHECK_FALSE(wider.proven());
  CHECK(wider.nearby > 0);
  CHECK(wider.found.front().value <= alone_result.found.front().value);
}

TEST_CASE("layouts nearby halve and double what varies, and keep the rest", "[models]") {
  Layout centre;
  centre.tensor = 8;
  centre.expert = 4;
  centre.pipeline = 3;
  const LayoutLimits near = limits_near({}, centre, VariedDegrees::tensor_and_context);
  CHECK((near.tensor.allows(4) && near.tensor.allows(16) && !near.tensor.allows(2) && !near.tensor.allows(32)));
  CHECK((near.context.allows(2) && !near.context.allows(4)));
  CHECK((near.expert.allows(4) && !near.expert.allows(8)));
  CHECK((near.pipeline.allows(1) && near.pipeline.allows(6) && !near.pipeline.allows(7)));
  CHECK(limits_near({}, centre, VariedDegrees::experts).expert.allows(8));
}

TEST_CASE("a search that goes on around its best layout finds better ones in a thinned space", "[models]") {
  const Scenario s = alone("llama3-70b.json", "DGX H100", 65'536, {"job.global_batch=2048"});
  SearchRequest request;
  request.sweep.most_layouts = 20'000;
  request.most_replays = 3;
  request.best_alone = request.sweep.feasible_alone = true;
  const auto best = [&](bool refine) {
    request.refine = refine;
    const SearchResult result = LayoutSearch(s, {}, request).run();
    REQUIRE_FALSE(result.found.empty());
    CHECK(std::ranges::is_sorted(result.found, {}, &FoundLayout::value));
    return result.found.front().value;
  };
  CHECK(best(true) < 0.8 * best(false));
}

TEST_CASE("looking around asks of a stack no more than the user did", "[models]") {
  const Scenario s = alone("qwen3-30b-a3b.json", "DGX H100", 128, {"job.global_batch=256"});
  SearchRequest request;
  request.sweep.most_layouts = 2'000;
  request.refine = true;
  LayoutSearch search(s, {}, request);
  for (const FoundLayout& found : search.run().found) CHECK(search.ability().runs(found.candidate.layout));
}

}  // namespace clusterwright
