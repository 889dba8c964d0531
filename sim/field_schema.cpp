// SPDX-License-Identifier: Apache-2.0
#include "sim/field_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Whole numbers without ".0".
JsonValue bound(double number) {
  const bool whole = std::abs(number) < 1e15 && number == std::trunc(number);
  return whole ? JsonValue(static_cast<std::int64_t>(number)) : JsonValue(number);
}

JsonValue scalar_schema(const FieldSpec& field) {
  if (field.type == FieldType::record) return JsonValue::object({{"$ref", "#/definitions/" + field.nested().name}});
  JsonValue schema = JsonValue::object({{"type", json_type_name(field.type)}});
  if (field.type == FieldType::choice) {
    JsonValue choices = JsonValue::list();
    for (const std::string& choice : field.choices) choices.push_back(choice);
    schema.set("enum", choices);
  }
  if (!field.pattern.empty()) schema.set("pattern", field.pattern);
  if (std::isfinite(field.min)) schema.set(field.above_min ? "exclusiveMinimum" : "minimum", bound(field.min));
  if (std::isfinite(field.max)) schema.set("maximum", bound(field.max));
  return schema;
}

/// What all values with an origin have in common; a field adds what its value may be.
/// @param ranged  with the ends of a range
JsonValue fact_schema(bool ranged) {
  JsonValue properties = JsonValue::object(
      {{"value", true},
       {"source", JsonValue::object({{"type", "string"}})},
       {"std_error", JsonValue::object({{"type", "number"}, {"minimum", 0}, {"maximum", bound(most_std_error)}})},
       {"verified", JsonValue::object({{"type", "boolean"}})}});
  for (const char* end : {"low", "high"})
    if (ranged) properties.set(end, true);
  return JsonValue::object({{"type", "object"},
                            {"description", ranged ? "A typical value, the range in which it may lie, and where it "
                                                     "comes from"
                                                   : "A value and where it comes from"},
                            {"properties", properties},
                            {"required", JsonValue::list({"value", "source"})},
                            {"additionalProperties", false}});
}

JsonValue fact_of(const JsonValue& inner, bool ranged) {
  const JsonValue shape = JsonValue::object({{"$ref", ranged ? "#/definitions/range" : "#/definitions/fact"}});
  JsonValue own = JsonValue::object({{"value", inner}});
  for (const char* end : {"low", "high"})
    if (ranged) own.set(end, inner);
  const JsonValue value = JsonValue::object({{"type", "object"}, {"properties", own}});
  return JsonValue::object({{"allOf", JsonValue::list({shape, value})}});
}

JsonValue map_schema(const FieldSpec& field, const JsonValue& element) {
  JsonValue schema = JsonValue::object({{"type", "object"}, {"additionalProperties", element}});
  if (!field.needed_keys.empty()) {
    JsonValue needed = JsonValue::list(), properties = JsonValue::object();
    for (const std::string& key : field.needed_keys) {
      needed.push_back(key);
      properties.set(key, element);  // strict editors want every required key described by name
    }
    schema.set("properties", properties);
    schema.set("required", needed);
  }
  if (field.map_keys.empty()) return schema;
  JsonValue keys = JsonValue::list();
  for (const std::string& key : field.map_keys) keys.push_back(key);
  schema.set("propertyNames", JsonValue::object({{"enum", keys}}));
  return schema;
}

JsonValue field_schema(const FieldSpec& field) {
  JsonValue value = scalar_schema(field);
  std::vector<JsonValue> alternatives{value};
  if (field.sourced) alternatives.push_back(fact_of(value, field.ranged));
  if (field.or_text) alternatives.push_back(JsonValue::object({{"type", "string"}}));
  if (field.automatic) alternatives.push_back(JsonValue::object({{"const", "auto"}}));
  if (field.nullable) alternatives.push_back(JsonValue::object({{"type", "null"}}));
  if (field.reference) alternatives.push_back(JsonValue::object({{"type", "string"}}));
  if (field.flag) alternatives.push_back(JsonValue::object({{"type", "boolean"}}));
  JsonValue element = alternatives.size() == 1 ? value : JsonValue::object({{"anyOf", JsonValue::list(alternatives)}});
  if (field.is_list) element = JsonValue::object({{"type", "array"}, {"items", element}});
  if (field.is_map) element = map_schema(field, element);
  if (field.nullable_list)
    element = JsonValue::object({{"anyOf", JsonValue::list({element, JsonValue::object({{"type", "null"}})})}});
  // draft-07 ignores what stands beside "$ref", so the description goes around it.
  if (element.find("$ref")) element = JsonValue::object({{"allOf", JsonValue::list({element})}});
  element.set("description", field.unit.empty() ? field.help : fmt::format("{} [{}]", field.help, field.unit));
  if (!field.required) element.set("default", short_default(field));
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

JsonValue definitions_of(const std::vector<const RecordSpec*>& records) {
  JsonValue definitions = JsonValue::object({{"fact", fact_schema(false)}, {"range", fact_schema(true)}});
  for (const RecordSpec* record : records) definitions.set(record->name, definition_of(*record));
  return definitions;
}

JsonValue titled(std::string_view title) {
  return JsonValue::object({{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}});
}

}  // namespace

JsonValue json_schema(const RecordSpec& root) {
  JsonValue schema = titled(root.name);
  const JsonValue own = definition_of(root);
  for (const auto& [key, value] : own.members()) schema.set(key, value);
  std::vector<const RecordSpec*> nested = records_below({&root});
  nested.erase(nested.begin());
  schema.set("definitions", definitions_of(nested));
  return schema;
}

JsonValue schema_of_types(const std::vector<FileKind>& kinds) {
  std::vector<const RecordSpec*> records = records_below(records_of(kinds));
  std::sort(records.begin(), records.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  JsonValue schema = titled("types");
  schema.set("definitions", definitions_of(records));
  return schema;
}

JsonValue schema_by_reference(const FileKind& kind, std::string_view types_file) {
  const std::string place = fmt::format("{}#/definitions/{}", types_file, kind.record->name);
  JsonValue schema = titled(kind.name);
  schema.set("description", kind.record->help);
  schema.set("allOf", JsonValue::list({JsonValue::object({{"$ref", place}})}));
  return schema;
}

}  // namespace clusterwright
