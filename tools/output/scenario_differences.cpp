// SPDX-License-Identifier: Apache-2.0
#include "tools/output/scenario_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t longest_value = 28;  // in tables

/// Text of every field without fields of its own, by path, in document order.
using Leaves = std::vector<std::pair<std::string, std::string>>;

void add_leaves(const JsonValue& value, const std::string& path, Leaves& out) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (value.is(JsonKind::object)) {
    // A number with its source is one field.
    if (const JsonValue* number = value.find("value"); number && value.find("source"))
      return add_leaves(*number, path, out);
    for (const auto& [key, member] : value.members())
      if (key != "source" && key != "note") add_leaves(member, below(key), out);
  } else if (value.is(JsonKind::list) && !value.elements().empty() && value.elements().front().is(JsonKind::object)) {
    for (std::size_t i = 0; i < value.elements().size(); ++i)
      add_leaves(value.elements()[i], below(std::to_string(i)), out);
  } else if (!value.is_null()) {
    out.emplace_back(path, write_json(value, -1));
  }
}

std::string shortened(const std::string& text) {
  return text.size() <= longest_value ? text : text.substr(0, longest_value - 3) + "...";
}

}  // namespace

std::vector<FieldDifference> differences_of(const std::vector<JsonValue>& scenarios) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> values;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    Leaves leaves;
    add_leaves(scenarios[i], "", leaves);
    for (auto& [path, text] : leaves) {
      const auto [found, is_new] = values.try_emplace(path, scenarios.size());
      if (is_new) order.push_back(path);
      found->second[i] = std::move(text);
    }
  }
  std::vector<FieldDifference> out;
  for (const std::string& path : order) {
    const std::vector<std::string>& each = values.at(path);
    if (std::ranges::any_of(each, [&](const std::string& text) { return text != each.front(); }))
      out.push_back({path, each});
  }
  return out;
}

ResultTable differences_table(const std::vector<FieldDifference>& differences, const std::vector<std::string>& names,
                              std::size_t rows) {
  ResultTable table{"Fields that differ", {words_column("field", "Field")}, {}};
  for (const std::string& name : names) table.columns.push_back(words_column(name, name));
  for (const FieldDifference& difference : differences) {
    if (rows > 0 && table.rows.size() == rows) break;
    std::vector<Cell> row = {difference.path};
    for (const std::string& value : difference.values) row.emplace_back(shortened(value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

JsonValue json_of(const std::vector<FieldDifference>& differences) {
  JsonValue list = JsonValue::list();
  for (const FieldDifference& difference : differences) {
    JsonValue values = JsonValue::list();
    for (const std::string& value : difference.values) values.push_back(value.empty() ? JsonValue() : JsonValue(value));
    list.push_back(JsonValue::object({{"field", difference.path}, {"values", values}}));
  }
  return list;
}

}  // namespace clusterwright
