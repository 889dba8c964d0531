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

/// An input that breaks a rule, and words of the message: both fields and their values.
struct BrokenInput {
  const char* rule;
  const char* scenario;
  std::vector<std::string> settings;
  std::vector<std::string> words;
};

std::string own(const char* list, const std::string& part) {
  return fmt::format("cluster.parts={{\"{}\":[{}]}}", list, part);
}

std::string variant(const std::string& fields) {
  return own("accelerators", R"({"id":"Mine","like":"H100-SXM",)" + fields + "}");
}

std::string server(const std::string& fields) {
  return own("nodes", R"({"id":"Box","accelerator_id":"H100-SXM",)" + fields + "}");
}

std::string stage(const std::string& fields) {
  return own("power_stages", R"({"id":"Mine","kind":"ups","no_load_loss":0.01,)" + fields + "}");
}

std::string cooling(const std::string& fields) {
  return own("rack_cooling", R"({"id":"Mine","capacity_kw":40,"server_fan_share":0.1,"coolant_supply_c":20,
    "air_rise_k":15,"air_mover_share":0.1,"pump_share":0.02,)" +
                                 fields + "}");
}

std::string climate(const std::string& fields) {
  return own("climates", R"({"id":"Mine","mean_c":11,"annual_k":9,"daily_k":5,"wet_bulb_below_k":2,)" + fields + "}");
}

const char* const dense_job = "llama3-8b-h100-64";

const std::vector<BrokenInput> parts_broken = {
    {"addressable memory and label",
     dense_job,
     {variant(R"("memory_gb":80,"addressable_memory_gb":1000)")},
     {"parts.accelerators.0.addressable_memory_gb (1000 GB)", "memory_gb (80 GB, at most 85.9 GB if counted in GiB)"}},
    {"best GEMM and peak",
     dense_job,
     {variant(R"("best_gemm_tflops":{"bf16":5000})")},
     {"best_gemm_tflops (5000 TFLOP/s in bf16)", "peak_dense_tflops (989 TFLOP/s in bf16)"}},
    {"idle power and rated power",
     dense_job,
     {variant(R"("idle_power_w":800)")},
     {"idle_power_w (800 W)", "power_w (700 W)"}},
    {"lowest power cap and rated power",
     dense_job,
     {variant(R"("min_power_limit_w":900)")},
     {"min_power_limit_w (900 W)", "power_w (700 W)"}},
    {"boost clock and highest clock",
     dense_job,
     {variant(R"("boost_mhz":2500)")},
     {"boost_mhz (2500 MHz)", "max_mhz (1980 MHz)"}},
    {"measured host link and its data sheet",
     dense_job,
     {variant(R"("host_bandwidth_gb_per_s":63,"measured_host_bandwidth_gb_per_s":126)")},
     {"measured_host_bandwidth_gb_per_s (126 GB/s)", "host_bandwidth_gb_per_s (63 GB/s)"}},
    {"link to one neighbour and all links",
     dense_job,
     {variant(R"("peer_bandwidth_gb_per_s":500)")},
     {"peer_bandwidth_gb_per_s (500 GB/s)", "scale_up_bandwidth_gb_per_s (450 GB/s)"}},
    {"typical and maximum power of a NIC",
     dense_job,
     {own("nics", R"({"id":"Mine","rate_gbit_per_s":400,"typical_power_w":30,"max_power_w":20})")},
     {"parts.nics.0.typical_power_w (30 W)", "max_power_w (20 W)"}},
    {"typical and maximum power of a switch",
     dense_job,
     {own("switches", R"({"id":"Mine","ports":64,"typical_power_w":3000,"max_power_w":2000})")},
     {"parts.switches.0.typical_power_w (3000 W)", "max_power_w (2000 W)"}},
    {"typical and maximum power of a cable",
     dense_job,
     {own("cables", R"({"id":"Mine","power_per_end_w":12,"max_power_per_end_w":10})")},
     {"parts.cables.0.power_per_end_w (12 W)", "max_power_per_end_w (10 W)"}},
    {"typical and maximum power of a server",
     dense_job,
     {server(R"("accelerator_count":8,"typical_power_kw":20,"max_power_kw":10.2)")},
     {"parts.nodes.0.typical_power_kw (20 kW)", "max_power_kw (10.2 kW)"}},
    {"idle and maximum power of a server",
     dense_job,
     {server(R"("accelerator_count":8,"idle_power_kw":11,"max_power_kw":10.2)")},
     {"idle_power_kw (11 kW)", "max_power_kw (10.2 kW)"}},
    // 16 x 700 W = 11.2 kW
    {"power of a server and of its accelerators",
     dense_job,
     {server(R"("accelerator_count":16,"max_power_kw":10.2)")},
     {"accelerator_count (16 x 700 W of H100-SXM = 11.2 kW)", "max_power_kw (10.2 kW)"}},
    // 10.2 - 8 x 0.7 = 4.6 kW
    {"power of a server and of its host",
     dense_job,
     {server(R"("accelerator_count":8,"max_power_kw":10.2,"host_power_w":6000)")},
     {"host_power_w (6 kW)", "max_power_kw (10.2 kW, of which accelerators leave 4.6 kW)"}},
    {"losses and efficiency of a power stage",
     dense_job,
     {stage(R"("rating_kva":1000,"efficiency":1,"proportional_loss":0.5)")},
     {"no_load_loss (0.01, with proportional_loss 0.5)", "efficiency (1, which loses 0 of the output"}},
    // sqrt 3 x 415 V x 100 A = 71.9 kVA
    {"rating and current of a power stage",
     dense_job,
     {stage(R"("rating_kva":720,"efficiency":0.96,"proportional_loss":0.01,"voltage":415,"amperes":100)")},
     {"rating_kva (720 kVA)", "amperes (100 A at 415 V are 71.88 kVA)"}},
    {"air temperature and servers",
     dense_job,
     {cooling(
         R"("air_supply_c":60,"liquid_share":0,"air_capacity_kw":40,"coolant_rise_k":0,"coolant_heat_j_per_l_k":0)")},
     {"parts.rack_cooling.0.air_supply_c (60 C)", "(45 C)"}},
    {"liquid and its flow",
     dense_job,
     {cooling(R"("air_supply_c":24,"liquid_share":0.8,"air_capacity_kw":40,"coolant_rise_k":0,
                 "coolant_heat_j_per_l_k":4000)")},
     {"liquid_share (0.8)", "coolant_rise_k (0 K, with coolant_heat_j_per_l_k 4000)"}},
    {"heat of a rack and its share in air",
     dense_job,
     {cooling(
         R"("air_supply_c":24,"liquid_share":0,"air_capacity_kw":50,"coolant_rise_k":0,"coolant_heat_j_per_l_k":0)")},
     {"air_capacity_kw (50 kW)", "capacity_kw (40 kW)"}},
    {"wet bulb and dry bulb",
     dense_job,
     {climate(R"("design_c":36,"design_wet_bulb_c":80)")},
     {"design_wet_bulb_c (80 C)", "design_c (36 C)"}},
    {"hottest hours and mean of the year",
     dense_job,
     {climate(R"("design_c":-50,"design_wet_bulb_c":-51)")},
     {"design_c (-50 C)", "mean_c (11 C)"}},
    {"low and high price",
     dense_job,
     {own("nics", R"({"id":"Mine","rate_gbit_per_s":400,"price_usd":{"low":500000,"high":100}})")},
     {"parts.nics.0.price_usd.low (500000 USD)", "price_usd.high (100 USD)"}},
};

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
