// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include "models/job/configs_directory.hpp"
#include "models/site/audit/blueprint.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/design_report.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

/// Blueprints of configs/designs, by name.
std::vector<fs::path> published_blueprints() {
  std::vector<fs::path> files;
  for (const std::string& name : config_names("designs"))
    files.push_back(configs_directory() / "designs" / (name + ".json"));
  return files;
}

AuditedDesign audited(const fs::path& file, std::vector<InputFile>& inputs) {
  const LoadedBlueprint loaded = load_blueprint(file, {});
  inputs.insert(inputs.end(), loaded.inputs.begin(), loaded.inputs.end());
  return {loaded.blueprint, audit_blueprint(input_of(loaded))};
}

std::string render_as(OutputFormat format, const std::vector<AuditedDesign>& designs,
                      const std::vector<InputFile>& inputs) {
  const ResultTable table = design_table(designs);
  switch (format) {
    case OutputFormat::json:
      return write_json(designs_to_json(designs, result_header("validate", 0, inputs))) + "\n";
    case OutputFormat::csv:
      return render_csv(table);
    case OutputFormat::markdown:
      return "# Published designs\n\n" + render_markdown(table) + "\n" + design_sentence(designs) + "\n";
    default:
      return render_text(table) + "\n" + design_sentence(designs) + "\n";
  }
}

}  // namespace

ExitCode validate_designs(const ValidateRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  std::vector<AuditedDesign> designs;
  std::vector<InputFile> inputs;
  for (const fs::path& file : published_blueprints()) {
    designs.push_back(audited(file, inputs));
    stop_if_interrupted();
  }
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, designs, inputs); });
  return disagreements(designs) > 0 ? ExitCode::differs : ExitCode::ok;
}

}  // namespace clusterwright
