// SPDX-License-Identifier: Apache-2.0
#include "tools/config_kinds.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/job/calibration_check.hpp"
#include "models/job/hf_config.hpp"
#include "models/job/parameters.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "models/job/stack.hpp"
#include "models/job/step_calibration.hpp"
#include "models/job/transformer.hpp"
#include "models/site/audit/blueprint.hpp"
#include "models/site/plant/facility_files.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/like_parts.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/rules/part_rules.hpp"

namespace clusterwright {

namespace {

/// Keys that only files of the kind have, in the order of ConfigKind.
constexpr std::array<std::array<std::string_view, 2>, 11> telling_keys = {{{"job", "transformer"},
                                                                           {"node", "fabric"},
                                                                           {"layers", "hidden"},
                                                                           {"rank_order", "kernel_launch_us"},
                                                                           {"gemm", "attention"},
                                                                           {"accelerators", "sources"},
                                                                           {"collectives", "network"},
                                                                           {"stacks", "drift_per_year"},
                                                                           {"electricity_usd_per_kwh", "parts_usd"},
                                                                           {"hall", "rack"},
                                                                           {"claims", "claims"}}};

template <class T>
const RecordSpec& spec_for() {
  return record(static_cast<const T*>(nullptr));
}

/// Parts, not the names of parts that other files list under the same key.
bool lists_parts(const JsonValue* accelerators) {
  if (!accelerators || !accelerators->is(JsonKind::list)) return false;
  return accelerators->elements().empty() || accelerators->elements().front().is(JsonKind::object);
}

bool has_telling_key(const JsonValue& document, std::size_t kind) {
  const bool first = document.find(telling_keys[kind][0]) != nullptr;
  const bool second = document.find(telling_keys[kind][1]) != nullptr;
  const bool parts = static_cast<ConfigKind>(kind) == ConfigKind::catalog;
  if (static_cast<ConfigKind>(kind) == ConfigKind::scenario && document.find("claims")) return false;
  return parts ? second || lists_parts(document.find("accelerators")) : first || second;
}

}  // namespace

const std::vector<std::string>& config_kind_names() {
  static const std::vector<std::string> names = {"scenario",   "cluster",  "transformer", "stack",
                                                 "parameters", "catalog",  "collectives", "steps",
                                                 "prices",     "facility", "blueprint"};
  return names;
}

const RecordSpec& spec_of(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::scenario:
      return scenario_spec();
    case ConfigKind::cluster:
      return spec_for<ClusterSpec>();
    case ConfigKind::transformer:
      return spec_for<Transformer>();
    case ConfigKind::stack:
      return spec_for<SoftwareStack>();
    case ConfigKind::parameters:
      return spec_for<ParameterSet>();
    case ConfigKind::collectives:
      return spec_for<CollectiveSet>();
    case ConfigKind::steps:
      return spec_for<StepCalibration>();
    case ConfigKind::prices:
      return spec_for<PriceList>();
    case ConfigKind::facility:
      return spec_for<FacilitySpec>();
    case ConfigKind::blueprint:
      return blueprint_spec();
    default:
      return spec_for<Catalog>();
  }
}

std::vector<FileKind> file_kinds() {
  std::vector<FileKind> kinds;
  for (const std::string& name : config_kind_names())
    kinds.push_back({name, &spec_of(static_cast<ConfigKind>(kinds.size()))});
  return kinds;
}

ConfigKind kind_of(const JsonValue& document) {
  const std::vector<std::string>& names = config_kind_names();
  if (const JsonValue* schema = document.find("$schema"); schema && schema->is(JsonKind::text))
    for (std::size_t i = 0; i < names.size(); ++i)
      if (schema->as_text().substr(schema->as_text().find_last_of('/') + 1) == names[i] + ".schema.json")
        return static_cast<ConfigKind>(i);
  if (is_hf_config(document)) return ConfigKind::transformer;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (document.is(JsonKind::object) && has_telling_key(document, i)) return static_cast<ConfigKind>(i);
  throw ConfigError(
      {"E0105",
       "the kind of the file is unknown",
       {document.place("")},
       "",
       fmt::format("write \"$schema\": \"KIND.schema.json\", where KIND is one of: {}", fmt::join(names, ", "))});
}

bool is_of_kind(const std::filesystem::path& file, ConfigKind kind) {
  const JsonValue document = read_json_file(file);
  try {
    return kind_of(document) == kind;
  } catch (const ConfigError&) {  // of none
    return false;
  }
}

void require_kind(const std::filesystem::path& file, ConfigKind wanted, const std::string& command) {
  const JsonValue document = read_json_file(file);
  ConfigKind kind = wanted;
  try {
    kind = kind_of(document);
  } catch (const ConfigError&) {  // its keys will say more
    return;
  }
  if (kind == wanted) return;
  const auto name = [](ConfigKind one) { return config_kind_names()[static_cast<std::size_t>(one)]; };
  throw ConfigError({"E0105",
                     fmt::format("{} reads a {} file (got a {} file)", command, name(wanted), name(kind)),
                     {document.place("")},
                     "",
                     "clusterwright catalog scenarios lists shipped scenarios; check tells what a file is"});
}

namespace {

/// Dimensions obey the rules that they obey in a scenario, with places in a file of their own.
void check_transformer_file(const JsonValue& document) {
  const std::string wrapper = "/transformer";
  try {
    check_transformer(decode_record<Transformer>(document), JsonValue::object({{"transformer", document}}));
  } catch (const ConfigError& error) {
    std::vector<Diagnostic> found = error.diagnostics();
    for (Diagnostic& one : found)
      for (Place& place : one.places)
        if (place.pointer.starts_with(wrapper)) place.pointer.erase(0, wrapper.size());
    throw ConfigError(std::move(found));
  }
}

/// A list of parts obeys the rules within a part, as the own parts of a cluster do.
void check_catalog(const JsonValue& document) {
  const Catalog own = decode_record<Catalog>(document);
  Catalog all = load_catalog(configs_directory() / "parts");
  all.accelerators.insert(all.accelerators.begin(), own.accelerators.begin(), own.accelerators.end());
  constexpr std::size_t wrapper = std::string_view("/parts").size();
  Contradictions errors(document);
  for (const RuleFinding& found : part_findings(own, all)) {
    std::vector<std::string> pointers;
    for (const std::string& pointer : found.pointers) pointers.push_back(pointer.substr(wrapper));
    errors.report(std::string(found.rule->code), found.message, pointers, std::string(found.rule->then));
  }
  errors.finish();
}

}  // namespace

void check_document(ConfigKind kind, const JsonValue& document) {
  switch (kind) {
    case ConfigKind::cluster: {
      JsonValue whole = document;
      fill_in_like(whole, configs_directory() / "parts", "");
      const ClusterSpec spec = decode_record<ClusterSpec>(whole);
      build_cluster(spec, load_catalog(configs_directory() / "parts"), whole);
      return;
    }
    case ConfigKind::transformer:
      check_transformer_file(in_own_form(document));
      return;
    case ConfigKind::stack:
      decode_record<SoftwareStack>(document);
      return;
    case ConfigKind::parameters:
      decode_record<ParameterSet>(document);
      return;
    case ConfigKind::catalog:
      check_catalog(document);
      return;
    case ConfigKind::collectives:
      decode_record<CollectiveSet>(document);
      return;
    case ConfigKind::steps:
      check_covariance(decode_record<StepCalibration>(document), document);
      return;
    case ConfigKind::prices: {
      const JsonValue whole = filled_in_prices(document, [](const auto& path) { return read_json_file(path); });
      check_price_list(decode_record<PriceList>(whole), load_catalog(configs_directory() / "parts"), whole);
      return;
    }
    case ConfigKind::facility:
      complete_facility_file(document, load_catalog(configs_directory() / "parts"));
      return;
    case ConfigKind::scenario:
    case ConfigKind::blueprint:
      throw std::logic_error("files that contain a scenario are loaded with their references");
  }
}

}  // namespace clusterwright
