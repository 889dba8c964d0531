// SPDX-License-Identifier: Apache-2.0
// Used or refused: a field of a scenario changes the prediction of at least one of a few machines and jobs, or the
// program says that it has no effect. Fields are drawn from the field tables, so a new one that nothing reads fails
// here.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/job/unused_fields.hpp"
#include "models/prediction/predict_step.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "tools/output/result_json.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct Base {
  const char* scenario;
  std::vector<std::string> settings;
};

/// 8 nodes with 64 NICs in all.
std::vector<std::string> fabric(const char* json) {
  return {std::string("cluster.fabric=") + json};
}

/// Jobs and machines that between them use every part of a scenario, those that use most first.
const std::vector<Base> bases = {
    {"llama3-8b-h100-64", {"cluster.accelerators=64"}},
    {"mixtral-8x7b-h100", {}},
    {"multimodal-8b-loader-bound", {"cluster.storage.read_gb_per_s=0.01"}},
    {"multimodal-8b-loader-bound", {}},
    {"llama3-70b-finetune-nvme", {}},
    {"llama3-8b-h100-64", {"job.task=lora", "job.lora_rank=16"}},
    {"llama3-8b-h100-64", {"job.sharding=hsdp"}},
    {"llama3-8b-h100-64", {"cluster.fabric.tail.p99=1.5"}},
    {"llama3-8b-h100-64",
     {"job.offload.optimizer=pool",
      R"(cluster.pool={"capacity_gb":4000,"accelerator_gb_per_s":50,"total_gb_per_s":500})"}},
    {"llama3-8b-h100-64",
     {"job.offload.optimizer=pool", R"(cluster.pool={"capacity_gb":4000,"total_gb_per_s":5000,"over":"network"})"}},
    {"llama3-8b-h100-64",
     fabric(
         R"({"kind":"dragonfly","link_rate_gbit_per_s":20,"dragonfly":{"endpoints_per_switch":4,"switches_per_group":4,
                                  "global_links_per_switch":3,"groups":4}})")},
    {"llama3-8b-h100-64",
     fabric(R"({"kind":"dragonfly_plus","link_rate_gbit_per_s":20,"dragonfly_plus":{"endpoints_per_leaf":4,
                                  "leaves_per_group":4,"spines_per_group":4,"global_links_per_spine":3,"groups":4}})")},
    {"llama3-8b-h100-64", fabric(R"({"kind":"torus","torus":{"sides":[2,4]}})")},
    {"llama3-8b-h100-64", fabric(R"({"kind":"hyperx","hyperx":{"sides":[4,4],"endpoints_per_switch":4}})")},
    {"llama3-8b-h100-64", fabric(R"({"tiers":[{"name":"leaf","accelerators":64}],
                                  "sites":{"count":2,"rate_gbit_per_s":100,"latency_ms":1}})")},
    {"llama3-8b-h100-64",
     {R"(cluster.fabric.tiers=[{"name":"leaf","accelerators":16,"taper":4},{"name":"spine","accelerators":4096}])",
      "job.parallel.pipeline=2", "job.placement.order=shuffled"}},
    {"llama3-8b-h100-64", {"cluster=" CLUSTERWRIGHT_CONFIGS "/clusters/a100-pcie.json"}},
    {"llama3-8b-single-node", {"cluster=" CLUSTERWRIGHT_CONFIGS "/clusters/rtx4090-server.json"}},
    {"llama3-70b-consumer-wan", {}},
    {"gpt3-175b-a100", {}},
    {"deepseek-v3-h800", {}},
};

/// Fields that only people read, that name other files and parts, that have one legal value, or that only bound the
/// size of a network.
const std::set<std::string> not_numbers = {"cluster.name",
                                           "cluster.source",
                                           "transformer.name",
                                           "transformer.source",
                                           "cluster.node.part",
                                           "cluster.node.accelerator",
                                           "cluster.node.nic",
                                           "cluster.fabric.switch",
                                           "job.stack",
                                           "parameters",
                                           "steps",
                                           "job.parallel.data",
                                           "job.task",
                                           "cluster.fabric.dragonfly.groups",
                                           "cluster.fabric.dragonfly_plus.groups"};

Scenario load(const Base& base, const std::string& setting = {}) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  ScenarioOptions options;
  options.settings = base.settings;
  if (!setting.empty()) options.settings.push_back(setting);
  return load_scenario(configs / "scenarios" / (std::string(base.scenario) + ".json"), options);
}

/// Everything that is predicted, without words on origins.
std::string numbers_of(const Scenario& scenario) {
  StepPrediction step = predict_step(scenario);
  step.assumptions.clear();
  return write_json(step_to_json(step), -1);
}

/// A few values of a field, far apart.
std::vector<std::string> values_of(const FieldSpec& field) {
  if (field.type == FieldType::boolean) return {"true", "false"};
  if (field.type == FieldType::choice) return field.choices;
  if (field.type == FieldType::integer) return {"2", "1", "64", "4", "3", "8", "16", "100000", "1000000000"};
  if (field.type == FieldType::number) return {"0.4", "2", "0.001", "77", "4000", "1000000"};
  return {};
}

struct Leaf {
  std::string path;
  const FieldSpec* field;
};

void add_leaves(const RecordSpec& spec, const std::string& prefix, std::vector<Leaf>& out) {
  for (const FieldSpec& field : spec.fields) {
    const std::string path = prefix.empty() ? field.key : prefix + "." + field.key;
    if (path == "prices" || path == "cluster.parts" || path == "cluster.facility" || field.is_map) continue;
    if (field.type != FieldType::record && !field.is_list) {
      if (!not_numbers.contains(path) && !values_of(field).empty()) out.push_back({path, &field});
    } else if (field.type == FieldType::record && !field.is_list) {
      add_leaves(field.nested(), path, out);
    }
  }
}

enum class Effect { none, changes, refused, named };

Effect effect_of(const Base& base, const std::string& before, const std::string& path, const std::string& value) {
  try {
    const Scenario scenario = load(base, path + "=" + value);
    const auto unused = unused_fields(scenario, ScenarioReader::run);
    const bool named = std::any_of(unused.begin(), unused.end(), [&](const auto& one) { return one.path == path; });
    const bool changed = numbers_of(scenario) != before;
    INFO(base.scenario << " --set " << path << "=" << value);
    CHECK_FALSE((named && changed));  // a field without effect must have none
    return changed ? Effect::changes : named ? Effect::named : Effect::none;
  } catch (const ConfigError&) {
    return Effect::refused;
  }
}

/// Whether some value of the field changes the prediction of some base, or the program names it as unused.
bool used_or_named(const Leaf& leaf, const std::vector<std::string>& before) {
  for (std::size_t i = 0; i < bases.size(); ++i)
    for (const std::string& value : values_of(*leaf.field)) {
      const Effect effect = effect_of(bases[i], before[i], leaf.path, value);
      if (effect == Effect::changes || effect == Effect::named) return true;
    }
  return false;
}

}  // namespace

TEST_CASE("every number of a scenario changes some prediction, or is said to change nothing", "[laws]") {
  std::vector<std::string> before;
  for (const Base& base : bases) before.push_back(numbers_of(load(base)));
  std::vector<Leaf> leaves;
  add_leaves(scenario_spec(), "", leaves);
  CHECK(leaves.size() > 100);
  for (const Leaf& leaf : leaves) {
    INFO(leaf.path);
    CHECK(used_or_named(leaf, before));
  }
}

TEST_CASE("a field of a plain job moves its prediction, is refused, or is said to change nothing", "[laws]") {
  std::vector<Leaf> leaves;
  add_leaves(scenario_spec(), "", leaves);
  for (const Base& base : {Base{"llama3-8b-h100-64", {}}, Base{"llama3-8b-single-node", {}}}) {
    const std::string before = numbers_of(load(base));
    for (const Leaf& leaf : leaves) {
      const std::vector<std::string> values = values_of(*leaf.field);
      const auto silent = [&](const std::string& value) {
        return effect_of(base, before, leaf.path, value) == Effect::none;
      };
      INFO(base.scenario << " " << leaf.path);
      CHECK_FALSE(std::all_of(values.begin(), values.end(), silent));
    }
  }
}

namespace {

struct Idle {
  const char* scenario;
  const char* setting;
  const char* why;
};

/// Settings that reviews found to be accepted and ignored.
const Idle idle_settings[] = {
    {"llama3-8b-h100-64", "job.parallel.context_exchange=ring", "context is 1"},
    {"llama3-8b-h100-64", "job.routing.imbalance=2", "the transformer has no experts"},
    {"llama3-8b-h100-64", "job.routing.capacity_factor=1.5", "the transformer has no experts"},
    {"llama3-8b-h100-64", "transformer.full_attention_every=2", "no window is given"},
    {"llama3-8b-h100-64", "job.sample_tokens=9000", "samples are not shorter than a sequence"},
    {"llama3-8b-h100-64", "cluster.fabric.tiers.0.taper=3", "the top tier has no links up"},
    {"llama3-8b-h100-64", "cluster.fabric.routing=valiant", "all nodes are on one tier of switches: there is one path"},
    {"llama3-8b-h100-64", "cluster.fabric.queue_pairs=8", "paths are not hashed"},
    {"llama3-8b-h100-64", "cluster.fabric.routing_seed=8", "paths are not hashed"},
    {"llama3-8b-h100-64", "job.placement.order=shuffled",
     "all nodes are on one tier of switches: their places are alike"},
    {"llama3-8b-h100-64", "job.placement.seed=8", "nodes are not shuffled"},
    {"llama3-8b-h100-64", "cluster.storage.read_gb_per_s=3", "the job reads no data and writes no checkpoints"},
    {"llama3-8b-single-node", "cluster.fabric.hop_latency_us=3", "the cluster is one node or one scale-up domain"},
};

}  // namespace

TEST_CASE("a setting without effect is refused with its reason", "[laws]") {
  for (const Idle& idle : idle_settings) {
    INFO(idle.setting);
    const Scenario scenario = load({idle.scenario, {}}, idle.setting);
    const auto unused = unused_fields(scenario, ScenarioReader::run);
    const std::string path = std::string(idle.setting).substr(0, std::string(idle.setting).find('='));
    const auto found = std::find_if(unused.begin(), unused.end(), [&](const auto& one) { return one.path == path; });
    REQUIRE(found != unused.end());
    CHECK(found->why == idle.why);
    CHECK(found->typed);
    CHECK_THROWS_AS(check_unused(unused), ConfigError);
  }
}

TEST_CASE("a field of a file without effect is named in one warning, a description of a machine is not", "[laws]") {
  const UnusedField needless{"job.routing", "the transformer has no experts"};
  const UnusedField machine{"cluster.storage", "the job reads no data", nullptr, false, UnusedKind::describes};
  CHECK(check_unused({machine}).empty());
  CHECK(check_unused({machine, needless}) ==
        std::vector<std::string>{"given, but of no effect here: job.routing (the transformer has no experts)"});
}

TEST_CASE("weights that pipeline stages keep whole are no error but said", "[laws]") {
  const Scenario scenario = load({"llama3-70b-h100", {}}, "job.sharding=zero2");
  const auto warnings = check_unused(unused_fields(scenario, ScenarioReader::run));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("job.sharding (pipeline stages keep whole weights") != std::string::npos);
  const Scenario gathers = load({"llama3-70b-h100", {}}, "job.sharding=zero3");  // whole weights beside the shards
  CHECK(check_unused(unused_fields(gathers, ScenarioReader::run)).empty());
}
