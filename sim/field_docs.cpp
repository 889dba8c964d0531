// SPDX-License-Identifier: Apache-2.0
#include "sim/field_docs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sim/json_writer.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

std::string range_text(const FieldSpec& field) {
  std::string text;
  if (std::isfinite(field.min)) text += fmt::format("{} {}", field.above_min ? ">" : ">=", bound_text(field.min));
  if (std::isfinite(field.max)) text += fmt::format("{}<= {}", text.empty() ? "" : ", ", bound_text(field.max));
  return text;
}

/// @param word  the type of one value
std::string type_text(const FieldSpec& field, std::string word) {
  std::string text = std::move(word);
  if (field.is_list) text = "list of " + text;
  if (field.is_map) text = "map of " + text;
  if (field.or_text) text += " or string";
  if (field.automatic) text += " or \"auto\"";
  if (field.nullable) text += " or null";
  if (field.reference) text += " or path";
  if (field.flag) text += " or boolean";
  if (field.sourced) text += field.ranged ? " or range" : " or fact";
  return text;
}

std::string type_text(const FieldSpec& field) {
  if (field.type == FieldType::record) return type_text(field, field.nested().name);
  return type_text(field, std::string(field.type == FieldType::choice ? "choice" : json_type_name(field.type)));
}

/// What a table says under "allowed".
std::string allowed_text(const FieldSpec& field) {
  if (!field.choices.empty()) return fmt::format("{}", fmt::join(field.choices, ", "));
  const std::string range = range_text(field);
  if (!field.map_keys.empty())
    return fmt::format("{}{}keys {}", range, range.empty() ? "" : "; ", fmt::join(field.map_keys, ", "));
  return field.catalog.empty() ? range : fmt::format("`catalog {}`", field.catalog);
}

/// The default between `quotes`; of a fact its value, with the source in words behind it.
std::string default_text(const FieldSpec& field, std::string_view quotes) {
  const JsonValue value = short_default(field);
  const JsonValue* source = field.sourced && !field.is_map ? value.find("source") : nullptr;
  if (!source) return fmt::format("{0}{1}{0}", quotes, write_json(value, -1));
  return fmt::format("{0}{1}{0} ({2})", quotes, write_json(value.at("value"), -1), source->as_text());
}

/// Text for a cell of a Markdown table, where a bar would end the cell.
std::string in_cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string describe_field(const FieldSpec& field, std::string_view path) {
  std::string text = fmt::format("{}\n  {}\n  type: {}\n", path, field.help, type_text(field));
  if (!field.unit.empty()) text += fmt::format("  unit: {}\n", field.unit);
  if (const std::string range = range_text(field); !range.empty()) text += fmt::format("  range: {}\n", range);
  if (!field.choices.empty()) text += fmt::format("  one of: {}\n", fmt::join(field.choices, ", "));
  if (!field.map_keys.empty()) text += fmt::format("  keys: {}\n", fmt::join(field.map_keys, ", "));
  if (!field.catalog.empty()) text += fmt::format("  names: clusterwright catalog {}\n", field.catalog);
  text += field.required ? "  required\n" : fmt::format("  default: {}\n", default_text(field, ""));
  return text;
}

std::string describe_record(const RecordSpec& record) {
  std::string text = fmt::format("{}: {}\n\n", record.name, record.help);
  for (const FieldSpec& field : record.fields)
    text += fmt::format("  {:<28} {:<22} {}\n", field.key, type_text(field), field.help);
  return text;
}

/// The reference of all kinds of files, one section for each record.
class ReferencePage {
 public:
  explicit ReferencePage(const std::vector<FileKind>& kinds)
      : kinds_(kinds), records_(records_below(records_of(kinds))) {
    std::sort(records_.begin(), records_.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    for (const RecordSpec* record : records_) heading_[record] = record->name;
    for (const FileKind& kind : kinds) heading_[kind.record] = kind.name;
    for (const RecordSpec* record : records_)
      for (const FieldSpec& field : record->fields)
        if (field.type == FieldType::record) holders_[&field.nested()].insert(link(*record));
  }

  std::string text() const {
    std::string text = "| kind of file | what it holds |\n|---|---|\n";
    for (const FileKind& kind : kinds_) text += fmt::format("| {} | {} |\n", link(*kind.record), kind.record->help);
    text += "\n## Kinds of files\n";
    for (const FileKind& kind : kinds_) text += section(*kind.record);
    text += "\n## Types\n";
    for (const RecordSpec* record : records_)
      if (!is_kind(*record)) text += section(*record);
    return text;
  }

 private:
  bool is_kind(const RecordSpec& record) const {
    return std::any_of(kinds_.begin(), kinds_.end(), [&](const FileKind& kind) { return kind.record == &record; });
  }

  std::string link(const RecordSpec& record) const { return fmt::format("[{0}](#{0})", heading_.at(&record)); }

  std::string section(const RecordSpec& record) const {
    std::string text = fmt::format("\n### {}\n\n{}.", heading_.at(&record), record.help);
    if (const auto holders = holders_.find(&record); holders != holders_.end())
      text += fmt::format(" In {}.", fmt::join(holders->second, ", "));
    text += "\n\n| key | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n";
    for (const FieldSpec& field : record.fields) text += row(field);
    return text;
  }

  std::string row(const FieldSpec& field) const {
    const std::string type =
        field.type == FieldType::record ? type_text(field, link(field.nested())) : type_text(field);
    return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key, type, field.unit, allowed_text(field),
                       field.required ? "required" : default_text(field, "`"), in_cell(field.help));
  }

  std::vector<FileKind> kinds_;
  std::vector<const RecordSpec*> records_;                      // by name
  std::map<const RecordSpec*, std::string> heading_;            // of its section
  std::map<const RecordSpec*, std::set<std::string>> holders_;  // links to the records with a field of this type
};

}  // namespace

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

std::string reference_docs(const std::vector<FileKind>& kinds) {
  return ReferencePage(kinds).text();
}

}  // namespace clusterwright
