// SPDX-License-Identifier: Apache-2.0
#include "tools/output/flat_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/prediction/prediction.hpp"
#include "tools/output/facts_table.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

/// Key of the column for a nested member: the unit goes last, "breakdown_s" of "bubble" is "bubble_s".
std::string column_key(std::string_view group, const std::string& key) {
  if (group == "breakdown_s") return key + "_s";
  if (group == "memory_gb") return fmt::format("memory_{}_gb", key);
  if (group == "serving") return fmt::format("serving_{}", key);
  return key;
}

/// Sets the cell of a column that is added when first seen.
void put(ResultTable& table, const std::string& key, const JsonValue& value) {
  const auto same = [&](const Column& column) { return column.key == key; };
  const auto at = std::find_if(table.columns.begin(), table.columns.end(), same);
  const auto index = static_cast<std::size_t>(at - table.columns.begin());
  if (at == table.columns.end()) table.columns.push_back({key, key, ""});
  if (table.rows.back().size() <= index) table.rows.back().resize(index + 1);
  table.rows.back()[index] = fact_cell(&value);
}

}  // namespace

ResultTable flat_table(const ScaleCurve& curve) {
  ResultTable table;
  for (const ScalePoint& point : curve.points) {
    const JsonValue json = point_to_json(point);
    table.rows.emplace_back();
    for (const auto& [key, member] : json.members()) {
      if (member.is(JsonKind::list) || (key == "plan" && member.is_null())) continue;
      if (!member.is(JsonKind::object)) put(table, key, member);
      for (const auto& [inner, value] : member.members()) put(table, column_key(key, inner), value);
    }
  }
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

}  // namespace clusterwright
