#include "sim/field_schema.hpp"

#include <fmt/format.h>

#include <cmath>

namespace clusterwright {

namespace {

JsonValue scalar_schema(const FieldSpec& field) {
  if (field.type == FieldType::record) return JsonValue::object({{"$ref", "#/definitions/" + field.nested().name}});
  JsonValue schema = JsonValue::object({{"type", json_type_name(field.type)}});
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

}  // namespace

JsonValue json_schema(const RecordSpec& root) {
  JsonValue schema = JsonValue::object({{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", root.name}});
  const JsonValue own = definition_of(root);
  for (const auto& [key, value] : own.members()) schema.set(key, value);
  JsonValue definitions = JsonValue::object();
  for (const RecordSpec* record : records_below(root))
    if (record != &root) definitions.set(record->name, definition_of(*record));
  schema.set("definitions", definitions);
  return schema;
}

}  // namespace clusterwright
