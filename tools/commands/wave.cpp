// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/site/sizing/job_site.hpp"
#include "models/site/wave/job_wave.hpp"
#include "sim/json_writer.hpp"
#include "sim/plain_number.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/warnings.hpp"
#include "tools/output/wave_report.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

constexpr const char* block = "cluster.facility.stabilization.";

/// "65%" or "0.65" as a share.
double share_of(const std::string& option, const std::string& text) {
  const double value = parse_percentage({option, text});
  if (value > 1)
    throw option_error(option, text, "more than the power limit of an accelerator", "a share of it: 65% or 0.65");
  return value;
}

/// Settings that say the same as the options of this command.
ScenarioRequest with_measures(const WaveRequestOptions& request) {
  ScenarioRequest out = request.scenario;
  const auto set = [&](const std::string& field, const std::string& value) {
    out.settings.push_back(block + field + "=" + value);
  };
  if (!request.utility.empty()) set("interconnection", request.utility);
  if (!request.floor.empty()) set("smoothing.floor", plain_number(share_of("--floor", request.floor)));
  if (!request.filler.empty()) set("filler.floor", plain_number(share_of("--filler", request.filler)));
  JsonValue storage = JsonValue::list();
  for (const std::string& part : request.storage) storage.push_back(JsonValue::object({{"part", part}}));
  if (!request.storage.empty()) set("storage", write_json(storage));
  return out;
}

WaveRequest asked(const WaveRequestOptions& request) {
  constexpr Seconds shortest = 120 * second, longest = 1 * hour;
  WaveRequest out;
  if (!request.length.empty()) out.length = parse_duration({"--length", request.length});
  if (out.length < shortest || out.length > longest)
    throw option_error("--length", request.length, "the wave is looked at for 2 minutes to an hour",
                       "for example 5min");
  if (!request.stall.empty()) out.stall = parse_duration({"--stall", request.stall});
  if (out.stall > 0.5 * out.length)
    throw option_error("--stall", request.stall, "longer than half of the wave", "a longer --length");
  return out;
}

void refuse_kinds(const Scenario& scenario) {
  if (scenario.cluster.kinds() == 1) return;
  throw ConfigError({"E0367",
                     "the power over time of nodes of several kinds is not modelled: their hall is not planned",
                     {scenario.source.at("cluster").place("/cluster")},
                     "",
                     "name one kind of nodes"});
}

}  // namespace

ExitCode wave(const WaveRequestOptions& request) {
  const auto targets =
      output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                      OutputFormat::markdown, OutputFormat::html, OutputFormat::prometheus});
  const WaveRequest question = asked(request);
  ScenarioSession session = open_scenario(with_measures(request), ScenarioReader::wave);
  refuse_kinds(session.scenario);
  const JobSite site(session.scenario, session.context.inputs);
  site.complete(session.context.scenario);
  const SitedStep sited = site.plan(session.scenario);
  stop_if_interrupted();
  const JobWave result = job_wave(sited.scenario, sited.step, sited.plan, sited.facility, site.catalog(), question);
  const WaveAnswer answer{session.context, sited.step, result, sited.facility.stabilization};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_wave(format, answer); });
  print_warnings(wave_warnings(answer), targets);
  return holds(result) ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
