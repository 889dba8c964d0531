// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/scale_caps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/site/sizing/filled_site.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "sim/parallel_points.hpp"
#include "sim/plain_number.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/cap_tables.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/warnings.hpp"
#include "tools/typed_text.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// "90%", as --cap takes it.
std::string percent(double share) {
  return plain_number(100 * share, 6) + "%";
}

/// One empty name without any.
std::vector<std::string> halls_of(const std::string& halls) {
  std::vector<std::string> names = parse_words(halls);
  if (names.empty()) names.emplace_back();
  return names;
}

void check_options(const ScaleRequest& request) {
  if (request.power.empty()) {
    const std::string option = request.caps.empty() ? "--halls" : "--caps";
    throw option_error(option, request.caps.empty() ? request.halls : request.caps,
                       option + " needs the power of the site", "add --power, for example 20MW");
  }
  if (!request.gpus.empty())
    throw option_error("--gpus", request.gpus, "the power says how many accelerators there are",
                       "leave out --gpus or --power");
  if (!request.mode.empty() && parse_choice("--mode", request.mode, {"strong", "weak"}) == 0)
    throw option_error("--mode", request.mode, "a larger cluster has more replicas, each with its batch",
                       "leave out --mode");
  if (!request.scenario.cap.empty())
    throw option_error("--cap", request.scenario.cap, "the limits to compare stand in --caps", "leave out --cap");
}

/// Number to begin with where nothing states one, as of a model alone: nodes that take half of the power, at their
/// nameplate, so that the layout is that of about such a size.
std::string first_size(const std::string& on, Watts grid) {
  const Catalog catalog = load_catalog(configs_directory() / "parts", FactCheck::none);
  const NodePart& node = named_node(on, catalog);
  const int each = node.accelerator_count ? std::max(1, node.accelerator_count->value) : 1;
  constexpr Watts unknown = 1 * kilowatt;  // of an accelerator with its share of the host
  const Watts power = node.max_power ? node.max_power->value : each * unknown;
  constexpr double most = 100'000;
  const double nodes = std::clamp(std::floor(grid / (2 * power)), 1.0, most / each);
  return std::to_string(std::bit_floor(static_cast<unsigned>(each * nodes)));  // which batches suit
}

constexpr const char* hall_setting = "cluster.facility.like=";

/// One option; what cannot be is its reason.
CapOption filled_option(const ScaleRequest& request, double share, const std::string& hall, Watts grid) {
  CapOption option{share, {}, {}, {}, hall};
  try {
    ScenarioRequest capped = request.scenario;
    if (!hall.empty()) capped.settings.push_back(hall_setting + hall);
    if (share < 1) capped.cap = percent(share);
    ScenarioSession session = open_scenario(capped, ScenarioReader::scale);
    const JobSite site(session.scenario, session.context.inputs);
    const PriceList prices = load_prices(session.scenario.source, site.catalog(), session.context.inputs);
    option.filled = fill_site(session.scenario, grid, request.replan,
                              [&](const Scenario& scenario) { return site.size(scenario, prices); });
    if (!option.filled->step->fits) option.reason = option.filled->step->verdict;
  } catch (const ConfigError& error) {
    option.reason = error.diagnostics().front().message;
    option.help = error.diagnostics().front().help;
  }
  return option;
}

std::string title_of(const ResultContext& context, const CapComparison& caps) {
  return fmt::format("{} on {} ({}): {} MW from the grid on the design day, constant batch per replica",
                     context.transformer, context.accelerator, context.cluster,
                     significant_text(caps.grid.in(megawatt)));
}

/// Refuses a hall that does not exist or contradicts the scenario: of an option it would be a reason.
void check_hall(const ScaleRequest& request, const std::string& hall) {
  if (hall.empty()) return;
  ScenarioRequest changed = request.scenario;
  changed.settings.push_back(hall_setting + hall);
  ScenarioSession session = open_scenario(changed, ScenarioReader::scale);
  const JobSite site(session.scenario, session.context.inputs);
}

/// Command that confirms an option.
std::string confirmation(const ScaleRequest& request, const CapOption& option) {
  const StepPrediction& step = *option.filled->step;
  ScenarioRequest confirmed = request.scenario;
  if (!option.hall.empty()) confirmed.settings.push_back(hall_setting + option.hall);
  if (option.share < 1) confirmed.cap = percent(option.share);
  confirmed.gpus = std::to_string(step.accelerators);
  confirmed.settings.push_back(fmt::format("job.global_batch={}", step.plan.global_batch));
  return sizing_command(confirmed);
}

struct CapAnswer {
  const ScaleRequest& request;
  const ResultContext& context;
  const CapComparison& caps;
};

std::string as_text(const CapAnswer& answer, bool markdown) {
  const auto& [request, context, caps] = answer;
  const std::string title = title_of(context, caps);
  std::string text = markdown ? fmt::format("# {}\n\n{}\n\n", markdown_text(title), markdown_text(context.job))
                              : printable(title) + "\n" + printable(context.job) + "\n\n";
  const ResultTable table = cap_table(caps);
  text += (markdown ? render_markdown(table) : render_text(table)) + "\n";
  for (const std::string& sentence : cap_sentences(caps)) text += sentence + "\n";
  const Warnings warnings = cap_warnings(context.warnings, caps);
  text += markdown ? warnings_markdown(warnings) : warnings_text(warnings);
  if (const CapOption* best = fastest(caps)) text += "\nNext: " + confirmation(request, *best) + "\n";
  return text;
}

std::string render_as(OutputFormat format, const CapAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(caps_to_json(answer.context, answer.caps)) + "\n";
    case OutputFormat::csv:
      return render_csv(cap_table(answer.caps));
    default:
      return as_text(answer, format == OutputFormat::markdown);
  }
}

}  // namespace

ExitCode scale_caps(const ScaleRequest& given) {
  check_options(given);
  ScaleRequest request = given;
  const Watts grid = parse_power({"--power", request.power});
  const std::vector<double> shares = parse_caps({"--caps", request.caps.empty() ? "100,90,80,70,60" : request.caps});
  const std::vector<std::string> halls = halls_of(request.halls);
  if (!request.scenario.on.empty() && !scenario_of_file(request.scenario))
    request.scenario.gpus = first_size(request.scenario.on, grid);
  for (const std::string& hall : halls) check_hall(request, hall);
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const ScenarioSession session = open_scenario(request.scenario, ScenarioReader::scale);
  request.scenario.on = node_of_sizes(request.scenario.on, session.scenario.cluster.spec.accelerators);
  CapComparison caps{grid, session.scenario.cluster.accelerator.power.value, {}};
  caps.options.resize(shares.size() * halls.size());
  {
    ProgressLine progress("power limits", caps.options.size(), request.output.quiet);
    std::vector<std::size_t> order(caps.options.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mutex counting;
    std::size_t done = 0;
    for_each_point(order, [&](std::size_t i) {
      if (interrupted()) return;
      caps.options[i] = filled_option(request, shares[i % shares.size()], halls[i / shares.size()], grid);
      const std::lock_guard lock(counting);
      progress.finished(++done);
    });
  }
  if (interrupted()) throw Interrupted{};
  const CapAnswer answer{request, session.context, caps};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, answer); });
  print_warnings(cap_warnings(session.context.warnings, caps), targets);
  return fastest(caps) ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
