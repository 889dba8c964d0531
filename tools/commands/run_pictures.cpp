// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/run_pictures.hpp"

#include "models/lowering/step_traffic.hpp"
#include "models/prediction/folding_check.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/timeline.hpp"
#include "sim/unfold.hpp"
#include "tools/output/chrome_trace.hpp"
#include "tools/output/heat_page.hpp"
#include "tools/output/link_heat.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/step_trace.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

/// A step and its heat.
struct HeatedTraffic {
  HeatedTraffic(const Scenario& scenario, const StepPrediction& step, const LoweredStep& lowered)
      : traffic(scenario, lowered),
        heat(scenario.cluster, traffic.bytes(lowered.structure(), lowered.timing()), step.step_time) {}

  StepTraffic traffic;
  LinkHeat heat;
};

const std::vector<OutputFormat> heat_formats = {OutputFormat::csv, OutputFormat::html, OutputFormat::dot};

}  // namespace

void write_timeline(const std::string& file, const Scenario& scenario, const StepPrediction& step) {
  check_timeline(step_size(scenario, step.plan));
  const StepSimulation simulated = simulate_step(scenario, step.plan);
  const StepTiming& timing = simulated.graph.timing;
  const UnfoldedStep flat = unfold(simulated.graph.structure, timing, simulated.result);
  const LoweredStep lowered(scenario, step.plan, Folding::folded);
  TraceExtras extras{meeting_names(lowered, flat, timing), {}};
  extras.counters.push_back({"power of a rank with its share of the host, W", "W",
                             power_counters(simulated.graph.structure, timing, simulated.result)});
  extras.counters.push_back(
      {"clock of a rank, % of the reference", "clock, %", clock_counters(simulated.graph.structure, timing)});
  if (scenario.cluster.has_network()) {
    const HeatedTraffic heated(scenario, step, lowered);
    extras.counters.push_back(
        {"busiest links, % of their rate", "%", link_counters(heated.heat, heated.traffic, flat, timing)});
  }
  write_file(file, chrome_trace(flat.structure, make_timeline(flat.structure, flat.result), extras));
}

void check_heat(const RunRequest& request, const Cluster& cluster) {
  if (request.heat.empty()) return;
  format_of_file("--heat", request.heat, heat_formats);
  if (!cluster.has_network())
    throw ConfigError({"E0339",
                       "--heat has no links to show: the cluster has no network: it is one node or one scale-up domain",
                       {option_place("--heat", request.heat)},
                       "",
                       "leave it out"});
}

void write_heat(const std::string& file, const ScenarioSession& session, const StepPrediction& step) {
  const LoweredStep lowered(session.scenario, step.plan, Folding::folded);
  const LinkHeat heat = HeatedTraffic(session.scenario, step, lowered).heat;
  switch (format_of_file("--heat", file, heat_formats)) {
    case OutputFormat::html:
      return write_file(file, heat_page(session.context, step, heat));
    case OutputFormat::dot:
      return write_file(file, heat_graphviz(heat));
    default:
      return write_file(file, heat_csv(heat));
  }
}

}  // namespace clusterwright
