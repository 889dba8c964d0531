// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_json.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "models/job/job.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "sim/field_table.hpp"
#include "tools/output/node_kinds_table.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

JsonValue text_list_of(const std::vector<Assumption>& assumptions) {
  JsonValue list = JsonValue::list();
  for (const Assumption& a : assumptions)
    list.push_back(JsonValue::object({{"what", a.what}, {"value", a.value}, {"origin", a.origin}, {"why", a.why}}));
  return list;
}

JsonValue plan_to_json(const Plan& plan) {
  Job words;  // its field table knows the words for choices
  words.sharding = plan.sharding;
  words.recompute = plan.recompute;
  words.parallel.schedule = plan.schedule;
  words.parallel.order = plan.rank_order;
  const JsonValue job = encode_record(words);
  return JsonValue::object({{"tensor", plan.tensor},
                            {"pipeline", plan.pipeline},
                            {"virtual_pipeline", plan.virtual_pipeline},
                            {"schedule", job.at("parallel").at("schedule")},
                            {"order", job.at("parallel").at("order")},
                            {"context", plan.context},
                            {"expert", plan.expert},
                            {"expert_tensor", plan.expert_tensor},
                            {"data", plan.data},
                            {"micro_batch", plan.micro_batch},
                            {"micro_batches", plan.micro_batches},
                            {"global_batch", plan.global_batch},
                            {"sequence_parallel", plan.sequence_parallel},
                            {"sharding", job.at("sharding")},
                            {"recompute", job.at("recompute")}});
}

JsonValue breakdown_to_json(const StepPrediction& step) {
  JsonValue breakdown = JsonValue::object();
  for (std::size_t i = 0; i < step_charge_count; ++i)
    breakdown.set(std::string(step_charge_names[i]), step.breakdown[i].in(second));
  return breakdown;
}

JsonValue memory_to_json(const MemoryUse& memory, const MemoryRange& range) {
  const auto gb = [](Bytes bytes) { return JsonValue(bytes.in(gigabyte)); };
  return JsonValue::object({{"weights", gb(memory.weights)},
                            {"gradients", gb(memory.gradients)},
                            {"optimizer", gb(memory.optimizer)},
                            {"gathered", gb(memory.gathered)},
                            {"activations", gb(memory.activations)},
                            {"working", gb(memory.working)},
                            {"logits", gb(memory.logits)},
                            {"buffers", gb(memory.buffers)},
                            {"reserved", gb(memory.reserved)},
                            {"total", gb(memory.total())},
                            {"total_low", gb(range.low)},
                            {"total_high", gb(range.high)}});
}

JsonValue tiers_to_json(const StepPrediction& step) {
  JsonValue tiers = JsonValue::object();
  const auto gb = [](Bytes bytes) { return JsonValue(bytes.in(gigabyte)); };
  for (const LevelUse& use : step.tiers)
    tiers.set(std::string(EnumNames<MemoryLevel>::names[static_cast<std::size_t>(use.level)]),
              JsonValue::object({{"weights", gb(use.bytes.weights)},
                                 {"gradients", gb(use.bytes.gradients)},
                                 {"optimizer", gb(use.bytes.optimizer)},
                                 {"activations", gb(use.bytes.activations)},
                                 {"checkpoint", gb(use.bytes.checkpoint)},
                                 {"total", gb(use.bytes.total())},
                                 {"capacity", use.capacity ? gb(*use.capacity) : JsonValue()}}));
  return tiers;
}

JsonValue input_to_json(const StepPrediction& step) {
  if (!step.input) return {};
  const Seconds all = step.input->micro_batch * step.plan.micro_batches;
  return JsonValue::object({{"step_s", all.in(second)}, {"limited_by", step.input->limited_by}});
}

JsonValue checkpoint_to_json(const StepPrediction& step) {
  if (!step.checkpoint) return {};
  const CheckpointUse& use = *step.checkpoint;
  return JsonValue::object({{"every_steps", use.every_steps},
                            {"size_gb", use.bytes.in(gigabyte)},
                            {"write_s", use.write.in(second)},
                            {"limited_by", use.limits},
                            {"stall_s", use.stall.in(second)},
                            {"stall_per_step_s", use.per_step().in(second)},
                            {"contended_s", use.contended.in(second)},
                            {"tokens_per_s", step.tokens_per_second_with_checkpoints()}});
}

JsonValue budget_json(const PowerUse& power) {
  if (!power.budget) return {};
  const PowerBudget& budget = *power.budget;
  JsonValue stages = JsonValue::list();
  for (const Watts limit : budget.stage_limits) stages.push_back(limit.in(watt));
  return JsonValue::object({{"domain", budget.domain},
                            {"budget_kw", budget.budget.in(kilowatt)},
                            {"drawn_kw", budget.drawn.in(kilowatt)},
                            {"limit_w", budget.limit ? JsonValue(budget.limit->in(watt)) : JsonValue()},
                            {"stage_limits_w", std::move(stages)}});
}

JsonValue power_to_json(const PowerUse& power) {
  const auto site = [&](Watts SitePower::*member) {
    return power.site ? JsonValue(((*power.site).*member).in(kilowatt)) : JsonValue();
  };
  JsonValue limits = JsonValue::list();
  for (const AcceleratorLimit& one : power.limits)
    limits.push_back(JsonValue::object(
        {{"accelerator", one.accelerator}, {"limit_w", one.limit.in(watt)}, {"rating_w", one.rating.in(watt)}}));
  return JsonValue::object({{"nodes_kw_mean", power.nodes_mean.in(kilowatt)},
                            {"nodes_kw_crest", power.nodes_crest.in(kilowatt)},
                            {"nodes_kw_peak", power.nodes_peak.in(kilowatt)},
                            {"nodes_kw_trough", power.nodes_trough.in(kilowatt)},
                            {"accelerator_limits", std::move(limits)},
                            {"budget", budget_json(power)},
                            {"it_kw_mean", site(&SitePower::it_mean)},
                            {"it_kw_crest", site(&SitePower::it_crest)},
                            {"it_kw_peak", site(&SitePower::it_peak)},
                            {"facility_kw_mean", site(&SitePower::facility_mean)},
                            {"facility_kw_rated", site(&SitePower::facility_rated)},
                            {"no_site", power.no_site.empty() ? JsonValue() : JsonValue(power.no_site)},
                            {"swing_kw", (power.nodes_crest - power.nodes_trough).in(kilowatt)},
                            {"ramp_kw_per_s", (power.nodes_ramp / ramp_window).in(kilowatt / second)},
                            {"energy_j_per_token", power.energy_per_token.in(joule)}});
}

JsonValue serving_not_modelled() {
  return JsonValue::object({{"ttft_s", nullptr}, {"tpot_s", nullptr}, {"output_tokens_per_s", nullptr}});
}

JsonValue header(const ResultContext& context) {
  JsonValue document = result_header(context.command, context.seed, context.inputs);
  document.set("scenario", context.scenario);
  return document;
}

JsonValue layout_advice_to_json(const std::optional<LayoutAdvice>& advice) {
  if (!advice) return {};
  JsonValue settings = JsonValue::list();
  for (const std::string& setting : advice->settings) settings.push_back(setting);
  const bool faster = !advice->settings.empty();
  return JsonValue::object({{"evaluated", advice->evaluated},
                            {"settings", std::move(settings)},
                            {"probability_faster", faster ? JsonValue(advice->probability_faster) : JsonValue()},
                            {"step_time_s", faster ? JsonValue(advice->step_time.in(second)) : JsonValue()}});
}

/// Everything below `value` becomes null; objects and their keys stay.
void forget_numbers(JsonValue& value) {
  if (!value.is(JsonKind::object)) {
    value = JsonValue();
    return;
  }
  for (auto& [key, member] : value.members()) forget_numbers(member);
}

}  // namespace

JsonValue step_to_json(const StepPrediction& step) {
  return JsonValue::object({{"gpus", step.accelerators},
                            {"gpus_per_domain", step.domain_ranks},
                            {"idle_gpus", step.idle_accelerators},
                            {"plan", plan_to_json(step.plan)},
                            {"step_time_s", step.step_time.in(second)},
                            {"low", step.low.in(second)},
                            {"high", step.high.in(second)},
                            {"tokens_per_s", step.tokens_per_second},
                            {"tokens_per_s_per_gpu", step.tokens_per_second_per_accelerator()},
                            {"model_tflops_per_gpu", step.model_flops_per_accelerator.in(teraflop_per_second)},
                            {"mfu", step.mfu},
                            {"breakdown_s", breakdown_to_json(step)},
                            {"input", input_to_json(step)},
                            {"checkpoint", checkpoint_to_json(step)},
                            {"training_run", training_run_json(step)},
                            {"memory_gb", memory_to_json(step.memory, step.memory_range)},
                            {"memory_tiers_gb", tiers_to_json(step)},
                            {"memory_stage", step.memory.stage},
                            {"fits", step.fits},
                            {"verdict", step.verdict},
                            {"power", power_to_json(step.power)},
                            {"serving", serving_not_modelled()},
                            {"bottleneck", step.bottleneck},
                            {"layout_advice", layout_advice_to_json(step.layout_advice)},
                            {"remedy", step.remedy},
                            {"dropped_share", step.dropped},
                            {"assumptions", text_list_of(step.assumptions)}});
}

JsonValue point_to_json(const ScalePoint& point) {
  const bool possible = point.reason.empty();
  JsonValue value = step_to_json(point.step);
  value.set("efficiency", point.step.fits ? JsonValue(point.efficiency) : JsonValue());
  value.set("efficiency_low", point.step.fits ? JsonValue(point.efficiency_low) : JsonValue());
  value.set("efficiency_high", point.step.fits ? JsonValue(point.efficiency_high) : JsonValue());
  value.set("speedup", point.step.fits ? JsonValue(point.speedup) : JsonValue());
  if (possible) return value;
  for (auto& [key, member] : value.members()) forget_numbers(member);
  value.set("gpus", point.step.accelerators);
  value.set("plan", nullptr);
  value.set("fits", false);
  value.set("verdict", point.reason);
  value.set("assumptions", JsonValue::list());
  return value;
}

JsonValue run_to_json(const ResultContext& context, const StepPrediction& step) {
  JsonValue document = header(context);
  const JsonValue result = step_to_json(step);
  for (const auto& [key, member] : result.members()) document.set(key, member);
  document.set("memory_capacity_gb", context.memory_capacity.in(gigabyte));
  if (step.mixed) document.set("node_kinds", node_kinds_json(*step.mixed));
  document.set("warnings", warnings_json(warnings_of(context.warnings, single_point(step))));
  return document;
}

namespace {

std::string_view knee_place_name(KneePlace place) {
  constexpr std::array<std::string_view, 4> names = {"unknown", "inside", "beyond the last size",
                                                     "before the first size"};
  return names[static_cast<std::size_t>(place)];
}

}  // namespace

JsonValue scale_to_json(const ResultContext& context, const ScaleCurve& curve) {
  JsonValue document = header(context);
  JsonValue points = JsonValue::list();
  for (const ScalePoint& point : curve.points) points.push_back(point_to_json(point));
  document.set("mode", curve.strong ? "strong" : "weak");
  document.set("interrupted", curve.interrupted);
  document.set("knee_gpus", curve.knee ? JsonValue(*curve.knee) : JsonValue());
  document.set("knee", std::string(knee_place_name(curve.knee_place)));
  document.set("memory_capacity_gb", context.memory_capacity.in(gigabyte));
  document.set("points", points);
  document.set("warnings", warnings_json(warnings_of(context.warnings, curve)));
  return document;
}

namespace {

/// Key of the column for a nested member: the unit goes last, "breakdown_s" of "bubble" is "bubble_s".
std::string column_key(std::string_view group, const std::string& key) {
  if (group == "breakdown_s") return key + "_s";
  if (group == "memory_gb") return fmt::format("memory_{}_gb", key);
  if (group == "serving") return fmt::format("serving_{}", key);
  return key;
}

/// Sets the cell of a column that is added when first seen.
void put(ResultTable& table, const std::string& key, const JsonValue& value) {
  const auto same = [&](const Column& column) { return column.key == key; };
  const auto at = std::find_if(table.columns.begin(), table.columns.end(), same);
  const auto index = static_cast<std::size_t>(at - table.columns.begin());
  if (at == table.columns.end()) table.columns.push_back({key, key, ""});
  if (table.rows.back().size() <= index) table.rows.back().resize(index + 1);
  table.rows.back()[index] = fact_cell(&value);
}

}  // namespace

ResultTable flat_table(const ScaleCurve& curve) {
  ResultTable table;
  for (const ScalePoint& point : curve.points) {
    const JsonValue json = point_to_json(point);
    table.rows.emplace_back();
    for (const auto& [key, member] : json.members()) {
      if (member.is(JsonKind::list) || (key == "plan" && member.is_null())) continue;
      if (!member.is(JsonKind::object)) put(table, key, member);
      for (const auto& [inner, value] : member.members()) put(table, column_key(key, inner), value);
    }
  }
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

}  // namespace clusterwright
