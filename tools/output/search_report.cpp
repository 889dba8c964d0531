// SPDX-License-Identifier: Apache-2.0
#include "tools/output/search_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

double bytes_to_gb(double bytes) {
  return bytes / 1e9;
}

/// Value of a field without what differs among layouts that share it: "full, 3 layers" counts as one value.
std::string shared_text(LayoutField field, const Layout& layout) {
  if (field == LayoutField::recompute && layout.recomputed_layers > 0) return "full, of some layers";
  if (field == LayoutField::sharding && layout.sharding == Sharding::hsdp) return "hsdp";
  return value_text(field, layout);
}

const FoundLayout* best_sharing(const SearchAnswer& answer, LayoutField field, const std::string& value) {
  for (const FoundLayout& found : answer.result.found)
    if (shared_text(field, found.candidate.layout) == value) return &found;
  return nullptr;
}

/// Cause of which a step has most more than another: "pipeline bubble +0.82 s".
std::string largest_growth(const StepSummary& step, const StepSummary& best) {
  std::size_t most = 0;
  Seconds growth;
  for (std::size_t i = 0; i < step_charge_count; ++i)
    if (step.breakdown[i] - best.breakdown[i] > growth) {
      growth = step.breakdown[i] - best.breakdown[i];
      most = i;
    }
  if (growth <= Seconds()) return "";
  return fmt::format("{} +{} s", people_name(static_cast<StepCharge>(most)), significant_text(growth.in(second)));
}

std::string why(const SearchAnswer& answer, const FieldValue& value, const FoundLayout* found) {
  if (value.fitting == 0 && value.beyond > 0) return fmt::format("fits only beyond what {} runs", answer.stack);
  if (value.fitting == 0)
    return fmt::format("memory: at least {} of {} GB", fixed_text(bytes_to_gb(value.least_memory), 1),
                       significant_text(answer.context.memory_capacity.in(gigabyte)));
  if (!found) return "its bound cannot win";
  if (found == &answer.result.found.front()) return "best";
  return largest_growth(found->step, answer.result.found.front().step);
}

struct Choice {
  std::string field, value;
  const FieldValue* counts;
  const FoundLayout* found;
};

std::vector<Choice> choices_of(const SearchAnswer& answer) {
  std::vector<Choice> out;
  for (std::size_t i = 0; i < layout_field_count; ++i) {
    const auto field = static_cast<LayoutField>(i);
    std::vector<FieldValue> const& values = answer.result.values.of(field);
    if (values.size() < 2) continue;
    std::vector<const FieldValue*> sorted;
    for (const FieldValue& value : values) sorted.push_back(&value);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->code < b->code; });
    for (const FieldValue* value : sorted) {
      const std::string text = shared_text(field, value->best.layout);
      out.push_back({std::string(layout_field_names[i]), text, value, best_sharing(answer, field, text)});
    }
  }
  return out;
}

/// Most values of one field that people see: those with the best steps, in the order of values. All are in the JSON.
constexpr std::size_t most_values = 8;

/// Choices without the worst of a field with many values, and without the second of those that no layout can have.
std::vector<Choice> worth_a_line(const std::vector<Choice>& all) {
  std::vector<Choice> out;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].field == all[begin].field) ++end;
    std::vector<double> values;
    for (std::size_t i = begin; i < end; ++i)
      if (all[i].found) values.push_back(all[i].found->value);
    std::sort(values.begin(), values.end());
    const double worst = values.empty() ? 0 : values[std::min(values.size(), most_values) - 1];
    std::size_t without = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool shown = all[i].found ? all[i].found->value <= worst : ++without <= most_values / 2;
      if (shown) out.push_back(all[i]);
    }
    begin = end;
  }
  return out;
}

double behind_best(const SearchAnswer& answer, const FoundLayout& found) {
  return found.value / answer.result.found.front().value - 1;
}

Cell of_found(const FoundLayout* found, double value) {
  return found ? Cell(value) : Cell();
}

}  // namespace

std::string left_out_text(LeftOut left_out) {
  constexpr std::array<const char*, 6> words = {"offload to the host",
                                                "groups of hsdp",
                                                "the second order of ranks",
                                                "micro-batches other than powers of two",
                                                "groups other than powers of two",
                                                "numbers of virtual stages other than powers of two"};
  std::string text;
  for (int i = 0; i < static_cast<int>(left_out); ++i)
    text += fmt::format("{}{}", i > 0 ? "; " : "", words[static_cast<std::size_t>(i)]);
  return text;
}

ResultTable plans_table(const SearchAnswer& answer) {
  ResultTable table{"",
                    {{"rank", "", ""},
                     words_column("plan", "TPxPPxDP"),
                     {"virtual_pipeline", "Virtual", ""},
                     {"micro_batch", "Micro-batch", ""},
                     words_column("schedule", "Schedule"),
                     words_column("recompute", "Recompute"),
                     words_column("sharding", "Sharding"),
                     words_column("offload", "Offload"),
                     {"step_time_s", "Step", "s"},
                     {"half_width_s", "± 90 %", "s", 1, 2},
                     percent_column("behind", "Behind"),
                     percent_column("mfu", "MFU"),
                     {"memory_gb", "Memory", "GB", 1, 1},
                     {"energy_j_per_token", "Energy", "J/token"},
                     words_column("limited_by", "Limited by")},
                    {}};
  if (answer.usd_per_hour)
    table.columns.insert(table.columns.end() - 1, {"usd_per_million_tokens", "Rent", "$/Mtoken"});
  int rank = 0;
  for (const SearchPlan& plan : answer.plans) {
    const StepPrediction& step = plan.step;
    const auto text = [&](LayoutField field) { return Cell(value_text(field, plan.layout)); };
    std::vector<Cell> row = {++rank,
                             plan_text(step.plan),
                             plan.layout.virtual_pipeline,
                             plan.layout.micro_batch,
                             text(LayoutField::schedule),
                             text(LayoutField::recompute),
                             text(LayoutField::sharding),
                             text(LayoutField::offload),
                             step.step_time.in(second),
                             (step.high - step.low).in(second) / 2,
                             plan.behind,
                             step.mfu,
                             step.memory.total().in(gigabyte),
                             step.power.energy_per_token.in(joule),
                             limited_by(step)};
    if (answer.usd_per_hour) row.insert(row.end() - 1, Cell(plan.usd_per_million_tokens.value_or(0)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable choices_table(const SearchAnswer& answer) {
  ResultTable table{"Best plan with each value of a field, and why it lost",
                    {words_column("field", "Field"),
                     words_column("value", "Value"),
                     {"layouts", "Layouts", ""},
                     {"feasible", "Feasible", ""},
                     {"least_memory_gb", "Least memory", "GB", 1, 1},
                     {"step_time_s", "Best step", "s"},
                     percent_column("behind", "Behind"),
                     words_column("why", "Why")},
                    {}};
  std::string last;
  for (const Choice& c : worth_a_line(choices_of(answer))) {
    table.rows.push_back(
        {c.field == last ? "" : c.field, c.value, c.counts->layouts, c.counts->fitting,
         bytes_to_gb(c.counts->least_memory), of_found(c.found, c.found ? to_seconds(c.found->step.end).in(second) : 0),
         of_found(c.found, c.found ? behind_best(answer, *c.found) : 0), why(answer, *c.counts, c.found)});
    last = c.field;
  }
  return table;
}

namespace {

std::string counts_sentence(const SearchAnswer& answer) {
  const SearchResult& r = answer.result;
  std::string text =
      fmt::format("Evaluated {} layouts in closed form: {} feasible, {} short of memory",
                  count_text(r.counts.evaluated), count_text(r.counts.feasible), count_text(r.counts.short_of_memory));
  if (r.counts.beyond_stack > 0)
    text += fmt::format(", {} beyond what {} runs", count_text(r.counts.beyond_stack), answer.stack);
  text += fmt::format("; replayed {}.", count_text(r.replayed));
  if (r.refused > 0) text += fmt::format(" {} replayed layouts exceed a limit.", count_text(r.refused));
  if (r.short_of_host > 0)
    text += fmt::format(" {} candidates do not fit in host memory.", count_text(r.short_of_host));
  return text;
}

std::string proof_sentence(const SearchAnswer& answer) {
  const SearchResult& r = answer.result;
  const double best = r.found.front().value;
  if (r.proven()) return "Proven: no other layout of the space has a bound below the best step.";
  if (!r.counts.complete)
    return fmt::format("Not proven: the search ended after {} of about {:.3g} layouts; add --constraint or --layouts.",
                       count_text(r.counts.evaluated), r.space);
  std::string text;
  if (r.left_out != LeftOut::nothing)
    text = fmt::format("Not proven for the whole space of {:.3g} layouts, which was thinned out: without {}. ", r.space,
                       left_out_text(r.left_out));
  if (r.least_open >= best) return text + "Proven for what was searched.";
  return text + fmt::format("Not proven: a layout without a replay has a bound {} below the best step (--replays).",
                            percent_text(1 - r.least_open / best, 1));
}

std::string second_sentence(const SearchAnswer& answer) {
  const SearchPlan& next = answer.plans[1];
  const double width = half_width_90 * next.paired_sigma;
  const bool inside = std::log(next.step.step_time / answer.plans[0].step.step_time) <= width;
  return fmt::format("The second plan is {} behind, {} the paired 90 % interval of the two (± {}).",
                     percent_text(next.behind, 1), inside ? "inside" : "outside", percent_text(width, 1));
}

std::string own_sentence(const SearchAnswer& answer) {
  if (!answer.own)
    return fmt::format("The scenario's own plan cannot run on {} GPUs: {}.", count_text(answer.gpus), answer.no_own);
  const StepPrediction& own = *answer.own;
  const double behind = own.step_time / answer.plans[0].step.step_time - 1;
  const std::string fits = own.fits ? "" : " and does not fit";
  return fmt::format("The scenario's own plan, {} with micro-batches of {}, takes {} s: {} {}{}.", plan_text(own.plan),
                     own.plan.micro_batch, significant_text(own.step_time.in(second)),
                     percent_text(std::abs(behind), 1), behind >= 0 ? "slower than the best" : "faster than the best",
                     fits);
}

std::string beyond_sentence(const SearchAnswer& answer) {
  const Candidate& beyond = answer.result.counts.best_beyond;
  const double best = answer.result.found.front().value;
  if (beyond.bound >= best) return fmt::format("No layout beyond what {} runs could be better.", answer.stack);
  return fmt::format(
      "Beyond what {} runs: a layout with {} has a bound {} below the best step. Naming that field in --constraint "
      "includes such layouts.",
      answer.stack, answer.beyond_field, percent_text(1 - beyond.bound / best));
}

std::string miss_sentence(const SearchAnswer& answer) {
  const SweepCounts& counts = answer.result.counts;
  if (answer.result.refused > 0) return "No replayed layout stays within the limits on results.";
  if (counts.feasible == 0 && counts.beyond_stack > 0)
    return fmt::format("No layout that {} runs fits; one with {} does.", answer.stack, answer.beyond_field);
  if (answer.result.short_of_host > 0) return "No layout fits: offloaded tensors exceed the memory of the hosts.";
  const Layout& leanest = counts.leanest.layout;
  return fmt::format(
      "No layout fits. The nearest miss needs {} of {} GB, {} GB too much: tensor {}, pipeline {}, context {}, data "
      "{}, "
      "micro-batch {}, recompute {}, sharding {}, offload {}.",
      fixed_text(bytes_to_gb(counts.least_memory), 1), significant_text(answer.context.memory_capacity.in(gigabyte)),
      fixed_text(bytes_to_gb(counts.least_memory) - answer.context.memory_capacity.in(gigabyte), 1), leanest.tensor,
      leanest.pipeline, leanest.context, leanest.data, leanest.micro_batch, value_text(LayoutField::recompute, leanest),
      value_text(LayoutField::sharding, leanest), value_text(LayoutField::offload, leanest));
}

}  // namespace

std::vector<std::string> search_sentences(const SearchAnswer& answer) {
  std::vector<std::string> out = {counts_sentence(answer)};
  if (answer.plans.empty()) {
    out.push_back(miss_sentence(answer));
    return out;
  }
  out.push_back(proof_sentence(answer));
  if (answer.plans.size() > 1) out.push_back(second_sentence(answer));
  out.push_back(own_sentence(answer));
  if (answer.result.counts.beyond_stack > 0) out.push_back(beyond_sentence(answer));
  if (answer.objective == SearchObjective::cost)
    out.push_back(fmt::format("At ${} per GPU-hour, rent follows the step time: {} GPUs are held either way.",
                              significant_text(*answer.usd_per_hour), count_text(answer.gpus)));
  return out;
}

namespace {

JsonValue texts(const std::vector<std::string>& list) {
  JsonValue out = JsonValue::list();
  for (const std::string& text : list) out.push_back(text);
  return out;
}

JsonValue layout_json(const Layout& layout) {
  JsonValue out = JsonValue::object({{"tensor", layout.tensor},
                                     {"pipeline", layout.pipeline},
                                     {"virtual_pipeline", layout.virtual_pipeline},
                                     {"context", layout.context},
                                     {"expert", layout.expert},
                                     {"expert_tensor", layout.expert_tensor},
                                     {"data", layout.data},
                                     {"micro_batch", layout.micro_batch}});
  for (const LayoutField field :
       {LayoutField::recompute, LayoutField::sharding, LayoutField::offload, LayoutField::schedule, LayoutField::order})
    out.set(std::string(layout_field_names[static_cast<std::size_t>(field)]), value_text(field, layout));
  return out;
}

JsonValue plan_json(const SearchPlan& plan, int rank) {
  JsonValue out = step_to_json(plan.step);
  out.set("rank", rank);
  out.set("layout", layout_json(plan.layout));
  out.set("settings", texts(plan.settings));
  out.set("behind", plan.behind);
  out.set("paired_half_width", half_width_90 * plan.paired_sigma);
  out.set("usd_per_million_tokens",
          plan.usd_per_million_tokens ? JsonValue(*plan.usd_per_million_tokens) : JsonValue());
  return out;
}

JsonValue choices_json(const SearchAnswer& answer) {
  JsonValue out = JsonValue::list();
  for (const Choice& c : choices_of(answer))
    out.push_back(
        JsonValue::object({{"field", c.field},
                           {"value", c.value},
                           {"layouts", c.counts->layouts},
                           {"feasible", c.counts->fitting},
                           {"least_memory_gb", bytes_to_gb(c.counts->least_memory)},
                           {"step_time_s", c.found ? JsonValue(to_seconds(c.found->step.end).in(second)) : JsonValue()},
                           {"behind", c.found ? JsonValue(behind_best(answer, *c.found)) : JsonValue()},
                           {"why", why(answer, *c.counts, c.found)}}));
  return out;
}

JsonValue pruned_json(const SearchResult& r) {
  return JsonValue::object({{"memory", r.counts.short_of_memory},
                            {"stack", r.counts.beyond_stack},
                            {"host_memory", r.short_of_host},
                            {"too_long", r.too_long},
                            {"limits", r.refused}});
}

JsonValue miss_json(const SearchAnswer& answer) {
  const SweepCounts& counts = answer.result.counts;
  if (!answer.plans.empty() || counts.evaluated == 0) return {};
  return JsonValue::object({{"layout", layout_json(counts.leanest.layout)},
                            {"memory_gb", bytes_to_gb(counts.least_memory)},
                            {"memory_capacity_gb", answer.context.memory_capacity.in(gigabyte)}});
}

JsonValue beyond_json(const SearchAnswer& answer) {
  const SweepCounts& counts = answer.result.counts;
  if (counts.beyond_stack == 0) return {};
  return JsonValue::object({{"layout", layout_json(counts.best_beyond.layout)},
                            {"bound", counts.best_beyond.bound},
                            {"lacks", answer.beyond_field}});
}

}  // namespace

JsonValue search_to_json(const SearchAnswer& answer) {
  constexpr std::array<const char*, 3> objectives = {"time", "cost", "energy"};
  const SearchResult& r = answer.result;
  JsonValue out = result_header(answer.context.command, answer.context.seed, answer.context.inputs);
  out.set("scenario", answer.context.scenario);
  out.set("objective", objectives[static_cast<std::size_t>(answer.objective)]);
  out.set("gpus", answer.gpus);
  out.set("constraints", texts(answer.constraints));
  out.set("pinned", texts(answer.pins));
  out.set("space", r.space);
  out.set("evaluated", r.counts.evaluated);
  out.set("replayed", r.replayed);
  out.set("feasible", r.counts.feasible);
  out.set("pruned", pruned_json(r));
  out.set("complete", r.counts.complete && r.left_out == LeftOut::nothing);
  out.set("left_out", left_out_text(r.left_out));
  out.set("proven", r.proven());
  out.set("least_open_bound", std::isfinite(r.least_open) ? JsonValue(r.least_open) : JsonValue());
  out.set("cpu_s", answer.cpu_s);
  JsonValue plans = JsonValue::list();
  int rank = 0;
  for (const SearchPlan& plan : answer.plans) plans.push_back(plan_json(plan, ++rank));
  out.set("plans", plans);
  out.set("choices", answer.plans.empty() ? JsonValue::list() : choices_json(answer));
  out.set("own_plan", answer.own ? step_to_json(*answer.own) : JsonValue());
  out.set("no_own_plan", text_or_null(answer.no_own));
  out.set("nearest_miss", miss_json(answer));
  out.set("beyond_stack", beyond_json(answer));
  out.set("summary", texts(search_sentences(answer)));
  return out;
}

}  // namespace clusterwright
