// SPDX-License-Identifier: Apache-2.0
#include "tools/output/cap_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/prediction/limit_evidence.hpp"
#include "models/prediction/prediction.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

const StepPrediction& step_of(const CapOption& option) {
  return *option.filled->step;
}

const CapOption* reference(const CapComparison& caps) {
  return !caps.options.empty() && runs(caps.options.front()) ? &caps.options.front() : nullptr;
}

double gain(const CapOption& option, const CapOption& over) {
  return step_of(option).tokens_per_second / step_of(over).tokens_per_second - 1;
}

/// Gain if each accelerator lost `most_cost_of_limits` times as much to its limit.
double cautious_gain(const CapOption& option, const CapOption& over) {
  const double kept =
      step_of(option).tokens_per_second_per_accelerator() / step_of(over).tokens_per_second_per_accelerator();
  if (kept >= 1) return gain(option, over);
  const double more = (1 + gain(option, over)) / kept;
  return more * (1 - most_cost_of_limits * (1 - kept)) - 1;
}

const CapOption* cheapest(const CapComparison& caps) {
  const CapOption* best = nullptr;
  for (const CapOption& option : caps.options)
    if (runs(option) && option.filled->cost.usd_per_million_tokens &&
        (!best || *option.filled->cost.usd_per_million_tokens < *best->filled->cost.usd_per_million_tokens))
      best = &option;
  return best;
}

std::string cap_name(const CapOption& option) {
  return percent_text(option.share, 0) + (option.hall.empty() ? "" : ", " + option.hall);
}

/// "80 % of the rating, direct-to-chip".
std::string limit_words(const CapOption& option) {
  return percent_text(option.share, 0) + " of the rating" + (option.hall.empty() ? "" : ", " + option.hall);
}

bool several_halls(const CapComparison& caps) {
  return !caps.options.empty() && !caps.options.front().hall.empty();
}

Cell or_nothing(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

std::vector<Cell> cells_of(const CapComparison& caps, const CapOption& option) {
  const double limit = (option.share * caps.rating).in(watt);
  if (!runs(option)) return {option.share, limit, {}, {}, {}, {}, {}, {}, {}, {}, option.reason};
  const StepPrediction& step = step_of(option);
  const CapOption* first = reference(caps);
  return {option.share,
          limit,
          step.accelerators,
          plan_text(step.plan),
          step.step_time.in(second),
          step.tokens_per_second,
          first ? Cell(gain(option, *first)) : Cell(),
          step.power.energy_per_token.in(joule),
          option.filled->plan.mean.facility.in(watt),
          or_nothing(option.filled->cost.usd_per_million_tokens),
          limited_by(step)};
}

std::vector<Cell> row_of(const CapComparison& caps, const CapOption& option) {
  std::vector<Cell> row = cells_of(caps, option);
  if (several_halls(caps)) row.insert(row.begin(), option.hall);
  return row;
}

JsonValue option_to_json(const CapComparison& caps, const CapOption& option) {
  JsonValue out = JsonValue::object({{"cap", option.share},
                                     {"limit_w", (option.share * caps.rating).in(watt)},
                                     {"hall", option.hall.empty() ? JsonValue() : JsonValue(option.hall)},
                                     {"reason", option.reason.empty() ? JsonValue() : JsonValue(option.reason)}});
  if (!option.filled) return out;
  const SizedCluster& filled = *option.filled;
  const StepPrediction& step = step_of(option);
  const CapOption* first = reference(caps);
  const auto number = [](bool known, double value) { return known ? JsonValue(value) : JsonValue(); };
  out.set("gpus", step.accelerators);
  out.set("global_batch", step.plan.global_batch);
  out.set("plan", plan_text(step.plan));
  out.set("step_time_s", step.step_time.in(second));
  out.set("low_s", step.low.in(second));
  out.set("high_s", step.high.in(second));
  out.set("tokens_per_s", step.tokens_per_second);
  out.set("gain", number(first && runs(option), first && runs(option) ? gain(option, *first) : 0));
  out.set("cautious_gain", number(first && runs(option), first && runs(option) ? cautious_gain(option, *first) : 0));
  out.set("energy_j_per_token", step.power.energy_per_token.in(joule));
  out.set("facility_kw_mean", filled.plan.mean.facility.in(kilowatt));
  out.set("facility_kw_rated", filled.plan.rated.facility.in(kilowatt));
  out.set("capex_usd", filled.cost.capex_total.in(dollar));
  const auto& price = filled.cost.usd_per_million_tokens;
  out.set("usd_per_million_tokens", number(price.has_value(), price.value_or(0)));
  return out;
}

std::string heading_of(const CapComparison& caps) {
  std::vector<const Plan*> plans;
  for (const CapOption& option : caps.options)
    if (runs(option)) plans.push_back(&step_of(option).plan);
  return plan_heading(plans);
}

}  // namespace

bool runs(const CapOption& option) {
  return option.reason.empty() && option.filled && option.filled->step && option.filled->step->fits;
}

ResultTable cap_table(const CapComparison& caps) {
  ResultTable table;
  table.columns = {{"cap", "Cap", "%", 100, 0},
                   {"limit_w", "Limit", "W", 1, 0},
                   {"gpus", "GPUs", ""},
                   words_column("plan", heading_of(caps)),
                   {"step_time_s", "Step", "s"},
                   {"tokens_per_s", "Tokens", "/s", 1, 0},
                   {"gain", "Gain", "%", 100, 1},
                   {"energy_j_per_token", "Energy", "J/token"},
                   {"facility_w_mean", "Grid, year mean", "MW", 1e-6, 2},
                   {"usd_per_million_tokens", "Cost", "$/Mtoken"},
                   words_column("limited_by", "Limited by")};
  if (several_halls(caps)) table.columns.insert(table.columns.begin(), words_column("hall", "Hall"));
  for (const CapOption& option : caps.options) table.rows.push_back(row_of(caps, option));
  return table;
}

const CapOption* fastest(const CapComparison& caps) {
  const CapOption* best = nullptr;
  for (const CapOption& option : caps.options)
    if (runs(option) && (!best || step_of(option).tokens_per_second > step_of(*best).tokens_per_second)) best = &option;
  return best;
}

std::vector<std::string> cap_sentences(const CapComparison& caps) {
  const CapOption *best = fastest(caps), *first = reference(caps), *least = cheapest(caps);
  if (!best) {
    const std::string help = caps.options.empty() ? "" : caps.options.front().help;
    return {"No job runs at any of these limits" + (help.empty() ? "" : ": " + help) + "."};
  }
  std::vector<std::string> out;
  std::string text =
      fmt::format("Most tokens: {}, {} tokens/s on {} GPUs", limit_words(*best),
                  count_text(std::llround(step_of(*best).tokens_per_second)), count_text(step_of(*best).accelerators));
  if (first && best != first)
    text += fmt::format(
        ", {} more than at {}; if limits cost {} times as much as predicted, as in published runs on H100 "
        "and H200, {}",
        percent_text(gain(*best, *first)), cap_name(*first), most_cost_of_limits,
        percent_text(cautious_gain(*best, *first)));
  out.push_back(text + ".");
  if (least)
    out.push_back(fmt::format("Cheapest tokens: {}, ${} per million.", limit_words(*least),
                              significant_text(*least->filled->cost.usd_per_million_tokens)));
  return out;
}

Warnings cap_warnings(const Warnings& about_input, const CapComparison& caps) {
  std::vector<NamedWarnings> running;
  for (const CapOption& option : caps.options) {
    if (!runs(option)) continue;
    Warnings warnings = step_of(option).warnings;
    for (const SiteVerdict& verdict : option.filled->plan.verdicts)
      if (!verdict.holds) warnings.push_back(fmt::format("{} does not hold: {}", verdict.what, verdict.arithmetic));
    running.push_back({cap_name(option), std::move(warnings)});
  }
  return warnings_of(about_input, running);
}

JsonValue caps_to_json(const ResultContext& context, const CapComparison& caps) {
  JsonValue document = result_header(context.command, context.seed, context.inputs);
  document.set("scenario", context.scenario);
  JsonValue list = JsonValue::list();
  for (const CapOption& option : caps.options) list.push_back(option_to_json(caps, option));
  const CapOption* best = fastest(caps);
  document.set("grid_kw", caps.grid.in(kilowatt));
  document.set("best_cap", best ? JsonValue(best->share) : JsonValue());
  document.set("options", list);
  document.set("warnings", warnings_json(cap_warnings(context.warnings, caps)));
  return document;
}

}  // namespace clusterwright
