// SPDX-License-Identifier: Apache-2.0
// Layouts that shipped stacks can run: lists that make sense, and that hold what shipped scenarios ask for.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "models/job/scenario_loader.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/runnable_layout.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Files = std::filesystem::directory_iterator;

SoftwareStack stack_in(const std::filesystem::path& file) {
  return decode_record<SoftwareStack>(read_json_file(file));
}

template <class T>
bool has_no_twins(const std::vector<T>& all) {
  return std::set<T>(all.begin(), all.end()).size() == all.size();
}

Job job_of(const std::string& scenario, const std::vector<std::string>& settings) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  ScenarioOptions options;
  options.settings = settings;
  return load_scenario(configs / "scenarios" / (scenario + ".json"), options).job;
}

}  // namespace

TEST_CASE("every shipped stack says which layouts it can run", "[stack]") {
  for (const auto& file : Files(configs / "stacks")) {
    const SoftwareStack stack = stack_in(file.path());
    INFO(stack.name);
    REQUIRE(stack.layouts);
    const StackLayouts& layouts = *stack.layouts;
    CHECK(layouts.source.size() > 40);
    CHECK_FALSE(layouts.shardings.empty());
    CHECK(has_no_twins(layouts.schedules));
    CHECK(has_no_twins(layouts.shardings));
    CHECK(has_no_twins(layouts.offload));
    // zero3 and fsdp are two names of one layout, and hsdp is fsdp in groups.
    CHECK(lists(layouts.shardings, Sharding::zero3) == lists(layouts.shardings, Sharding::fsdp));
    CHECK((!lists(layouts.shardings, Sharding::hsdp) || lists(layouts.shardings, Sharding::fsdp)));
    // Interleaving is a form of 1f1b.
    CHECK((!layouts.interleaves || lists(layouts.schedules, PipelineSchedule::one_forward_one_backward)));
    CHECK(decode_record<SoftwareStack>(encode_record(stack)) == stack);
  }
}

TEST_CASE("every shipped scenario is a layout that its stack can run", "[stack]") {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  int scenarios = 0;
  for (const auto& file : Files(configs / "scenarios")) {
    const Scenario scenario = load_scenario(file.path(), {});
    INFO(file.path().filename() << " on " << scenario.stack.name);
    REQUIRE(scenario.stack.layouts);
    CHECK(beyond_stack(scenario.job, *scenario.stack.layouts) == std::vector<std::string>{});
    ++scenarios;
  }
  CHECK(scenarios >= 15);
}

TEST_CASE("layouts that frameworks of 2024 lack are not in their lists", "[stack]") {
  using Fields = std::vector<std::string>;
  const auto beyond = [](const char* scenario, const std::vector<std::string>& settings) {
    const Job job = job_of(scenario, settings);
    return beyond_stack(job, *stack_in(configs / "stacks" / (job.stack + ".json")).layouts);
  };
  CHECK(beyond("llama3-70b-h100", {"job.parallel.schedule=dualpipe"}) == Fields{"schedule"});
  CHECK(beyond("llama3-70b-h100", {"job.sharding=fsdp"}) == Fields{"sharding"});
  CHECK(beyond("llama3-70b-h100", {"job.offload.optimizer=true"}) == Fields{"offload.optimizer"});
  CHECK(beyond("gpt3-175b-a100", {"job.parallel.context=2"}) == Fields{"context"});
  CHECK(beyond("llama3-70b-tpu-v5p", {"job.parallel.pipeline=2"}) == Fields{"schedule"});
  CHECK(beyond("llama3-405b-h100", {"job.recompute=full", "job.recomputed_layers=1"}) == Fields{"recomputed_layers"});
  CHECK(beyond("mixtral-8x7b-h100", {"job.parallel.tensor=2", "job.parallel.expert_tensor=1"}) ==
        Fields{"expert_tensor"});
}

TEST_CASE("a stack that does not say which layouts it can run stays one that does not", "[stack]") {
  SoftwareStack silent = stack_in(configs / "stacks" / "megatron-2024.json");
  silent.layouts.reset();
  const JsonValue written = encode_record(silent);
  CHECK(written.find("layouts")->is_null());
  CHECK(decode_record<SoftwareStack>(written) == silent);
}
