// SPDX-License-Identifier: Apache-2.0
#include "tools/output/facts_table.hpp"

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

bool is_sourced(const JsonValue& value) {
  return value.is(JsonKind::object) && value.find("value");
}

void add_facts(ResultTable& table, const std::string& path, const JsonValue& value) {
  if (value.is_null()) return;
  if (value.is(JsonKind::object) && !is_sourced(value)) {
    for (const auto& [key, member] : value.members()) add_facts(table, path.empty() ? key : path + "." + key, member);
    return;
  }
  const bool records =
      value.is(JsonKind::list) && !value.elements().empty() && value.elements()[0].is(JsonKind::object);
  if (records) {
    for (std::size_t i = 0; i < value.elements().size(); ++i)
      add_facts(table, path + "[" + std::to_string(i) + "]", value.elements()[i]);
    return;
  }
  const JsonValue* source = is_sourced(value) ? value.find("source") : nullptr;
  const JsonValue* verified = is_sourced(value) ? value.find("verified") : nullptr;
  const char* seen = !verified ? "" : verified->as_boolean() ? "yes" : "no";
  table.rows.push_back({path, fact_cell(&value), source ? source->as_text() : "", seen});
}

}  // namespace

Cell fact_cell(const JsonValue* field) {
  if (!field) return {};
  const JsonValue& value = is_sourced(*field) ? field->at("value") : *field;
  switch (value.kind()) {
    case JsonKind::null:
    case JsonKind::object:
      return {};
    case JsonKind::integer:
      return value.as_integer();
    case JsonKind::number:
      return value.as_number();
    case JsonKind::text:
      return value.as_text();
    default:
      return write_json(value, -1);
  }
}

ResultTable facts_table(const JsonValue& document) {
  const auto words = [](const char* key, const char* title) {
    return Column{key, title, "", 1, -1, Alignment::left, true};
  };
  ResultTable table{
      "",
      {words("field", "Field"), words("value", "Value"), words("source", "Source"), words("verified", "Verified")},
      {}};
  add_facts(table, "", document);
  return table;
}

}  // namespace clusterwright
