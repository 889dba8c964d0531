#include "sim/field_docs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

std::string range_text(const FieldSpec& field) {
  std::string text;
  if (std::isfinite(field.min)) text += fmt::format("{} {}", field.above_min ? ">" : ">=", field.min);
  if (std::isfinite(field.max)) text += fmt::format("{}<= {}", text.empty() ? "" : ", ", field.max);
  return text;
}

std::string type_text(const FieldSpec& field) {
  std::string text(field.type == FieldType::choice ? "choice" : json_type_name(field.type));
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
  std::string text;
  for (const RecordSpec* record : records_below(root)) {
    text +=
        fmt::format("## {}\n\n{}\n\n| key | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n",
                    record->name, record->help);
    for (const FieldSpec& field : record->fields) text += docs_row(field);
    text += "\n";
  }
  return text;
}

}  // namespace clusterwright
