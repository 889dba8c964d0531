// SPDX-License-Identifier: Apache-2.0
#include "sim/field_spec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

// Longest suffix first where one ends in another. The bounds hold for every field of the unit: far below and above what
// is built, but near enough that a slip of units is an error and that products of such numbers do not overflow.
constexpr std::array<KeyUnit, 43> key_units = {{
    {"_gb_per_s_bidirectional", "GB/s, both directions together", 1e9, 1e-6, 1e6},
    {"_tb_per_s", "TB/s", 1e12, 1e-6, 1e6},
    {"_gb_per_s", "GB/s", 1e9, 1e-6, 1e6},
    {"_gbit_per_s", "Gbit/s", 1e9 / 8, 1e-5, 1e6},
    {"_kw_per_s", "kW/s", 1e3, 1e-3, 1e7},
    {"_usd_per_kwh", "USD/kWh", 1 / 3.6e6, 1e-6, 100},
    {"_usd_per_year", "USD/year", 1 / (365.25 * 86400), 1e-3, 1e12},
    {"_usd_per_rack_year", "USD per rack and year", 1 / (365.25 * 86400), 1e-3, 1e8},
    {"_usd_per_kw_month", "USD per kW and month", 12 / (1e3 * 365.25 * 86400), 1e-3, 1e5},
    {"_usd_per_accelerator_hour", "USD per accelerator and hour", 1.0 / 3600, 1e-4, 1e4},
    {"_usd_per_node", "USD per node", 1, 1e-2, 1e8},
    {"_usd_per_kw", "USD/kW", 1e-3, 1e-2, 1e7},
    {"_usd_per_m3", "USD/m3", 1, 1e-4, 1e4},
    {"_usd_per_m", "USD/m", 1, 1e-4, 1e4},
    {"_tflops", "TFLOP/s", 1e12, 1e-3, 1e6},
    {"_mw_site", "MW", 1e6, 1e-6, 1e6},
    {"_ns_per_m", "ns/m", 1e-9, 1, 1e3},
    {"_kg_per_m", "kg/m", 1, 1e-4, 1e3},
    {"_c_per_w", "K/W", 1, 1e-6, 1e3},
    {"_j_per_c", "J/K", 1, 1e-3, 1e9},
    {"_gib", "GiB", 1073741824.0, 1e-9, 1e9},
    {"_mib", "MiB", 1048576.0, 1e-6, 1e9},
    {"_kib", "KiB", 1024.0, 1e-3, 1e9},
    {"_gb", "GB", 1e9, 1e-9, 1e9},
    {"_mb", "MB", 1e6, 1e-6, 1e9},
    {"_kb", "kB", 1e3, 1e-3, 1e9},
    {"_bytes", "B", 1, 1e-3, 1e15},
    {"_tb", "TB", 1e12, 1e-6, 1e9},
    {"_ns", "ns", 1e-9, 1e-3, 1e9},
    {"_us", "us", 1e-6, 1e-6, 1e9},
    {"_ms", "ms", 1e-3, 1e-6, 1e6},
    {"_mhz", "MHz", 1e6, 1, 1e5},
    {"_usd", "USD", 1, 1e-3, 1e12},
    {"_kva", "kVA", 1e3, 0.1, 1e6},
    {"_kw", "kW", 1e3, 1e-3, 1e9},
    {"_kg", "kg", 1, 1e-3, 1e6},
    {"_s", "s", 1, 1e-6, 1e9},
    {"_w", "W", 1, 1e-3, 1e7},
    {"_m", "m", 1, 1e-4, 1e5},
    {"_c", "degC", 1, 1e-3, 200},
    {"_u", "rack units", 1, 0.1, 1e3},
    {"_hours", "h", 3600, 1e-6, 1e6},
    {"_j", "J", 1, 1e-6, 1e15},
}};

/// Adds `record` and every record reachable from it to those that were found.
void collect(const RecordSpec& record, std::vector<const RecordSpec*>& found) {
  const auto same_name = [&](const RecordSpec* other) { return other->name == record.name; };
  const auto known = std::find_if(found.begin(), found.end(), same_name);
  if (known != found.end() && *known != &record)
    throw std::logic_error("two types of records are named \"" + record.name + "\"");
  if (known != found.end()) return;
  found.push_back(&record);
  for (const FieldSpec& field : record.fields)
    if (field.type == FieldType::record) collect(field.nested(), found);
}

JsonValue short_value(const JsonValue& value, const FieldSpec& field);

JsonValue short_record(const JsonValue& value, const RecordSpec& record) {
  JsonValue out = JsonValue::object();
  for (const auto& [key, member] : value.members()) {
    const FieldSpec* field = record.find(key);
    const bool own_default = !field->required && write_json(member) == write_json(field->fallback);
    if (!own_default) out.set(key, short_value(member, *field));
  }
  return out;
}

/// Lists and maps keep every element.
JsonValue short_value(const JsonValue& value, const FieldSpec& field) {
  if (field.is_list || field.is_map) return value;
  if (field.type == FieldType::record && value.is(JsonKind::object)) return short_record(value, field.nested());
  const JsonValue* source = field.sourced ? value.find("source") : nullptr;
  return source && source->as_text() == "default" ? value.at("value") : value;
}

}  // namespace

FieldSpec::FieldSpec(const FieldRule& rule)
    : help(rule.help),
      min(rule.min),
      max(rule.max),
      above_min(rule.above_min),
      reference(rule.reference),
      catalog(rule.catalog),
      max_elements(rule.max_elements),
      unit(rule.unit),
      map_keys(rule.map_keys.begin(), rule.map_keys.end()),
      needed_keys(rule.needed_keys.begin(), rule.needed_keys.end()),
      flag(rule.flag) {}

const FieldSpec* RecordSpec::find(std::string_view key) const {
  for (const FieldSpec& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

std::vector<std::string> RecordSpec::keys() const {
  std::vector<std::string> out;
  for (const FieldSpec& field : fields) out.push_back(field.key);
  return out;
}

const KeyUnit* unit_of_key(std::string_view key) {
  for (const KeyUnit& unit : key_units)
    if (key.ends_with(unit.suffix)) return &unit;
  return nullptr;
}

void bound_number(FieldSpec& spec) {
  if (spec.type != FieldType::integer && spec.type != FieldType::number) return;
  constexpr double least_share = 1e-6;
  const KeyUnit* unit = unit_of_key(spec.key);
  if (spec.above_min && spec.min == 0) {
    spec.above_min = false;
    spec.min = unit ? unit->least : least_share;
  }
  if (unit) {
    spec.max = std::min(spec.max, unit->most);
    spec.min = std::max(spec.min, -unit->most);
  }
  if (!std::isfinite(spec.min) || !std::isfinite(spec.max))
    throw std::logic_error("the number \"" + spec.key + "\" has no bounds on both sides");
}

std::string_view json_type_name(FieldType type) {
  static constexpr std::array<std::string_view, 6> names = {"integer", "number", "boolean",
                                                            "string",  "string", "object"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<const RecordSpec*> records_of(const std::vector<FileKind>& kinds) {
  std::vector<const RecordSpec*> records;
  for (const FileKind& kind : kinds) records.push_back(kind.record);
  return records;
}

std::vector<const RecordSpec*> records_below(const std::vector<const RecordSpec*>& roots) {
  std::vector<const RecordSpec*> found;
  for (const RecordSpec* root : roots) collect(*root, found);
  return found;
}

JsonValue short_default(const FieldSpec& field) {
  return short_value(field.fallback, field);
}

}  // namespace clusterwright
