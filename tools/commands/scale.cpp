// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/prediction/predict_scale.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scale_caps.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/parameter_difference.hpp"
#include "tools/output/prediction_report.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

std::string title_of(const ResultContext& context, const ScaleCurve& curve) {
  return fmt::format("{} on {} ({}), {} scaling", context.transformer, context.accelerator, context.cluster,
                     curve.strong ? "strong" : "weak");
}

/// A curve, and which parameters made it where some were named.
struct ScaleAnswer {
  const ResultContext& context;
  const ScaleCurve& curve;
  std::optional<AgainstUsual> against;
};

ScenarioRequest at_size(ScenarioRequest request, int accelerators) {
  request.gpus = std::to_string(accelerators);
  return request;
}

ScenarioRequest with_batch(ScenarioRequest request, int global_batch) {
  request.settings.push_back(fmt::format("job.global_batch={}", global_batch));
  return request;
}

/// The scenario at a size of the curve, as `run` takes it: the batch of a weak curve has grown.
ScenarioRequest at_point(const ScaleRequest& request, const ScaleCurve& curve, const ScalePoint& point) {
  const ScenarioRequest sized = at_size(request.scenario, point.step.accelerators);
  return curve.strong ? sized : with_batch(sized, point.step.plan.global_batch);
}

std::string as_text(const ScaleRequest& request, const ScaleAnswer& answer) {
  const auto& [context, curve, against] = answer;
  std::string text = printable(title_of(context, curve)) + "\n" + printable(context.job) + "\n\n" +
                     render_text(scale_table(curve, context.memory_capacity)) + "\n";
  if (const ResultTable runs = training_runs_by_size(curve); !runs.rows.empty()) text += render_text(runs) + "\n";
  for (const std::string& sentence : verdict_sentences(curve)) text += printable(sentence) + "\n";
  if (const std::string price = run_price_sentence(curve); !price.empty()) text += price + "\n";
  if (against) text += "\n" + sentence_of(*against) + "\n";
  text += warnings_text(warnings_of(context.warnings, curve));
  text += "\nNext: " + printable(next_step(curve)) + "\n";
  if (const ScalePoint* point = largest_fitting(curve))
    text += fmt::format("Details: clusterwright run {} --explain, or -o report.html for charts\n",
                        words_of(at_point(request, curve, *point)));
  return text;
}

std::string as_markdown(const ResultContext& context, const ScaleCurve& curve) {
  std::string text = fmt::format("# {}\n\n{}\n\n", markdown_text(title_of(context, curve)), markdown_text(context.job));
  text += render_markdown(scale_table(curve, context.memory_capacity)) + "\n";
  if (const ResultTable runs = training_runs_by_size(curve); !runs.rows.empty()) text += render_markdown(runs) + "\n";
  for (const std::string& sentence : verdict_sentences(curve)) text += markdown_text(sentence) + "\n";
  if (const std::string price = run_price_sentence(curve); !price.empty()) text += markdown_text(price) + "\n";
  for (const ResultTable& table : {breakdown_by_size(curve), memory_by_size(curve), power_by_size(curve)})
    text += "\n" + render_markdown(table);
  text += warnings_markdown(warnings_of(context.warnings, curve));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(next_step(curve)));
}

JsonValue as_json(const ScaleAnswer& answer) {
  JsonValue document = scale_to_json(answer.context, answer.curve);
  document.set("against_usual", json_of(answer.against));
  return document;
}

std::string render_as(OutputFormat format, const ScaleRequest& request, const ScaleAnswer& answer) {
  const auto& [context, curve, against] = answer;
  switch (format) {
    case OutputFormat::json:
      return write_json(as_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(flat_table(curve));
    case OutputFormat::markdown:
      return as_markdown(context, curve);
    case OutputFormat::html:
      return html_report(context, curve);
    default:
      return as_text(request, answer);
  }
}

/// Sizes that could not be computed carry their number all the same.
void name_sizes(ScaleCurve& curve, const std::vector<int>& sizes) {
  for (std::size_t i = 0; i < std::min(sizes.size(), curve.points.size()); ++i)
    if (!curve.points[i].reason.empty()) curve.points[i].step.accelerators = sizes[i];
}

std::string interrupted_sentence(const ScaleCurve& curve, std::size_t asked) {
  return fmt::format("interrupted: {} of {} sizes are finished; the curve is incomplete", curve.points.size(), asked);
}

/// The scenario as a curve opens it. Nodes of --on have no number of their own, so that of the first size is taken,
/// with the batch that a weak curve has there: the file's batch belongs to the file's number of accelerators.
ScenarioRequest opened_at(const ScenarioRequest& request, bool strong, int accelerators) {
  if (request.on.empty()) return request;
  const ScenarioRequest sized = at_size(request, accelerators);
  const std::optional<Scenario> own = strong ? std::nullopt : scenario_of_file(request);
  if (!own || own->cluster.spec.accelerators < 1) return sized;
  const double grown =
      std::round(static_cast<double>(own->job.global_batch) * accelerators / own->cluster.spec.accelerators);
  return with_batch(sized, static_cast<int>(std::clamp(grown, 1.0, 1.0 * std::numeric_limits<int>::max())));
}

}  // namespace

ExitCode scale(const ScaleRequest& given) {
  if (!given.power.empty() || !given.caps.empty() || !given.halls.empty()) return scale_caps(given);
  ScaleRequest request = given;
  const bool strong = request.mode.empty() || parse_choice("--mode", request.mode, {"strong", "weak"}) == 0;
  const std::vector<int> sizes = parse_counts({"--gpus", request.gpus});
  request.scenario.on = node_of_sizes(request.scenario.on, *std::ranges::max_element(sizes));
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  const ScenarioRequest opened = opened_at(request.scenario, strong, sizes[0]);
  ScenarioSession session = open_scenario(opened, ScenarioReader::scale, *std::ranges::min_element(sizes));
  const JobSite site(session.scenario, session.context.inputs);
  site.complete(session.context.scenario);
  ScaleCurve curve;
  Scenario asked = session.scenario;
  if (request.replan) {
    asked.job = with_open_layout(asked.job);
    session.context.warnings.push_back(
        "--replan: the layout with the shortest step at each size; sharding, schedule and offload stay as stated");
  }
  {
    ProgressLine progress("cluster sizes", sizes.size(), request.output.quiet);
    curve = predict_scale(
        asked, sizes, strong, [&](std::size_t done) { progress.finished(done); }, interrupted,
        [&](const Scenario& scenario) { return site.predict(scenario); });
  }
  if (curve.points.empty()) throw Interrupted{};
  if (!curve.interrupted) name_sizes(curve, sizes);
  const ScaleAnswer answer{session.context, curve,
                           against_usual(session.scenario, !request.scenario.parameters.empty(), {})};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, request, answer); });
  print_warnings(warnings_of(session.context.warnings, curve), targets);
  if (curve.interrupted) {
    write_error(interrupted_sentence(curve, sizes.size()) + "\n");
    return ExitCode::interrupted;
  }
  return largest_fitting(curve) ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
