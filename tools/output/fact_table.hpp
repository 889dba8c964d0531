// SPDX-License-Identifier: Apache-2.0
/// Table of names and values, and columns of power.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sim/quantity.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Table of names and values.
class FactTable {
 public:
  explicit FactTable(std::string title) {
    table_.title = std::move(title);
    table_.columns = {words_column("what", ""), words_column("value", "")};
  }
  void add(std::string_view name, std::string value) { table_.rows.push_back({name, std::move(value)}); }
  ResultTable take() { return std::move(table_); }

 private:
  ResultTable table_;
};

inline Cell watts_cell(Watts power) {
  return power.in(watt);
}

inline Column kilowatts(std::string key, std::string title) {
  return {std::move(key), std::move(title), "kW", 1e-3, 1};
}

}  // namespace clusterwright
