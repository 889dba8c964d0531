// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "models/job/configs_directory.hpp"
#include "sim/field_docs.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
#include "tools/error_codes.hpp"
#include "tools/exit_code.hpp"
#include "tools/output/output_target.hpp"
#include "tools/rule_list.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

bool is_error_code(const std::string& topic) {
  return topic.size() == 5 && (topic[0] == 'E' || topic[0] == 'e') &&
         topic.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::string error_text(const std::string& topic) {
  const std::string wanted = "E" + topic.substr(1);
  std::vector<std::string> known;
  for (const ErrorCode& error : error_codes()) {
    if (error.code == wanted) return fmt::format("{}: {}\n  {}\n", error.code, error.meaning, error.remedy);
    known.emplace_back(error.code);
  }
  throw option_error("TOPIC", topic, "no such error code", fmt::format("one of: {}", fmt::join(known, ", ")));
}

/// "job.parallel.tensor" of a scenario, or "stack.bucket_mb" with the kind of file first. A scenario names the files of
/// its parameters and steps by words: what stands behind them is a field of that kind of file.
std::string field_text(const std::string& topic) {
  const std::string first = topic.substr(0, topic.find('.'));
  const std::string rest = topic.size() > first.size() ? topic.substr(first.size() + 1) : std::string();
  const RecordSpec& scenario = spec_of(ConfigKind::scenario);
  const FieldSpec* field = scenario.find(first);
  const bool of_scenario = field && (rest.empty() || field->type == FieldType::record);
  for (const FileKind& kind : file_kinds())
    if (kind.name == first && !of_scenario) return explain_field(*kind.record, rest);
  return explain_field(scenario, topic);
}

/// Paths of the fields whose last name is `name`, nearest the root first. A record that stands in several places is
/// named in the first.
void find_fields(const RecordSpec& record, const std::string& path, const std::string& name,
                 std::set<const RecordSpec*>& seen, std::vector<std::string>& found) {
  if (!seen.insert(&record).second) return;
  for (const FieldSpec& field : record.fields) {
    const std::string here = path.empty() ? field.key : path + "." + field.key;
    if (field.key == name) found.push_back(here);
  }
  for (const FieldSpec& field : record.fields)
    if (field.type == FieldType::record)
      find_fields(field.nested(), path.empty() ? field.key : path + "." + field.key, name, seen, found);
}

std::vector<std::string> fields_named(const std::string& name) {
  std::set<const RecordSpec*> seen;
  std::vector<std::string> found;
  find_fields(spec_of(ConfigKind::scenario), "", name, seen, found);
  for (const FileKind& kind : file_kinds()) find_fields(*kind.record, kind.name, name, seen, found);
  return found;
}

std::string lower(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

/// Terms of docs/glossary.md with their meanings; none where the page is not installed.
std::vector<std::pair<std::string, std::string>> glossary() {
  std::vector<std::pair<std::string, std::string>> terms;
  std::ifstream page(configs_directory().parent_path() / "docs" / "glossary.md");
  for (std::string line; std::getline(page, line);) {
    const std::size_t middle = line.find(" | ", 2);
    if (!line.starts_with("| ") || middle == std::string::npos || line.starts_with("| word |")) continue;
    terms.emplace_back(line.substr(2, middle - 2), line.substr(middle + 3, line.rfind(" |") - middle - 3));
  }
  return terms;
}

/// "crest, trough" has two words; "efficiency (of a curve)" one.
bool is_term(const std::string& term, const std::string& topic) {
  std::stringstream words(term.substr(0, term.find(" (")));
  for (std::string word; std::getline(words >> std::ws, word, ',');)
    if (lower(word) == lower(topic)) return true;
  return false;
}

[[noreturn]] void unknown_topic(const std::string& topic) {
  std::vector<std::string> known;
  for (const auto& [term, meaning] : glossary()) known.push_back(term);
  for (const FileKind& kind : file_kinds()) {
    known.push_back(kind.name);
    for (const std::string& key : kind.record->keys()) known.push_back(key);
  }
  const std::string near = did_you_mean(topic, known);
  throw ConfigError({"E0402",
                     fmt::format("no field, term or error code \"{}\"", topic.substr(0, 80)),
                     {},
                     "",
                     near.empty() ? "clusterwright explain lists the kinds of files" : near});
}

/// A word without a dot: a term of the glossary, and the fields that bear this name.
std::string word_text(const std::string& topic) {
  std::string text;
  for (const auto& [term, meaning] : glossary())
    if (is_term(term, topic)) text += fmt::format("{}: {}\n", term, meaning);
  const std::vector<std::string> fields = fields_named(topic);
  for (const std::string& path : fields) text += (text.empty() ? "" : "\n") + field_text(path);
  if (text.empty()) unknown_topic(topic);
  return text;
}

/// Whether a topic is a field of a scenario or a kind of file, which are explained whole.
bool begins_path(const std::string& topic) {
  if (topic.find('.') != std::string::npos || spec_of(ConfigKind::scenario).find(topic)) return true;
  const auto& names = config_kind_names();
  return std::find(names.begin(), names.end(), topic) != names.end();
}

std::string exit_codes_text() {
  return "exit codes\n\n" + std::string(exit_codes());
}

std::string overview() {
  std::string text =
      "explain a field by its path (for example job.parallel.tensor) or an error by its code (for example E0203)\n\n";
  for (const FileKind& kind : file_kinds()) text += fmt::format("  {:<12} {}\n", kind.name, kind.record->help);
  return text +
         "  errors       every error code with its meaning\n"
         "  rules        what is checked between parts that plug into each other\n"
         "  exit         exit codes of the program\n"
         "or a word: the last name of a field (tensor), a term of the glossary (bubble)\n";
}

}  // namespace

ExitCode explain(const ExplainRequest& request) {
  std::string text;
  if (request.topic.empty()) {
    text = overview();
  } else if (request.topic == "errors") {
    text = error_codes_document();
  } else if (request.topic == "rules") {
    text = rule_list_document();
  } else if (request.topic == "exit") {
    text = exit_codes_text();
  } else {
    const std::string& topic = request.topic;
    text = is_error_code(topic) ? error_text(topic) : begins_path(topic) ? field_text(topic) : word_text(topic);
  }
  write_file("-", text);
  return ExitCode::ok;
}

}  // namespace clusterwright
