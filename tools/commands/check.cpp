// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/job/scenario_loader.hpp"
#include "models/search/best_plan.hpp"
#include "models/site/audit/blueprint.hpp"
#include "sim/json_reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

/// Decides the plan as `run` does. Any layout shows that there is one, so a short search comes first; what it does not
/// find only the whole one may refuse.
void check_plan(const Scenario& scenario) {
  constexpr SearchEffort little{.layouts = 2'000, .replays = 1, .look_around = false, .context_space = false};
  try {
    decide_plan(scenario, OpenFields::best, little);
  } catch (const ConfigError&) {
    decide_plan(scenario, OpenFields::best);
  }
}

/// Reads the file with everything it refers to, as a computing command would. @return its kind
ConfigKind check_file(const fs::path& file) {
  const JsonValue document = read_json_file(file);
  const ConfigKind kind = kind_of(document);
  if (kind == ConfigKind::scenario)
    check_plan(load_scenario(file, {}));
  else if (kind == ConfigKind::blueprint)
    load_blueprint(file, {});
  else
    check_document(kind, document);
  return kind;
}

}  // namespace

ExitCode check(const CheckRequest& request) {
  ExitCode code = ExitCode::ok;
  for (const std::string& file : request.files) {
    try {
      const ConfigKind kind = check_file(named_file(file, config_folders()));
      if (!request.quiet)
        write_file("-",
                   fmt::format("{}: ok ({})\n", printable(file), config_kind_names()[static_cast<std::size_t>(kind)]));
    } catch (const ConfigError& error) {
      write_error(error.what());
      code = ExitCode::wrong_input;
    }
  }
  return code;
}

}  // namespace clusterwright
