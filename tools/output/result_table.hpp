// SPDX-License-Identifier: Apache-2.0
/// Tables of results: one description, rendered for terminals, spreadsheets, Markdown and HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/json_value.hpp"

namespace clusterwright {

enum class Alignment { left, right };

struct Column {
  std::string key;    ///< name for machines with its unit: "power_w"
  std::string title;  ///< name for people: "Power"
  std::string unit;   ///< unit for people: "MW"; may be empty
  double scale = 1;   ///< factor from the key's unit to the unit for people: 1e-6
  int decimals = -1;  ///< digits behind the point for people; -1: four significant digits
  Alignment alignment = Alignment::right;
  bool exact = false;  ///< people see what machines see: for data sheets
  bool below = false;  ///< a long text: in terminals it stands on lines of its own under its row
};

/// Text, to the left.
inline Column words_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), "", 1, -1, Alignment::left};
}
/// A share, shown in percent.
inline Column percent_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), "%", 100, 1};
}

/// Nothing (not known), a number in the unit of the key, a count, or text.
struct Cell {
  enum class Kind : std::uint8_t { nothing, number, count, text };

  Cell() = default;
  Cell(double value) : kind(Kind::number), number(value) {}
  Cell(int value) : kind(Kind::count), count(value) {}
  Cell(std::int64_t value) : kind(Kind::count), count(value) {}
  Cell(std::string value) : kind(Kind::text), text(std::move(value)) {}
  Cell(std::string_view value) : Cell(std::string(value)) {}
  Cell(const char* value) : Cell(std::string(value)) {}

  Kind kind = Kind::nothing;
  double number = 0;
  std::int64_t count = 0;
  std::string text;
};

struct ResultTable {
  std::string title;  ///< heading; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
};

/// Cell for people: scaled and rounded; an en dash if unknown.
std::string people_text(const Column& column, const Cell& cell);
/// Cell for machines: full precision; empty if unknown.
std::string machine_text(const Cell& cell);
/// "Power (MW)".
std::string heading(const Column& column);

/// Aligned columns, two spaces apart, with a rule below the headings; every line ends in a newline.
std::string render_text(const ResultTable& table);
/// RFC 4180 with a header line of keys; lines end in CR LF.
std::string render_csv(const ResultTable& table);
std::string render_markdown(const ResultTable& table);
/// A `<table>` inside a box that scrolls by itself; each number carries its exact value in `data-value`.
std::string render_html(const ResultTable& table);

/// The value of a field: bare, or inside {"value", "source"}; nothing for null, absent (nullptr) and nested values.
Cell fact_cell(const JsonValue* field);

/// Every value of a document on a line of its own, with the source that stands beside it.
ResultTable facts_table(const JsonValue& document);

}  // namespace clusterwright
