#include "sim/field_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

// Longest suffix first where one ends in another.
constexpr std::array<KeyUnit, 39> key_units = {{
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

std::string_view type_name(FieldType type) {
  static constexpr std::array<std::string_view, 6> names = {"integer", "number", "boolean",
                                                            "string",  "string", "object"};
  return names[static_cast<std::size_t>(type)];
}

std::string range_text(const FieldSpec& field) {
  std::string text;
  if (std::isfinite(field.min)) text += fmt::format("{} {}", field.above_min ? ">" : ">=", field.min);
  if (std::isfinite(field.max)) text += fmt::format("{}<= {}", text.empty() ? "" : ", ", field.max);
  return text;
}

std::string type_text(const FieldSpec& field) {
  std::string text(field.type == FieldType::choice ? "choice" : type_name(field.type));
  if (field.type == FieldType::record) text = field.nested().name;
  if (field.is_list) text = "list of " + text;
  if (field.is_map) text = "map of " + text;
  if (field.or_text) text += " or string";
  if (field.automatic) text += " or \"auto\"";
  if (field.nullable) text += " or null";
  if (field.reference) text += " or path";
  if (field.flag) text += " or boolean";
  return text;
}

JsonValue definition_of(const RecordSpec& record);

JsonValue scalar_schema(const FieldSpec& field) {
  if (field.type == FieldType::record) return JsonValue::object({{"$ref", "#/definitions/" + field.nested().name}});
  JsonValue schema = JsonValue::object({{"type", type_name(field.type)}});
  if (field.type == FieldType::choice) {
    JsonValue choices = JsonValue::list();
    for (const std::string& choice : field.choices) choices.push_back(choice);
    schema.set("enum", choices);
  }
  if (std::isfinite(field.min)) schema.set(field.above_min ? "exclusiveMinimum" : "minimum", field.min);
  if (std::isfinite(field.max)) schema.set("maximum", field.max);
  return schema;
}

JsonValue sourced_schema(const JsonValue& inner) {
  const JsonValue properties =
      JsonValue::object({{"value", inner},
                         {"source", JsonValue::object({{"type", "string"}})},
                         {"std_error", JsonValue::object({{"type", "number"}, {"minimum", 0}})},
                         {"verified", JsonValue::object({{"type", "boolean"}})}});
  return JsonValue::object({{"type", "object"},
                            {"properties", properties},
                            {"required", JsonValue::list({"value", "source"})},
                            {"additionalProperties", false}});
}

JsonValue map_schema(const FieldSpec& field, const JsonValue& element) {
  JsonValue schema = JsonValue::object({{"type", "object"}, {"additionalProperties", element}});
  if (field.map_keys.empty()) return schema;
  JsonValue keys = JsonValue::list();
  for (const std::string& key : field.map_keys) keys.push_back(key);
  schema.set("propertyNames", JsonValue::object({{"enum", keys}}));
  return schema;
}

JsonValue field_schema(const FieldSpec& field) {
  JsonValue value = scalar_schema(field);
  std::vector<JsonValue> alternatives{value};
  if (field.sourced) alternatives.push_back(sourced_schema(value));
  if (field.or_text) alternatives.push_back(JsonValue::object({{"type", "string"}}));
  if (field.automatic) alternatives.push_back(JsonValue::object({{"const", "auto"}}));
  if (field.nullable) alternatives.push_back(JsonValue::object({{"type", "null"}}));
  if (field.reference) alternatives.push_back(JsonValue::object({{"type", "string"}}));
  if (field.flag) alternatives.push_back(JsonValue::object({{"type", "boolean"}}));
  JsonValue element = alternatives.size() == 1 ? value : JsonValue::object({{"anyOf", JsonValue::list(alternatives)}});
  if (field.is_list) element = JsonValue::object({{"type", "array"}, {"items", element}});
  if (field.is_map) element = map_schema(field, element);
  // draft-07 ignores what stands beside "$ref", so the description goes around it.
  if (element.find("$ref")) element = JsonValue::object({{"allOf", JsonValue::list({element})}});
  element.set("description", field.unit.empty() ? field.help : fmt::format("{} [{}]", field.help, field.unit));
  if (!field.required) element.set("default", field.fallback);
  return element;
}

JsonValue definition_of(const RecordSpec& record) {
  JsonValue properties = JsonValue::object({{"$schema", JsonValue::object({{"type", "string"}})}});
  JsonValue required = JsonValue::list();
  for (const FieldSpec& field : record.fields) {
    properties.set(field.key, field_schema(field));
    if (field.required) required.push_back(field.key);
  }
  return JsonValue::object({{"type", "object"},
                            {"description", record.help},
                            {"properties", properties},
                            {"required", required},
                            {"additionalProperties", false}});
}

/// Every record reachable from `record`, each once, parents first.
void collect(const RecordSpec& record, std::vector<const RecordSpec*>& found) {
  if (std::find(found.begin(), found.end(), &record) != found.end()) return;
  found.push_back(&record);
  for (const FieldSpec& field : record.fields)
    if (field.type == FieldType::record) collect(field.nested(), found);
}

std::string describe_field(const FieldSpec& field, std::string_view path) {
  std::string text = fmt::format("{}\n  {}\n  type: {}\n", path, field.help, type_text(field));
  if (!field.unit.empty()) text += fmt::format("  unit: {}\n", field.unit);
  if (const std::string range = range_text(field); !range.empty()) text += fmt::format("  range: {}\n", range);
  if (!field.choices.empty()) text += fmt::format("  one of: {}\n", fmt::join(field.choices, ", "));
  if (!field.map_keys.empty()) text += fmt::format("  keys: {}\n", fmt::join(field.map_keys, ", "));
  if (!field.catalog.empty()) text += fmt::format("  names: clusterwright catalog {}\n", field.catalog);
  text += field.required ? "  required\n" : fmt::format("  default: {}\n", write_json(field.fallback, -1));
  return text;
}

std::string describe_record(const RecordSpec& record) {
  std::string text = fmt::format("{}: {}\n\n", record.name, record.help);
  for (const FieldSpec& field : record.fields)
    text += fmt::format("  {:<28} {:<22} {}\n", field.key, type_text(field), field.help);
  return text;
}

std::string docs_row(const FieldSpec& field) {
  std::string notes = range_text(field);
  if (!field.choices.empty()) notes = fmt::format("{}", fmt::join(field.choices, ", "));
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key, type_text(field), field.unit, notes,
                     field.required ? "required" : "`" + write_json(field.fallback, -1) + "`", field.help);
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

JsonValue json_schema(const RecordSpec& root) {
  std::vector<const RecordSpec*> records;
  collect(root, records);
  JsonValue schema = JsonValue::object({{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", root.name}});
  const JsonValue own = definition_of(root);
  for (const auto& [key, value] : own.members()) schema.set(key, value);
  JsonValue definitions = JsonValue::object();
  for (const RecordSpec* record : records)
    if (record != &root) definitions.set(record->name, definition_of(*record));
  schema.set("definitions", definitions);
  return schema;
}

std::string explain_field(const RecordSpec& root, std::string_view path) {
  const RecordSpec* record = &root;
  const FieldSpec* field = nullptr;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view key = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), key.size() + 1));
    field = record ? record->find(key) : nullptr;
    if (!field)
      throw ConfigError({"E0402",
                         fmt::format("unknown field \"{}\" in \"{}\"", key, path),
                         {},
                         "",
                         record ? did_you_mean(key, record->keys()) : "it has no fields of its own"});
    record = field->type == FieldType::record ? &field->nested() : nullptr;
  }
  std::string text = field ? describe_field(*field, path) : "";
  if (record) text += (field ? "\n" : "") + describe_record(*record);
  return text;
}

std::string reference_docs(const RecordSpec& root) {
  std::vector<const RecordSpec*> records;
  collect(root, records);
  std::string text;
  for (const RecordSpec* record : records) {
    text +=
        fmt::format("## {}\n\n{}\n\n| key | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n",
                    record->name, record->help);
    for (const FieldSpec& field : record->fields) text += docs_row(field);
    text += "\n";
  }
  return text;
}

}  // namespace clusterwright
