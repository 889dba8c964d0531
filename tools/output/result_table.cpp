// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/json_writer.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr std::string_view unknown = "\xe2\x80\x93";  // en dash

std::string padded(const std::string& text, std::size_t width, Alignment alignment) {
  const std::size_t used = display_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  return alignment == Alignment::right ? fill + text : text + fill;
}

std::vector<std::string> people_row(const ResultTable& table, const std::vector<Cell>& row) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(people_text(table.columns[c], row[c]));
  return cells;
}

/// Words of a long text on lines of at most `width` columns; a longer word stays whole.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

/// Widths of the columns of one table in a terminal.
class TextLayout {
 public:
  explicit TextLayout(const ResultTable& table) : columns_(table.columns) {
    for (const Column& column : columns_) {
      titles_.push_back(column.below ? "" : printable(column.title));
      units_.push_back(column.below ? "" : printable(column.unit));
      widths_.push_back(std::max(display_width(titles_.back()), display_width(units_.back())));
    }
    for (const auto& row : table.rows) {
      const std::vector<std::string> cells = people_row(table, row);
      for (std::size_t c = 0; c < widths_.size(); ++c) widths_[c] = std::max(widths_[c], display_width(cells[c]));
    }
    for (std::size_t c = 0; c < widths_.size(); ++c)
      if (columns_[c].alignment == Alignment::left) widths_[c] = std::min(widths_[c], longest);
    for (std::size_t c = 0; c < widths_.size(); ++c)
      if (columns_[c].below) widths_[c] = 0;
  }

  /// Titles, units and a rule; nothing for tables without titles.
  std::string head() const {
    const auto given = [](const std::string& text) { return !text.empty(); };
    if (std::none_of(titles_.begin(), titles_.end(), given)) return {};
    std::string text = line(titles_);
    if (std::any_of(units_.begin(), units_.end(), given)) text += line(units_);
    std::vector<std::string> rule;
    for (const std::size_t width : widths_) rule.emplace_back(width, '-');
    return text + line(rule);
  }

  /// One row, on several lines where a text is long.
  std::string row(const std::vector<std::string>& cells) const {
    std::vector<std::vector<std::string>> parts;
    std::size_t lines = 1;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = columns_[c].below ? std::string() : cells[c];
      parts.push_back(display_width(cell) > longest ? wrapped(cell, longest) : std::vector{cell});
      lines = std::max(lines, parts.back().size());
    }
    std::string text;
    for (std::size_t l = 0; l < lines; ++l) {
      std::vector<std::string> shown;
      for (const auto& part : parts) shown.push_back(l < part.size() ? part[l] : std::string());
      text += line(shown);
    }
    return text + below(cells);
  }

 private:
  static constexpr std::size_t longest = 64;
  static constexpr std::size_t longest_below = 116;
  static constexpr const char* indent = "    ";

  std::string below(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (columns_[c].below && !cells[c].empty())
        for (const std::string& part : wrapped(cells[c], longest_below)) text += indent + part + "\n";
    return text;
  }

  std::string line(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += (c == 0 ? "" : "  ") + padded(cells[c], widths_[c], columns_[c].alignment);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  const std::vector<Column>& columns_;
  std::vector<std::string> titles_;
  std::vector<std::string> units_;
  std::vector<std::size_t> widths_;
};

/// @param labelled  repeats the heading in the cell, for narrow screens that stack the cells of a row
std::string html_cell(const Column& column, const Cell& cell, bool first, bool labelled) {
  const std::string side = column.alignment == Alignment::right ? " class=\"num\"" : "";
  const bool number = cell.kind == Cell::Kind::number || cell.kind == Cell::Kind::count;
  const std::string value = number ? fmt::format(" data-value=\"{}\"", machine_text(cell)) : std::string();
  const std::string label = labelled && !first ? fmt::format(" data-label=\"{}\"", html_text(heading(column))) : "";
  const std::string_view tag = first ? "th" : "td";
  return fmt::format("<{0}{1}{2}{3}{5}>{4}</{0}>", tag, first ? " scope=\"row\"" : "", side, value,
                     html_text(people_text(column, cell)), label);
}

std::string html_heading(const Column& column) {
  const std::string unit =
      column.unit.empty() ? std::string() : fmt::format(" <span class=\"unit\">{}</span>", html_text(column.unit));
  return fmt::format("<th scope=\"col\"{} data-key=\"{}\">{}{}</th>",
                     column.alignment == Alignment::right ? " class=\"num\"" : "", html_text(column.key),
                     html_text(column.title), unit);
}

}  // namespace

std::string people_text(const Column& column, const Cell& cell) {
  if (column.exact && cell.kind != Cell::Kind::nothing) return printable(machine_text(cell));
  switch (cell.kind) {
    case Cell::Kind::number: {
      const double value = cell.number * column.scale;
      return column.decimals < 0 ? significant_text(value) : fixed_text(value, column.decimals);
    }
    case Cell::Kind::count:
      return count_text(cell.count);
    case Cell::Kind::text:
      return printable(cell.text);
    default:
      return std::string(unknown);
  }
}

std::string machine_text(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::number:
      return exact_text(cell.number);
    case Cell::Kind::count:
      return std::to_string(cell.count);
    default:
      return cell.text;
  }
}

std::string heading(const Column& column) {
  return column.unit.empty() ? column.title : fmt::format("{} ({})", column.title, column.unit);
}

std::string render_text(const ResultTable& table) {
  const TextLayout layout(table);
  std::string text = table.title.empty() ? "" : printable(table.title) + "\n";
  text += layout.head();
  for (const auto& row : table.rows) text += layout.row(people_row(table, row));
  return text;
}

std::string render_csv(const ResultTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + csv_field(table.columns[c].key);
  text += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + csv_field(machine_text(row[c]));
    text += "\r\n";
  }
  return text;
}

std::string render_markdown(const ResultTable& table) {
  std::string text = table.title.empty() ? "" : fmt::format("### {}\n\n", markdown_text(table.title));
  std::string rule = "|";
  text += "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", markdown_text(heading(column)));
    rule += column.alignment == Alignment::right ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : people_row(table, row)) text += fmt::format(" {} |", markdown_text(cell));
    text += "\n";
  }
  return text;
}

std::string render_html(const ResultTable& table) {
  const bool compact = table.columns.size() <= 3;  // stretched, its numbers would stand far from their names
  const bool stack = table.columns.size() > 2;     // on narrow screens each row becomes a block of named cells
  std::string text =
      fmt::format("<div class=\"scroll{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<thead><tr>",
                  std::string(compact ? " compact" : "") + (stack ? " stack" : ""),
                  html_text(table.title.empty() ? "Table" : table.title));
  for (const Column& column : table.columns) text += html_heading(column);
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) text += html_cell(table.columns[c], row[c], c == 0, stack);
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

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
