// SPDX-License-Identifier: Apache-2.0
#include "models/job/scenario_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>

#include "models/job/configs_directory.hpp"
#include "models/job/hf_config.hpp"
#include "models/job/inherited_lists.hpp"
#include "sim/json_reader.hpp"
#include "sim/sha256.hpp"

namespace clusterwright {

JsonValue read_input(const std::filesystem::path& path, std::vector<InputFile>& inputs, const JsonLimits& limits) {
  const auto text = read_source(path.lexically_normal(), limits.bytes);
  inputs.push_back({text->name(), sha256(text->text())});
  return read_json(text, limits);
}

namespace fs = std::filesystem;

namespace {

constexpr int deepest_reference = 8;

/// Place in the text of an option, shown under the option's name.
Place option_place(const std::string& option, const std::string& text, std::size_t offset, std::size_t length) {
  return {std::make_shared<const SourceText>(option, text), offset, length, ""};
}

bool given_by_option(const JsonValue& value) {
  return !value.source || value.source->name().starts_with("--");
}

[[noreturn]] void refuse_reference(const JsonValue& reference, std::string code, std::string message,
                                   std::string help = {}) {
  throw ConfigError({std::move(code), std::move(message), {reference.place("")}, "named here", std::move(help)});
}

/// An object of whose fields most are those of the record. A Hugging Face config.json stands for a transformer.
bool has_form_of(const JsonValue& document, const RecordSpec& spec) {
  if (is_hf_config(document)) return true;
  if (!document.is(JsonKind::object)) return false;
  std::size_t known = 0;
  for (const auto& [key, member] : document.members()) known += key == "$schema" || spec.find(key) != nullptr;
  return 2 * known > document.members().size();
}

/// Words of an error in a file that another file names, without words of that file.
[[noreturn]] void refuse_content(const ConfigError& error, const fs::path& file, const JsonValue& reference) {
  const Diagnostic& first = error.diagnostics().front();
  const bool quotes = first.code == "E0101" || first.code == "E0103" || first.code == "E0202";
  if (!quotes || first.places.empty() || !first.places.front().source)
    refuse_reference(reference, first.code, fmt::format("{}: {}", first.message, file.lexically_normal().string()));
  const Place& place = first.places.front();
  const auto at = place.source->locate(place.offset);
  refuse_reference(
      reference, first.code,
      fmt::format("not valid JSON at line {}, column {}: {}", at.line, at.column, file.lexically_normal().string()),
      "its text is shown only if it is given on the command line: clusterwright check FILE");
}

/// Folder of configs/ whose files a field may name; empty: none.
std::string shipped_folder(const std::string& key) {
  return key == "cluster" || key == "transformer" ? key + "s" : key == "prices" ? key : "";
}

JsonValue read_reference(const JsonValue& reference, const FieldSpec& field, const ReferenceReader& read) {
  const std::string folder = shipped_folder(field.key), &text = reference.as_text();
  const fs::path target = path_of_name(text, {folder}, folder_of(reference));
  std::error_code error;
  if (!folder.empty() && fs::status(target, error).type() == fs::file_type::not_found)
    refuse_reference(reference, "E0401", "no such file: " + target.lexically_normal().string(),
                     nearest_file(text, {folder}));
  return read_named_file(target, field.nested(), reference, read);
}

void resolve(JsonValue& value, const RecordSpec& spec, const ReferenceReader& read, int depth) {
  if (!value.is(JsonKind::object)) return;
  for (const FieldSpec& field : spec.fields) {
    JsonValue* member = field.type == FieldType::record ? value.find(field.key) : nullptr;
    if (!member || field.is_list || field.is_map) continue;
    if (field.reference && member->is(JsonKind::text)) {
      if (depth == deepest_reference)
        throw ConfigError({"E0501", "references nest too deeply", {member->place("")}, "", ""});
      *member = read_reference(*member, field, read);
      resolve(*member, field.nested(), read, depth + 1);
    } else {
      resolve(*member, field.nested(), read, depth);
    }
  }
}

/// "15e12" of "15T"; empty for anything else.
std::string without_suffix(std::string_view text) {
  static const std::map<char, int> powers = {{'k', 3}, {'K', 3}, {'M', 6}, {'G', 9}, {'B', 9}, {'T', 12}};
  const auto power = text.empty() ? powers.end() : powers.find(text.back());
  if (power == powers.end()) return {};
  text.remove_suffix(1);
  if (text.empty() || text.front() == '.' || text.back() == '.') return {};  // no numbers in JSON
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return error == std::errc() && rest == text.data() + text.size() ? fmt::format("{}e{}", text, power->second) : "";
}

/// Refuses "15T" for a number: options take it, and fields take plain numbers as files do.
void refuse_suffix(const JsonValue& value, const FieldSpec& field) {
  const bool numeric = (field.type == FieldType::integer || field.type == FieldType::number) && !field.or_text &&
                       !field.is_list && !field.is_map;
  const std::string plain = numeric && value.is(JsonKind::text) ? without_suffix(value.as_text()) : "";
  if (plain.empty()) return;
  throw ConfigError({"E0201",
                     fmt::format("{} must be a plain number (got \"{}\")", field.key, value.as_text()),
                     {value.place("")},
                     "",
                     "write " + plain});
}

/// JSON if it reads as JSON, else a text.
JsonValue parse_value(const std::string& path, const std::string& text) {
  const auto source = std::make_shared<const SourceText>("--set " + path, text);
  try {
    return read_json(source);
  } catch (const ConfigError& error) {
    if (error.diagnostics().front().code == "E0202") throw;  // a number, only too large
    JsonValue value(text);
    value.source = source;
    value.length = std::max<std::size_t>(1, text.size());
    return value;
  }
}

[[noreturn]] void unknown_path(const std::string& path, std::size_t at, const std::string& key,
                               const RecordSpec& spec) {
  const std::string meant = did_you_mean(key, spec.keys());
  throw ConfigError({"E0402",
                     fmt::format("unknown field \"{}\" in {}", key, spec.name),
                     {option_place("--set", path, at, std::max<std::size_t>(1, key.size()))},
                     "",
                     meant.empty() ? fmt::format("allowed: {}", fmt::join(spec.keys(), ", ")) : meant});
}

/// "1" of "fabric.tiers.1.taper": an element that is there, or the changes of one that a base file gives.
/// @param inherits  whether a base file gives the list if `object` does not
JsonValue& list_element(JsonValue& object, const std::string& key, bool inherits, const std::string& path,
                        std::size_t begin) {
  const std::string index = path.substr(begin, path.find('.', begin) - begin);
  const Place place = option_place("--set", path, begin, std::max<std::size_t>(1, index.size()));
  JsonValue* list = object.find(key);
  const std::size_t size = list && list->is(JsonKind::list) ? list->elements().size() : 0;
  std::size_t at = size;
  const auto [rest, error] = std::from_chars(index.data(), index.data() + index.size(), at);
  const bool number = error == std::errc() && rest == index.data() + index.size();
  if (number && inherits && (!list || holds_changes(*list)))
    return changes_of_element(list ? *list : object.set(key, JsonValue::list()), at, place);
  if (!number || at >= size || !list->elements()[at].is(JsonKind::object)) refuse_element(index, size, place);
  return list->elements()[at];
}

/// Whether a base file may give the fields of a record that it leaves out.
bool has_base(const RecordSpec& spec) {
  return spec.find("like") != nullptr;
}

}  // namespace

std::string way_to_set(const std::vector<Place>& places) {
  std::vector<std::string> settings;
  for (const Place& place : places) {
    if (place.source || !place.pointer.starts_with("/job/")) return {};
    std::string path = place.pointer.substr(1);
    std::ranges::replace(path, '/', '.');
    settings.push_back(fmt::format("--set {}=VALUE", path));
  }
  return settings.empty() ? "" : fmt::format("set what suits the machine: {}", fmt::join(settings, " or "));
}

fs::path folder_of(const JsonValue& value) {
  return given_by_option(value) ? fs::path() : folder_of(fs::path(value.source->name()));
}

JsonValue read_named_file(const fs::path& file, const RecordSpec& spec, const JsonValue& reference,
                          const ReferenceReader& read) {
  if (given_by_option(reference)) return read(file);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  const std::string name = file.lexically_normal().string();
  if (error.value() == EACCES) refuse_reference(reference, "E0401", "no permission to read: " + name);
  if (fs::exists(status) && !fs::is_regular_file(status))
    refuse_reference(reference, "E0401", "not a regular file: " + name, "pipes are read on the command line only");
  if (!fs::exists(status)) refuse_reference(reference, "E0401", "no such file: " + name);
  JsonValue document;
  try {
    document = read(file);
  } catch (const ConfigError& wrong) {
    refuse_content(wrong, file, reference);
  }
  if (!has_form_of(document, spec))
    refuse_reference(reference, "E0105", fmt::format("not a {} file: {}", spec.name, name),
                     fmt::format("clusterwright explain {} lists the fields of such a file", spec.name));
  return document;
}

void resolve_references(JsonValue& value, const RecordSpec& spec, const ReferenceReader& read) {
  resolve(value, spec, read, 0);
}

void apply_setting(JsonValue& root, const RecordSpec& spec, const std::string& setting, const ReferenceReader& read) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError({"E0404",
                       "a setting must have the form path=value",
                       {option_place("--set", setting, 0, setting.size())},
                       "",
                       "for example --set job.global_batch=1024"});
  const std::string path = setting.substr(0, equals);
  JsonValue* object = &root;
  const RecordSpec* record = &spec;
  bool inherits = false;
  for (std::size_t begin = 0;;) {
    inherits = inherits || has_base(*record);
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    const std::string key = path.substr(begin, dot - begin);
    const FieldSpec* field = record->find(key);
    if (!field) unknown_path(path, begin, key, *record);
    if (dot == path.size()) {
      refuse_suffix(object->set(key, parse_value(path, setting.substr(equals + 1))), *field);
      break;
    }
    const bool goes_on = field->type == FieldType::record && !field->is_map;
    if (!goes_on) unknown_path(path, dot + 1, path.substr(dot + 1), *record);
    record = &field->nested();
    begin = dot + 1;
    if (field->is_list) {
      object = &list_element(*object, key, inherits, path, begin);
      begin = std::min(path.find('.', begin), path.size() - 1) + 1;
      if (begin == path.size()) unknown_path(path, begin, "", *record);
      continue;
    }
    JsonValue* member = object->find(key);
    object = member && member->is(JsonKind::object) ? member : &object->set(key, JsonValue::object());
  }
  resolve_references(root, spec, read);
}

}  // namespace clusterwright
