// SPDX-License-Identifier: Apache-2.0
#include "tools/output/search_json.hpp"

#include <array>
#include <cmath>

#include "sim/interval.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/search_choice.hpp"
#include "tools/output/search_report.hpp"

namespace clusterwright {

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
  for (const SearchedField field : {SearchedField::recompute, SearchedField::sharding, SearchedField::offload,
                                    SearchedField::schedule, SearchedField::order})
    out.set(std::string(searched_field_names[static_cast<std::size_t>(field)]), value_text(field, layout));
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
  for (const SearchChoice& c : choices_of(answer))
    out.push_back(
        JsonValue::object({{"field", c.field},
                           {"value", c.value},
                           {"layouts", c.counts->layouts},
                           {"feasible", c.counts->fitting},
                           {"least_memory_gb", c.counts->least_memory / 1e9},
                           {"step_time_s", c.found ? JsonValue(to_seconds(c.found->step.end).in(second)) : JsonValue()},
                           {"behind", c.found ? JsonValue(c.behind) : JsonValue()},
                           {"why", c.why}}));
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
                            {"memory_gb", counts.least_memory / 1e9},
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
  out.set("evaluated_nearby", r.nearby);
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
