// SPDX-License-Identifier: Apache-2.0
// Part against part: every rule refuses or warns of an input that breaks it and names both fields; no rule is dead.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "models/job/model_rules.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/site/plant/power_chain.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/broken_parts.hpp"
#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"
#include "support/facilities.hpp"
#include "support/shipped_folders.hpp"
#include "tools/rule_list.hpp"
#include "topology/rules/part_rules.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Code of errors, or "warning", with the message.
struct Said {
  std::string code, message;
};

std::vector<Said> said_by(const ConfigError& error) {
  std::vector<Said> out;
  for (const Diagnostic& found : error.diagnostics()) out.push_back({found.code, found.message});
  return out;
}

Scenario load(const std::string& scenario, const std::vector<std::string>& settings) {
  ScenarioOptions options;
  options.settings = settings;
  return load_scenario(configs / "scenarios" / (scenario + ".json"), options);
}

/// What the program says about a scenario before it computes anything.
std::vector<Said> said_about(const std::string& name, const std::vector<std::string>& settings) {
  try {
    const Scenario scenario = load(name, settings);
    resolve_plan(scenario);
    std::vector<Said> out;
    for (const std::string& remark : scenario.cluster.remarks) out.push_back({"warning", remark});
    for (const RuleFinding& found : job_findings({scenario.job, scenario.transformer, scenario.cluster}))
      out.push_back({found.is_error() ? "error" : "warning", found.message});
    return out;
  } catch (const ConfigError& error) {
    return said_by(error);
  }
}

/// Facility of configs/ with contained air and a supply temperature.
/// Errors about the hall for air with one field changed.
std::vector<Said> said_about_hall(const char* block, const char* field, JsonValue value) {
  JsonValue document = read_json_file(configs / "facilities" / "air.json");
  document.find(block)->set(field, std::move(value));
  try {
    complete_facility(decode_record<FacilitySpec>(document), shipped_parts(), document);
    return {};
  } catch (const ConfigError& error) {
    return said_by(error);
  }
}

std::vector<Said> said_about_supply(double supply_c) {
  return said_about_hall("cooling", "supply_c", supply_c);
}

std::vector<Said> said_about_circuit(const char* part) {
  return said_about_hall("power", "circuit", part);
}

std::vector<Said> said_about_modules(double kva) {
  Catalog catalog = shipped_parts();
  PowerChainSpec spec = air_facility(catalog).power;
  for (PowerPart& part : catalog.power_stages) part.rating.value = kva * kilowatt;
  spec.circuit.clear();
  try {
    PowerChain(spec, catalog, 40 * kilowatt, 8 * kilowatt, {0, {}});
    return {};
  } catch (const ConfigError& error) {
    return said_by(error);
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string hdr_leaf = R"(cluster.fabric.tiers.0.switch="QM8700/QM8790")";
const std::string hdr_spine = R"(cluster.fabric.tiers.1.switch="QM8700/QM8790")";
const std::string no_sizes = R"(cluster.fabric.tiers=[{"name":"leaf","switch":"QM9700/QM9790"},
                                                     {"name":"spine","switch":"QM9700/QM9790"}])";

const std::vector<BrokenInput> clusters_broken = {
    {"rate and NIC",
     dense_job,
     {"cluster.node.nic=ConnectX-7 NDR", "cluster.node.nic_rate_gbit_per_s=800"},
     {"node.nic_rate_gbit_per_s (800 Gbit/s)", "node.nic (ConnectX-7 NDR, 400 Gbit/s)"}},
    // 16 lanes of PCIe 5: 63 GB/s = 504 Gbit/s
    {"NIC rate and its slot",
     dense_job,
     {"cluster.node.nic_rate_gbit_per_s=1000000"},
     {"node.nic_rate_gbit_per_s (1000000 Gbit/s)",
      "node.pcie.nic_slot_gb_per_s (not given, 504.1 Gbit/s of PCIe5 x16)"}},
    {"NICs and slots of accelerators",
     dense_job,
     {"cluster.node.nics=64"},
     {"node.nics (64 x 400 Gbit/s)", "node.pcie.link_gb_per_s (8 x 504 Gbit/s)"}},
    {"NICs per accelerator", dense_job, {"cluster.node.nics=9"}, {"node.nics (9)", "node.accelerators (8)"}},
    {"accelerators per NIC", dense_job, {"cluster.node.nics=7"}, {"node.nics (7)", "node.accelerators (8)"}},
    {"number of NICs", dense_job, {"cluster.node.nics=16384"}, {"node.nics (16384)", "node.accelerators (8)"}},
    {"ports of accelerators",
     dense_job,
     {"cluster.node.nic=TPU-v5p ICI"},
     {"node.nic (TPU-v5p ICI)", "node.pcie.nics (switch)"}},
    {"slot and host link of an accelerator",
     dense_job,
     {"cluster.node.pcie.link_gb_per_s=1000"},
     {"node.pcie.link_gb_per_s (1000 GB/s)", "node.accelerator.host_bandwidth (63 GB/s)"}},
    {"power of the host",
     dense_job,
     {R"(cluster.node={"accelerator":"H100-SXM","nic":"ConnectX-7 NDR"})"},
     {"node.host_power_w (not given)", "node.part (not given)", "0 W"}},
    // 8 x 1.4 kW = 11.2 kW
    {"accelerators and power of the server",
     dense_job,
     {variant(R"("power_w":1400)"), "cluster.node.accelerator=Mine"},
     {"node.accelerator (8 x 1400 W of Mine = 11.2 kW)", "node.part.max_power_kw (10.2 kW)"}},
    {"power limit of accelerators, twice",
     dense_job,
     {"cluster.node.accelerator_power_limit_w=500", "cluster.node.accelerator_power_limit_share=0.8"},
     {"node.accelerator_power_limit_w (500 W)", "node.accelerator_power_limit_share (0.8)"}},
    {"power limit and least limit",
     dense_job,
     {"cluster.node.accelerator_power_limit_w=150"},
     {"node.accelerator_power_limit_w (150 W)", "node.accelerator (H100-SXM, 200 W)"}},
    {"power limit as a share and least limit",
     dense_job,
     {"cluster.node.accelerator_power_limit_share=0.2"},
     {"node.accelerator_power_limit_share (140 W)", "node.accelerator (H100-SXM, 200 W)"}},
    // 8 x 200 W and a host of 2.7 kW
    {"power limit of a node",
     dense_job,
     {"cluster.node.host_power_w=2700", "cluster.node.power_limit_w=4000"},
     {"node.power_limit_w (4000 W)",
      "node.host_power_w (2700 W, so that 4300 W with 8 accelerators at 200 W are needed)"}},
    {"power limit and clock",
     "llama3-70b-tpu-v5p",
     {"cluster.node.accelerator_power_limit_share=0.8"},
     {"node.accelerator (TPU-v5p)"}},
    {"power limit and rated power",
     dense_job,
     {"cluster.node.accelerator_power_limit_w=900"},
     {"node.accelerator_power_limit_w (900 W)", "node.accelerator (700 W)"}},
    {"protocol of NICs",
     dense_job,
     {"cluster.node.nic=1 GbE"},
     {"node.nic (1 GbE, ethernet)", "fabric.transport (infiniband)"}},
    {"protocol of switches",
     dense_job,
     {R"(cluster.fabric.tiers.0.switch="SN5600")"},
     {"fabric.tiers.0.switch (SN5600, Ethernet Spectrum-4 (Spectrum-X))", "fabric.transport (infiniband)"}},
    {"NIC and switch port",
     dense_job,
     {no_sizes, hdr_leaf, hdr_spine},
     {"node.nic_rate_gbit_per_s (400 Gbit/s)", "fabric.tiers.0.switch (200 Gbit/s)"}},
    {"switch port and NIC",
     dense_job,
     {no_sizes, R"(cluster.fabric.tiers.0.switch="Q3400-RA")"},
     {"fabric.tiers.0.switch (800 Gbit/s)", "node.nic_rate_gbit_per_s (400 Gbit/s)"}},
    {"links and switch ports",
     dense_job,
     {no_sizes, "cluster.fabric.link_rate_gbit_per_s=800"},
     {"fabric.link_rate_gbit_per_s (800 Gbit/s)", "fabric.tiers.0.switch (400 Gbit/s)"}},
    {"ports of two tiers",
     dense_job,
     {no_sizes, hdr_spine},
     {"fabric.tiers.0.switch (400 Gbit/s)", "fabric.tiers.1.switch (200 Gbit/s)"}},
};

const std::vector<BrokenInput> models_broken = {
    {"key-value heads and heads",
     dense_job,
     {"transformer.kv_heads=5"},
     {"transformer.kv_heads (5)", "transformer.heads (32)"}},
    {"key-value heads and heads",
     dense_job,
     {"transformer.kv_heads=64"},
     {"transformer.kv_heads (64)", "transformer.heads (32)"}},
    {"heads and hidden width",
     dense_job,
     {"transformer.heads=7", "transformer.kv_heads=7", "transformer.head_width=auto"},
     {"transformer.heads (7)", "transformer.hidden (4096)"}},
    {"width of heads",
     dense_job,
     {"transformer.heads=1024", "transformer.kv_heads=8", "transformer.head_width=auto"},
     {"transformer.heads (1024)", "transformer.hidden (4096, 4 for each)"}},
    {"sequence and position table",
     dense_job,
     {"transformer.max_sequence=128", "transformer.positions=learned"},
     {"job.sequence (8192)", "transformer.max_sequence (128)"}},
    {"sequence and rotary positions",
     dense_job,
     {"transformer.max_sequence=128"},
     {"job.sequence (8192)", "transformer.max_sequence (128)"}},
    {"batch and its limit",
     "llama3-8b-h100-64",
     {"job.max_global_batch_tokens=500000"},
     {"job.global_batch (64 x sequence 8192 = 524288 tokens)", "job.max_global_batch_tokens (500000)"}},
    {"cores and host",
     "multimodal-8b-loader-bound",
     {"job.input.cores_per_accelerator=65536"},
     {"job.input.cores_per_accelerator (65536 x 8 accelerators)", "cluster.node.host.cores (112)"}},
};

const RuleWords& words_of(const std::string& name) {
  static const std::vector<RuleWords> list = rule_list();
  for (const RuleWords& rule : list)
    if (rule.name == name) return rule;
  FAIL("no rule is called " << name);
  return list.front();
}

void check_said(const std::string& name, const std::vector<std::string>& words, const std::vector<Said>& all) {
  const RuleWords& rule = words_of(name);
  const std::string code = rule.code.empty() ? "warning" : std::string(rule.code);
  std::string heard;
  bool found = false;
  for (const Said& said : all) {
    heard += said.code + ": " + said.message + "\n";
    bool same = said.code == code && contains(said.message, std::string(rule.relation));
    for (const std::string& word : words) same = same && contains(said.message, word);
    found = found || same;
  }
  INFO(name << "\n" << heard);
  CHECK(found);
}

void check_broken(const std::vector<BrokenInput>& list) {
  for (const BrokenInput& broken : list)
    check_said(broken.rule, broken.words, said_about(broken.scenario, broken.settings));
}

}  // namespace

TEST_CASE("a part that contradicts itself is refused, and both values are named", "[laws][rules]") {
  check_broken(parts_broken);
}

TEST_CASE("parts of a cluster that do not suit each other are refused or warned of", "[laws][rules]") {
  check_broken(clusters_broken);
}

TEST_CASE("dimensions, sequences and cores that contradict each other are refused or warned of", "[laws][rules]") {
  check_broken(models_broken);
}

TEST_CASE("a facility refuses hot air and toy modules", "[laws][rules]") {
  check_said("supply temperature and servers", {"cooling.supply_c (60 C)", "(45 C)"}, said_about_supply(60));
  CHECK(said_about_supply(24).empty());
  check_said("voltages of neighbouring power stages", {"power.circuit (Circuit 480 V 100 A, 480 V)", "415 V"},
             said_about_circuit("Circuit 480 V 100 A"));
  CHECK(said_about_circuit("Circuit 415 V 63 A").empty());
  check_said("module and load of a power stage", {"0.000000001 kVA", "kW)"}, said_about_modules(1e-9));
  CHECK(said_about_modules(100).empty());
}

TEST_CASE("no rule is dead: each has an input above that breaks it, and a name of its own", "[laws][rules]") {
  std::multiset<std::string> names;
  for (const RuleWords& rule : rule_list()) names.emplace(rule.name);
  std::set<std::string> tested = {"supply temperature and servers", "module and load of a power stage",
                                  "voltages of neighbouring power stages"};
  for (const auto* list : {&parts_broken, &clusters_broken, &models_broken})
    for (const BrokenInput& broken : *list) tested.insert(broken.rule);
  CHECK(std::set<std::string>(names.begin(), names.end()) == tested);
  for (const std::string& name : tested) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}
