// SPDX-License-Identifier: Apache-2.0
#include "sim/field_spec.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

// Longest suffix first where one ends in another.
constexpr std::array<KeyUnit, 41> key_units = {{
    {"_gb_per_s_bidirectional", "GB/s, both directions together", 1e9},
    {"_tb_per_s", "TB/s", 1e12},
    {"_gb_per_s", "GB/s", 1e9},
    {"_gbit_per_s", "Gbit/s", 1e9 / 8},
    {"_kw_per_s", "kW/s", 1e3},
    {"_usd_per_kwh", "USD/kWh", 1 / 3.6e6},
    {"_usd_per_year", "USD/year", 1 / (365.25 * 86400)},
    {"_usd_per_rack_year", "USD per rack and year", 1 / (365.25 * 86400)},
    {"_usd_per_kw_month", "USD per kW and month", 12 / (1e3 * 365.25 * 86400)},
    {"_usd_per_accelerator_hour", "USD per accelerator and hour", 1.0 / 3600},
    {"_usd_per_node", "USD per node", 1},
    {"_usd_per_kw", "USD/kW", 1e-3},
    {"_usd_per_m3", "USD/m3", 1},
    {"_tflops", "TFLOP/s", 1e12},
    {"_mw_site", "MW", 1e6},
    {"_ns_per_m", "ns/m", 1e-9},
    {"_kg_per_m", "kg/m", 1},
    {"_c_per_w", "K/W", 1},
    {"_j_per_c", "J/K", 1},
    {"_gib", "GiB", 1073741824.0},
    {"_mib", "MiB", 1048576.0},
    {"_kib", "KiB", 1024.0},
    {"_gb", "GB", 1e9},
    {"_mb", "MB", 1e6},
    {"_kb", "kB", 1e3},
    {"_bytes", "B", 1},
    {"_tb", "TB", 1e12},
    {"_ns", "ns", 1e-9},
    {"_us", "us", 1e-6},
    {"_ms", "ms", 1e-3},
    {"_mhz", "MHz", 1e6},
    {"_usd", "USD", 1},
    {"_kva", "kVA", 1e3},
    {"_kw", "kW", 1e3},
    {"_kg", "kg", 1},
    {"_s", "s", 1},
    {"_w", "W", 1},
    {"_m", "m", 1},
    {"_c", "degC", 1},
    {"_u", "rack units", 1},
    {"_hours", "h", 3600},
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
