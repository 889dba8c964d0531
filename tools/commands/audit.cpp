// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/blueprint.hpp"
#include "models/site/plant/facility_files.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/config_kinds.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/audit_answer.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

std::string render_as(OutputFormat format, const AuditAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(audit_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(claims_data(answer.report));
    case OutputFormat::markdown:
      return audit_markdown(answer);
    case OutputFormat::html:
      return audit_page(answer);
    default:
      return audit_text(answer);
  }
}

ResultContext context_of(const LoadedBlueprint& loaded, const ScenarioRequest& asked, std::uint64_t seed) {
  ResultContext context = loaded.scenario ? make_result_context(*loaded.scenario, "audit", asked.command_line, seed)
                                          : make_result_context(loaded.cluster, "audit", asked.command_line, seed);
  context.inputs = loaded.inputs;
  context.scenario.find("cluster")->set("facility", effective_facility(loaded.facility));
  return context;
}

}  // namespace

ExitCode audit(const AuditRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  const ScenarioRequest& asked = request.blueprint;
  const std::uint64_t seed = parse_seed({"--seed", asked.seed});
  const std::filesystem::path file = named_file(asked.scenario, {"blueprints", "designs"});
  require_kind(file, ConfigKind::blueprint, "audit");
  const LoadedBlueprint loaded = load_blueprint(file, scenario_options(asked));
  const AuditReport report = audit_blueprint(input_of(loaded));
  stop_if_interrupted();
  const ResultContext context = context_of(loaded, asked, seed);
  const AuditAnswer answer{context, loaded.blueprint, report};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, answer); });
  print_warnings(audit_warnings(answer), targets);
  return report.count(Holds::no) > 0 ? ExitCode::impossible : ExitCode::ok;
}

}  // namespace clusterwright
