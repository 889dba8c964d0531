// SPDX-License-Identifier: Apache-2.0
// Every number of the catalog moves an answer of `size`, with a job or without, or is listed with the reason why not.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/site/audit/audit_report.hpp"
#include "models/site/plant/facility_files.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "models/site/wave/grid_limits.hpp"
#include "models/site/wave/power_measures.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/site_plans.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/size_json.hpp"
#include "topology/cluster/cluster_spec.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Answer, as text, that a number may move.
class Witness {
 public:
  using Answer = std::function<std::string(const Catalog&)>;
  explicit Witness(Answer answer) : answer_(std::move(answer)), usual_(answer_(shipped_parts())) {}

  bool moves(const Catalog& catalog) const {
    try {
      return answer_(catalog) != usual_;
    } catch (const ConfigError&) {
      return true;  // refused: it is read
    }
  }

 private:
  Answer answer_;
  std::string usual_;
};

JsonValue shipped_file(const std::string& name) {
  return read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / (name + ".json"));
}

/// @param hall_changes  over a file of configs/facilities
Witness site(const JsonValue& machine, const std::string& hall, const std::string& hall_changes = "{}") {
  const JsonValue facility = changed(facility_file(hall), json_of(hall_changes));
  return Witness([=](const Catalog& shipped) {
    const auto spec = decode_record<ClusterSpec>(machine);
    const Catalog catalog = with_own_parts(shipped, spec);
    const Cluster built = build_cluster(spec, shipped, machine);
    const Facility whole = complete_facility(decode_record<FacilitySpec>(facility), catalog, facility);
    const PriceList prices = shipped_prices("default");
    return write_json(size_to_json(ResultContext{}, size_cluster({built, catalog, whole, prices, nullptr, true})));
  });
}

Witness site(const char* cluster, const std::string& hall, const std::string& hall_changes = "{}") {
  return site(shipped_file(std::string("clusters/") + cluster), hall, hall_changes);
}

/// Groups and hop latency follow from the switches.
JsonValue open_groups() {
  return json_of(R"({"name": "open", "accelerators": 1120, "node": {"part": "DGX A100"}, "fabric": {
    "transport": "infiniband", "tiers": [{"name": "leaf", "switch": "QM8700/QM8790"},
    {"name": "spine", "switch": "QM8700/QM8790"}, {"name": "core", "switch": "QM8700/QM8790"}]}})");
}

Scenario on(const Scenario& scenario, const Catalog& catalog) {
  Scenario out = scenario;
  const JsonValue& cluster = scenario.source.at("cluster");
  out.cluster = build_cluster(decode_record<ClusterSpec>(cluster), catalog, cluster);
  return out;
}

ScenarioOptions settings(std::vector<std::string> list) {
  return {std::move(list), {}};
}

Witness job(const std::string& name, std::vector<std::string> changes = {}) {
  const auto file = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / (name + ".json");
  return Witness([scenario = load_scenario(file, settings(std::move(changes)))](const Catalog& catalog) {
    return write_json(step_to_json(predict_step(on(scenario, catalog))));
  });
}

Witness claims(const std::string& name, std::vector<std::string> changes) {
  const auto file = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "blueprints" / (name + ".json");
  return Witness([loaded = load_blueprint(file, settings(std::move(changes)))](const Catalog& catalog) {
    const Scenario scenario = on(*loaded.scenario, catalog);
    std::string text;
    for (const ClaimFinding& finding :
         audit_blueprint({loaded.blueprint, scenario.cluster, catalog, loaded.facility, loaded.prices, &scenario})
             .findings)
      text += finding.arithmetic + "\n";
    return text;
  });
}

/// What utilities, generators and storage make of a site that swings between 4 and 10.5 MW.
std::string swings_of(const Catalog& catalog) {
  PowerSignal swinging{20 * millisecond, {}};
  for (int i = 0; i < 6000; ++i) swinging.watts.push_back(i % 200 < 140 ? 10.5e6 : 4e6 + i);
  std::string text;
  for (const InterconnectionPart& limits : catalog.interconnections)
    for (const LimitVerdict& verdict : judge_interconnection({swinging, swinging}, limits))
      text +=
          fmt::format("{} {} {} {}\n", verdict.what, verdict.where, verdict.found.in(watt), verdict.allowed.in(watt));
  for (const PlantNeed& need : plant_needs(swinging, swinging, SitePlan{}, catalog.generators))
    text += need.arithmetic + "\n";
  for (const EnergyStoragePart& part : catalog.energy_storage) {
    PowerSignal held = swinging;
    const StorageUse use = store(held, {part.energy.value, part.power.value, part.efficiency.value});
    text += fmt::format("{} {}\n", use.lost.in(joule), use.most.in(joule));
  }
  return text;
}

const std::vector<Witness>& witnesses() {
  static const std::vector<Witness> list = [] {
    std::vector<Witness> out;
    out.emplace_back(swings_of);
    out.push_back(site("dgx-h100-127", "air"));
    out.push_back(site("gb200-nvl72-9racks", "rack-scale"));
    out.push_back(
        site("dgx-h100-127", "air", R"({"stabilization": {"storage": [{"part": "Battery container, 2 h"}]}})"));
    out.push_back(job("llama3-8b-h100-64"));
    out.push_back(site("dgx-h100-127", "air", R"({"cooling": {"supply_c": 32}})"));
    out.push_back(site(open_groups(), "air"));
    out.push_back(site(
        "dgx-h100-127", "direct-to-chip",
        R"({"cooling": {"rejection": "cooling tower", "climate": "hot dry", "coolant_unit": "In-rack unit 250 kW"}})"));
    out.push_back(site(
        "dgx-h100-127", "air",
        R"({"cooling": {"rejection": "outside air, adiabatic"}, "services": {"spares": {"lead_time_weeks": 52}}})"));
    for (const char* name : {"llama3-70b-mi300x", "llama3-70b-finetune-nvme", "llama3-70b-tpu-v5p", "llama3-70b-gaudi3",
                             "multimodal-8b-loader-bound", "llama3-8b-cs3"})
      out.push_back(job(name));
    // Ten of its 80 places: the numbers are the same, and the paths of a step are laid in a tenth of the time.
    out.push_back(job("llama3-70b-consumer-wan", {"cluster.accelerators=80", "cluster.fabric.sites.count=10",
                                                  "job.parallel.pipeline=10", "job.global_batch=64"}));
    out.push_back(job("llama3-8b-h100-64", {R"(cluster.fabric={"transport": "infiniband", "tiers": [{"name": "leaf",
        "switch": "QM9700/QM9790"}, {"name": "spine", "switch": "QM9700/QM9790"}]})"}));
    out.push_back(job("llama3-8b-h100-64", {"cluster.fabric.transport=ethernet"}));
    out.push_back(job("llama3-8b-single-node", {R"-(cluster.node={"part": "DGX B300 (AC)"})-"}));
    out.push_back(job("multimodal-8b-loader-bound", {"job.input.from=local", "job.input.bytes_per_sample=4e9"}));
    out.push_back(claims("dense-500b-1200-h100", {}));
    out.push_back(claims("dense-500b-1200-h100", {"claims.6.stated=21.84"}));  // a cap of about 207 W
    return out;
  }();
  return list;
}

/// Numbers of one field of all parts of a section, at their places in the catalog's document.
struct CatalogNumber {
  std::string name;  ///< "cables.reach_m"
  std::vector<std::string> pointers;
  bool integer = false;
  double max = INFINITY;
};

void collect(const FieldSpec& field, const JsonValue& value, const std::string& pointer, CatalogNumber& out) {
  if (value.is(JsonKind::integer) || value.is(JsonKind::number)) return out.pointers.push_back(pointer);
  if (!value.is(JsonKind::object)) return;
  if (const JsonValue* inner = value.find("value")) return collect(field, *inner, pointer + "/value", out);
  for (const auto& [key, member] : value.members())
    if (key != "source" && key != "verified") collect(field, member, pointer + "/" + key, out);
}

std::vector<CatalogNumber> numbers_of(const JsonValue& document) {
  std::vector<CatalogNumber> out;
  for (const FieldSpec& section : record(static_cast<const Catalog*>(nullptr)).fields) {
    if (!section.is_list) continue;
    for (const FieldSpec& field : section.nested().fields) {
      if (field.type != FieldType::number && field.type != FieldType::integer) continue;
      CatalogNumber number{section.key + "." + field.key, {}, field.type == FieldType::integer, field.max};
      const auto& parts = document.at(section.key).elements();
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (const JsonValue* value = parts[i].find(field.key); value && !value->is_null())
          collect(field, *value, "/" + section.key + "/" + std::to_string(i) + "/" + field.key, number);
      if (!number.pointers.empty()) out.push_back(std::move(number));
    }
  }
  return out;
}

/// @param factor  of numbers that are no integers; integers grow by one
Catalog with_moved(const JsonValue& document, const CatalogNumber& number, double factor) {
  JsonValue changed = document;
  for (const std::string& pointer : number.pointers) {
    JsonValue& value = const_cast<JsonValue&>(*changed.at_pointer(pointer));
    const double usual = value.as_number();
    if (number.integer)
      value = JsonValue(static_cast<std::int64_t>(usual) + (usual + 1 <= number.max ? 1 : -1));
    else
      value = JsonValue(usual * factor <= number.max ? usual * factor : usual / factor);
  }
  return decode_record<Catalog>(changed);
}

/// Fields that move nothing, with the reason.
const std::map<std::string, std::string> silent = {
    {"accelerators.cache_mb", "GEMM tiles are fitted, not derived from a cache"},
    {"accelerators.max_mhz", "the clock under a power limit is fitted relative to the peak's"},
    {"accelerators.min_power_limit_w", "lowest limit that is accepted; it acts on none that is"},
    {"accelerators.scratchpad_mb", "as the cache"},
    {"accelerators.thermal_c", "predictions do not use temperatures yet (docs/limits.md)"},
    {"accelerators.torus", "largest sides that are sold; the fabric states the sides of a cluster"},
    {"accelerators.year", "for readers"},
    {"cables.delay_ns_per_m", "the hop latency of a fabric counts 10 m of fibre"},
    {"cables.mass_kg", "a cartridge is part of the mass of its rack"},
    {"cables.max_power_per_end_w", "switches are rated with modules in all cages"},
    {"nics.latency_us", "latencies between nodes are fitted end to end"},
    {"nics.max_power_w", "part of the rating of a node"},
    {"nics.ports", "for readers: a node states its NICs and their rate"},
    {"nics.price_usd", "part of the price of a node"},
    {"nics.typical_power_w", "part of the power of a node"},
    {"nodes.idle_power_kw", "a price list states the power of idle hours"},
    {"power_stages.amperes", "for readers: the rating is in kVA"},
};

}  // namespace

TEST_CASE("every number of the catalog moves an answer, or is known not to", "[tools][catalog]") {
  const JsonValue document = encode_record(shipped_parts());
  std::set<std::string> met;
  for (const CatalogNumber& number : numbers_of(document)) {
    INFO(number.name);
    bool moves = false;
    for (const double factor : {1.07, 0.5}) {  // more may be hidden behind something slower; less is not
      if (moves || (factor < 1 && silent.contains(number.name))) break;
      const Catalog catalog = with_moved(document, number, factor);
      for (const Witness& witness : witnesses()) moves = moves || witness.moves(catalog);
    }
    CHECK(moves != silent.contains(number.name));
    met.insert(number.name);
  }
  for (const auto& [name, reason] : silent) {
    INFO(name << ": " << reason);
    CHECK(met.contains(name));
  }
}
