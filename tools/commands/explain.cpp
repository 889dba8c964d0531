// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/field_docs.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
#include "tools/error_codes.hpp"
#include "tools/output/output_target.hpp"
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

std::string overview() {
  std::string text =
      "explain a field by its path (for example job.parallel.tensor) or an error by its code (for example E0203)\n\n";
  for (const FileKind& kind : file_kinds()) text += fmt::format("  {:<12} {}\n", kind.name, kind.record->help);
  return text + "  errors       every error code with its meaning\n";
}

}  // namespace

ExitCode explain(const ExplainRequest& request) {
  std::string text;
  if (request.topic.empty()) {
    text = overview();
  } else if (request.topic == "errors") {
    text = error_codes_document();
  } else {
    text = is_error_code(request.topic) ? error_text(request.topic) : field_text(request.topic);
  }
  write_file("-", text);
  return ExitCode::ok;
}

}  // namespace clusterwright
