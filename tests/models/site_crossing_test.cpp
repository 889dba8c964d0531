// SPDX-License-Identifier: Apache-2.0
// Sites that ranks fill one after the other: which groups cross, what a job may ask for, and where groups train apart.
#include "models/plan/site_crossing.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/plan/stage_layout.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Settings = std::vector<std::string>;

/// Llama 3 8B on 64 H100 at two sites of 32: 2 tensor ranks x 4 stages x 8 replicas.
Scenario two_sites(const Settings& more) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  ScenarioOptions options;
  options.settings = {R"(cluster.fabric={"tiers":[{"name":"leaf","accelerators":32}],
                         "sites":{"count":2,"rate_gbit_per_s":100,"latency_ms":1}})",
                      "job.parallel.tensor=2", "job.parallel.pipeline=4", "job.sharding=zero1",
                      "job.stack=megatron-2024"};
  options.settings.insert(options.settings.end(), more.begin(), more.end());
  return load_scenario(configs / "scenarios" / "llama3-8b-h100-64.json", options);
}

Plan plan_with(const Settings& more) {
  return resolve_plan(two_sites(more)).plan;
}

/// Messages and helps of all contradictions.
std::string words_of(const Settings& more) {
  try {
    plan_with(more);
  } catch (const ConfigError& error) {
    std::string words;
    for (const Diagnostic& d : error.diagnostics()) words += d.code + " " + d.message + " | " + d.help + "\n";
    return words;
  }
  return {};
}

bool says(const std::string& words, const std::string& part) {
  return words.find(part) != std::string::npos;
}

const std::string across_data = "job.parallel.across_sites=data", across_stages = "job.parallel.across_sites=pipeline";
const std::string one_site = R"(cluster.fabric={"tiers":[{"name":"leaf","accelerators":64}]})";
const std::string by_site = "job.site_reduction=hierarchical";

}  // namespace

TEST_CASE("the outermost dimension of the ranks crosses sites", "[models][several_sites]") {
  // Stages outermost: 16 ranks a stage, so that a site of 32 holds 2 stages with all 8 replicas.
  const Scenario usual = two_sites({});
  const SiteCrossing stages = site_crossing(resolve_plan(usual).plan, usual.cluster);
  CHECK(stages.sites == 2);
  CHECK(stages.site_ranks == 32);
  CHECK(stages.pipeline);
  CHECK_FALSE(stages.data);
  CHECK(stages.together == 8);
  // Replicas outermost: 8 ranks a replica, so that a site holds 4 of the 8.
  const SiteCrossing replicas = site_crossing(plan_with({across_data}), usual.cluster);
  CHECK(replicas.data);
  CHECK_FALSE(replicas.pipeline);
  CHECK_FALSE(replicas.inner);
  CHECK(replicas.together == 4);
}

TEST_CASE("across_sites chooses the order of ranks, and an order that contradicts it is refused",
          "[models][several_sites]") {
  CHECK(plan_with({across_data}).rank_order == RankOrder::tensor_context_pipeline_data);
  CHECK(plan_with({across_stages}).rank_order == RankOrder::tensor_context_data_pipeline);
  CHECK(plan_with({across_data, "job.stack=llama3-report"}).rank_order == RankOrder::tensor_context_pipeline_data);
  const std::string words = words_of({across_data, "job.parallel.order=tensor-context-data-pipeline"});
  CHECK(says(words, "E0310 2 sites of 32 accelerators cannot hold whole replicas"));
  CHECK(says(words, "\"order\": \"tensor-context-pipeline-data\" or \"auto\""));
  // On one site nothing crosses, and the order stays that of the stack.
  CHECK(plan_with({across_data, one_site}).rank_order == RankOrder::tensor_context_data_pipeline);
}

TEST_CASE("degrees that cannot fill sites are refused with what would", "[models][several_sites]") {
  const std::string one_replica = words_of({across_data, "job.parallel.tensor=8", "job.parallel.pipeline=8"});
  CHECK(says(one_replica, "got 1 of tensor 8 x context 1 x pipeline 8 = 64 ranks"));
  CHECK(says(one_replica, "a replica needs several sites"));
  const std::string one_stage = words_of({across_stages, "job.parallel.pipeline=1"});
  CHECK(says(one_stage, "1 pipeline stages cannot fill 2 sites whole"));
  CHECK(says(words_of({"job.parallel.across_sites=none"}), "across_sites is none, but the job runs on 2 sites"));
  CHECK(words_of({across_stages}).empty());
}

TEST_CASE("replicas on several sites reduce inside each first if the job or its stack does",
          "[models][several_sites]") {
  CHECK_FALSE(plan_with({across_data}).grouped);  // megatron-2024 predates it
  const Plan grouped = plan_with({across_data, by_site});
  CHECK(grouped.grouped);
  CHECK(grouped.shard_group == 4);  // of 8 ranks with the same weights, those of one site
  CHECK(plan_with({across_data, "job.stack=bridge-2025"}).shard_group == 4);
  CHECK_FALSE(plan_with({across_data, "job.stack=bridge-2025", "job.site_reduction=flat"}).grouped);
  CHECK_FALSE(plan_with({across_stages, "job.stack=bridge-2025"}).grouped);  // each ring is on one site
}

TEST_CASE("a reduction by site that cannot be is refused", "[models][several_sites]") {
  CHECK(says(words_of({by_site}), "each group of replicas is on one site already"));
  const std::string sharded = words_of({across_data, by_site, "job.sharding=fsdp"});
  CHECK(says(sharded, "sharded weights are gathered from all sites"));
  CHECK(says(sharded, "use \"sharding\": \"hsdp\" with \"shard_group\": 4"));
}

TEST_CASE("groups that train apart are sites with whole replicas, else replicas", "[models][several_sites]") {
  const std::string apart = "job.local_steps=10";
  CHECK(plan_with({across_data, apart}).shard_group == 4);                        // 8 replicas in 2 groups
  CHECK(plan_with({apart}).shard_group == 1);                                     // stages cross: each replica alone
  CHECK(plan_with({across_data, apart, "job.local_groups=4"}).shard_group == 2);  // 8 in 4
  CHECK(plan_with({one_site, apart}).shard_group == 1);
  CHECK(plan_with({across_data, apart}).reducing_ranks() == 4);
  CHECK(plan_with({across_data, by_site}).reducing_ranks() == 8);
  CHECK(says(words_of({apart, "job.local_groups=3"}), "must divide the replicas (got 3 groups, 8 replicas)"));
  CHECK(says(words_of({apart, "job.sharding=zero3"}), "each need all weights"));
  CHECK(says(words_of({apart, across_data, by_site}), "with local_steps each group reduces its own alone"));
}

TEST_CASE("the outer optimizer keeps a momentum and the common parameters", "[models][several_sites]") {
  const auto optimizer = [](const Settings& more) {
    const Scenario s = two_sites(more);
    const Plan plan = resolve_plan(s).plan;
    const StageLayout layout = stage_layout(s.transformer.layers, plan);
    const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
    const double owned = trained_parameters(planned, 1).total();
    return std::pair(optimizer_memory(planned, 1).in(byte) / owned, outer_memory(planned, 1).in(byte) / owned);
  };
  // Adam: 12 bytes a parameter over the 4 ranks of a site; outer momentum and common parameters: 4 + 4 bytes, likewise.
  const auto together = optimizer({across_data, by_site}), apart = optimizer({across_data, "job.local_steps=10"});
  CHECK(together.second == 0);
  CHECK(apart.second == Approx(8.0 / 4));
  CHECK(apart.first - together.first == Approx(8.0 / 4));
  CHECK(optimizer({across_data}).first == Approx(together.first / 2));  // flat: over all 8 ranks
}
