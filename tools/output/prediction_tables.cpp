// SPDX-License-Identifier: Apache-2.0
#include "tools/output/prediction_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/bottleneck.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/plain_number.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr std::array<std::string_view, step_charge_count> charge_names = {"GEMM",
                                                                          "attention",
                                                                          "other kernels",
                                                                          "optimizer",
                                                                          "recomputation",
                                                                          "tensor-parallel communication",
                                                                          "context-parallel communication",
                                                                          "expert-parallel communication",
                                                                          "pipeline communication",
                                                                          "data-parallel communication",
                                                                          "pipeline bubble",
                                                                          "imbalance of ranks",
                                                                          "imbalance of experts",
                                                                          "waiting for data",
                                                                          "offloaded activations",
                                                                          "kernel launch",
                                                                          "throttling",
                                                                          "jitter"};

struct MemoryKind {
  std::string_view key;
  std::string_view name;
  Bytes MemoryUse::*bytes;
};
constexpr std::array<MemoryKind, 9> memory_kinds = {{{"weights", "weights", &MemoryUse::weights},
                                                     {"gradients", "gradients", &MemoryUse::gradients},
                                                     {"optimizer", "optimizer state", &MemoryUse::optimizer},
                                                     {"gathered", "gathered weights", &MemoryUse::gathered},
                                                     {"activations", "activations", &MemoryUse::activations},
                                                     {"working", "working set of a layer", &MemoryUse::working},
                                                     {"logits", "logits and loss", &MemoryUse::logits},
                                                     {"buffers", "communication buffers", &MemoryUse::buffers},
                                                     {"reserved", "context and allocator", &MemoryUse::reserved}}};

Column label(std::string key, std::string title) {
  return {std::move(key), std::move(title), "", 1, -1, Alignment::left};
}

/// "80" or "141.5".
std::string capacity_text(Bytes capacity) {
  return plain_number(capacity.in(gigabyte));
}

bool computed(const ScalePoint& point) {
  return point.reason.empty();
}

double share(const StepPrediction& step, std::size_t charge) {
  return step.step_time > Seconds() ? step.breakdown[charge] / step.step_time : 0;
}

std::string heading_of(const ScaleCurve& curve) {
  std::vector<const Plan*> plans;
  for (const ScalePoint& point : curve.points) plans.push_back(&point.step.plan);
  return plan_heading(plans);
}

/// misfit_reason with the excess: in a narrow case the sentence rounds both sides to one number.
std::string misfit_text(const StepPrediction& step, Bytes memory_capacity) {
  const double excess = (step.memory.total() - memory_capacity).in(gigabyte);
  if (memory_capacity <= Bytes() || excess <= 0) return misfit_reason(step);
  return fmt::format("{}; {} GB over capacity", misfit_reason(step), significant_text(excess, 2));
}

/// Time to read and prepare the data of a step.
std::string input_text(const StepPrediction& step) {
  const Seconds all = step.input->micro_batch * step.plan.micro_batches;
  if (all <= Seconds{}) return "no read limit given";
  return fmt::format("{} s to load the data of a step, limited by {}", significant_text(all.in(second)),
                     step.input->limited_by);
}

std::string checkpoint_text(const StepPrediction& step) {
  const CheckpointUse& use = *step.checkpoint;
  const std::string more = use.contended > Seconds{}
                               ? fmt::format(" and up to {} s more, because training shares the network meanwhile",
                                             significant_text(use.contended.in(second)))
                               : "";
  return fmt::format("{} GB every {} steps: {} s to write ({}), {} s lost{}; {} tokens/s with them",
                     significant_text(use.bytes.in(gigabyte)), use.every_steps, significant_text(use.write.in(second)),
                     use.limits.empty() ? "no limit given" : use.limits, significant_text(use.stall.in(second)), more,
                     fixed_text(step.tokens_per_second_with_checkpoints(), 0));
}

std::string kw_text(Watts power) {
  return significant_text(power.in(kilowatt)) + " kW";
}

std::string nodes_power_text(const PowerUse& power) {
  return fmt::format("{} mean, {} crest, {} trough, {} peak", kw_text(power.nodes_mean), kw_text(power.nodes_crest),
                     kw_text(power.nodes_trough), kw_text(power.nodes_peak));
}

/// What power limits leave of the ratings, and what they cost.
std::string limits_text(const StepPrediction& step) {
  std::string text;
  for (const AcceleratorLimit& one : step.power.limits)
    text += fmt::format("{}{} W per {}, {} of its rating", text.empty() ? "" : "; ", fixed_text(one.limit.in(watt), 0),
                        one.accelerator, percent_text(one.limit / one.rating, 0));
  const double lost = step.breakdown[static_cast<std::size_t>(StepCharge::throttle)] / step.step_time;
  if (lost > 0) return text + fmt::format("; throttling takes {} of the step", percent_text(lost));
  return text + "; it changes nothing: this step stays below it";
}

std::string it_power_text(const PowerUse& power) {
  if (!power.site) return "not known: " + power.no_site;
  return fmt::format("{} mean, {} crest, with switches, storage and services", kw_text(power.site->it_mean),
                     kw_text(power.site->it_crest));
}

std::string facility_power_text(const SitePower& site, bool limited) {
  return fmt::format("{} mean of a year; {} at its nameplate{} on the design day", kw_text(site.facility_mean),
                     kw_text(site.facility_rated), limited ? " and power limits" : "");
}

std::vector<Cell> scale_row(const ScalePoint& point, Bytes memory_capacity) {
  const StepPrediction& step = point.step;
  if (!computed(point)) return {step.accelerators, {}, {}, {}, {}, {}, {}, {}, {}, {}, point.reason};
  return {step.accelerators,
          plan_text(step.plan),
          step.step_time.in(second),
          (step.high - step.low).in(second) / 2,
          step.tokens_per_second,
          step.tokens_per_second_per_accelerator(),
          step.mfu,
          step.fits ? Cell(point.efficiency) : Cell(),
          step.memory.total().in(gigabyte),
          step.power.site ? Cell(step.power.site->it_mean.in(watt)) : Cell(),
          step.fits ? limited_by(step) : "does not fit: " + misfit_text(step, memory_capacity)};
}

}  // namespace

std::string_view people_name(StepCharge charge) {
  return charge_names[static_cast<std::size_t>(charge)];
}

std::string plan_text(const Plan& plan) {
  const std::string context = plan.context > 1 ? fmt::format("x{}", plan.context) : std::string();
  const std::string experts = plan.expert > 1 ? fmt::format(" {}", plan.expert) : std::string();
  return fmt::format("{}x{}{}x{}{}", plan.tensor, plan.pipeline, context, plan.data, experts);
}

std::string plan_heading(const std::vector<const Plan*>& plans) {
  const bool context = std::ranges::any_of(plans, [](const Plan* plan) { return plan->context > 1; });
  const bool experts = std::ranges::any_of(plans, [](const Plan* plan) { return plan->expert > 1; });
  return fmt::format("TPxPP{}xDP{}", context ? "xCP" : "", experts ? " EP" : "");
}

std::string limited_by(const StepPrediction& step) {
  const StepLoss loss = largest_loss(step);
  return fmt::format("{} {}", loss.name, percent_text(loss.share, 0));
}

std::string misfit_reason(const StepPrediction& step) {
  constexpr std::string_view misfit = "does not fit: ";
  return step.verdict.starts_with(misfit) ? step.verdict.substr(misfit.size()) : step.verdict;
}

ResultTable scale_table(const ScaleCurve& curve, Bytes memory_capacity) {
  const std::string capacity = fmt::format("GB of {}", capacity_text(memory_capacity));
  ResultTable table;
  table.columns = {{"gpus", "GPUs", ""},
                   label("plan", heading_of(curve)),
                   {"step_time_s", "Step", "s"},
                   {"half_width_s", "\xc2\xb1 90 %", "s", 1, 2},
                   {"tokens_per_s", "Tokens", "/s", 1, 0},
                   {"tokens_per_s_per_gpu", "Per GPU", "/s"},
                   {"mfu", "MFU", "%", 100, 1},
                   {"efficiency", "Efficiency", "%", 100, 1},
                   {"memory_gb", "Memory", capacity, 1, 1},
                   {"it_w_mean", "IT power", "MW", 1e-6, 3},
                   label("limited_by", "Limited by")};
  for (const ScalePoint& point : curve.points) table.rows.push_back(scale_row(point, memory_capacity));
  return table;
}

namespace {

std::string memory_text(const StepPrediction& step, Bytes memory_capacity) {
  const std::string use = fmt::format("{} of {} GB on the fullest GPU", fixed_text(step.memory.total().in(gigabyte), 1),
                                      capacity_text(memory_capacity));
  const MemoryRange& range = step.memory_range;
  if (range.high <= range.low) return use;
  return fmt::format("{}   (90 %: {} to {} GB)", use, fixed_text(range.low.in(gigabyte), 1),
                     fixed_text(range.high.in(gigabyte), 1));
}

}  // namespace

ResultTable headline_table(const StepPrediction& step, Bytes memory_capacity) {
  const auto line = [](std::string name, std::string value) { return std::vector<Cell>{name, value}; };
  ResultTable table;
  table.columns = {label("what", ""), label("value", "")};
  table.rows = {
      line("Step time", fmt::format("{} s   (90 %: {} to {} s)", significant_text(step.step_time.in(second)),
                                    significant_text(step.low.in(second)), significant_text(step.high.in(second)))),
      line("Throughput", fmt::format("{} tokens/s, {} per GPU", fixed_text(step.tokens_per_second, 0),
                                     significant_text(step.tokens_per_second_per_accelerator()))),
      line("MFU", fmt::format("{}   ({} model TFLOP/s per GPU)", percent_text(step.mfu),
                              significant_text(step.model_flops_per_accelerator.in(teraflop_per_second)))),
      line("Memory", memory_text(step, memory_capacity)),
      line("Nodes", nodes_power_text(step.power)),
      line("IT power", it_power_text(step.power)),
      line("Energy", fmt::format("{} J per token", significant_text(step.power.energy_per_token.in(joule))))};
  if (!step.power.limits.empty()) table.rows.push_back(line("Power limit", limits_text(step)));
  if (step.input) table.rows.push_back(line("Data", input_text(step)));
  if (step.checkpoint) table.rows.push_back(line("Checkpoints", checkpoint_text(step)));
  if (step.power.site)
    table.rows.push_back(line("Facility", facility_power_text(*step.power.site, !step.power.limits.empty())));
  table.rows.push_back(
      line("Verdict", step.fits ? step.verdict : "DOES NOT FIT: " + misfit_text(step, memory_capacity)));
  return table;
}

ResultTable breakdown_table(const StepPrediction& step) {
  ResultTable table{"Step time by cause",
                    {label("cause", "Cause"), {"time_s", "Time", "s", 1, 4}, {"share", "Share", "%", 100, 1}},
                    {}};
  for (std::size_t i = 0; i < step_charge_count; ++i)
    if (step.breakdown[i] > Seconds())
      table.rows.push_back({charge_names[i], step.breakdown[i].in(second), share(step, i)});
  return table;
}

ResultTable memory_table(const StepPrediction& step, Bytes memory_capacity) {
  ResultTable table{fmt::format("Memory of the fullest GPU (pipeline stage {})", step.memory.stage),
                    {label("kind", "Kind"), {"memory_gb", "Memory", "GB", 1, 2}, {"share", "Of capacity", "%", 100, 1}},
                    {}};
  const auto add = [&](std::string_view name, Bytes bytes) {
    const Cell part = memory_capacity > Bytes() ? Cell(bytes / memory_capacity) : Cell();
    table.rows.push_back({name, bytes.in(gigabyte), part});
  };
  for (const MemoryKind& kind : memory_kinds) add(kind.name, step.memory.*kind.bytes);
  add("total", step.memory.total());
  return table;
}

ResultTable tier_table(const StepPrediction& step) {
  ResultTable table{"Memory outside the accelerators: fullest node, or the whole pool",
                    {label("where", "Where"),
                     {"weights_gb", "Weights", "GB", 1, 1},
                     {"gradients_gb", "Gradients", "GB", 1, 1},
                     {"optimizer_gb", "Optimizer", "GB", 1, 1},
                     {"activations_gb", "Activations", "GB", 1, 1},
                     {"checkpoint_gb", "Checkpoint", "GB", 1, 1},
                     {"capacity_gb", "Capacity", "GB", 1, 1}},
                    {}};
  constexpr std::array<std::string_view, 4> places = {"", "host memory", "memory pool", "drives"};
  for (const LevelUse& use : step.tiers)
    table.rows.push_back({places[static_cast<std::size_t>(use.level)], use.bytes.weights.in(gigabyte),
                          use.bytes.gradients.in(gigabyte), use.bytes.optimizer.in(gigabyte),
                          use.bytes.activations.in(gigabyte), use.bytes.checkpoint.in(gigabyte),
                          use.capacity ? Cell(use.capacity->in(gigabyte)) : Cell()});
  return table;
}

ResultTable memory_by_size(const ScaleCurve& curve) {
  ResultTable table{"Memory of the fullest GPU by kind", {{"gpus", "GPUs", ""}}, {}};
  for (const MemoryKind& kind : memory_kinds)
    table.columns.push_back({fmt::format("{}_gb", kind.key), std::string(kind.name), "GB", 1, 2});
  table.columns.push_back({"total_gb", "total", "GB", 1, 2});
  table.columns.push_back(label("fits", "Fits"));
  for (const ScalePoint& point : curve.points) {
    if (!computed(point)) continue;
    std::vector<Cell> row{point.step.accelerators};
    for (const MemoryKind& kind : memory_kinds) row.emplace_back((point.step.memory.*kind.bytes).in(gigabyte));
    row.emplace_back(point.step.memory.total().in(gigabyte));
    row.emplace_back(point.step.fits ? "yes" : "no");
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable power_by_size(const ScaleCurve& curve) {
  ResultTable table{"Power and energy",
                    {{"gpus", "GPUs", ""},
                     {"nodes_kw_mean", "Nodes mean", "kW"},
                     {"nodes_kw_crest", "Nodes crest", "kW"},
                     {"it_kw_mean", "IT mean", "kW"},
                     {"it_kw_crest", "IT crest", "kW"},
                     {"facility_kw_mean", "Facility mean", "kW"},
                     {"facility_kw_rated", "Facility, design day", "kW"},
                     {"w_per_gpu", "Per GPU, with its share of the host", "W", 1, 0},
                     {"energy_j_per_token", "Energy", "J/token"}},
                    {}};
  for (const ScalePoint& point : curve.points) {
    if (!computed(point)) continue;
    const PowerUse& power = point.step.power;
    const auto site = [&](Watts SitePower::*member) {
      return power.site ? Cell(((*power.site).*member).in(kilowatt)) : Cell();
    };
    table.rows.push_back({point.step.accelerators, power.nodes_mean.in(kilowatt), power.nodes_crest.in(kilowatt),
                          site(&SitePower::it_mean), site(&SitePower::it_crest), site(&SitePower::facility_mean),
                          site(&SitePower::facility_rated), power.nodes_mean.in(watt) / point.step.accelerators,
                          power.energy_per_token.in(joule)});
  }
  return table;
}

ResultTable breakdown_by_size(const ScaleCurve& curve) {
  const std::vector<StepCharge> charges = charges_in_use(curve);
  ResultTable table{"Share of the step by cause", {{"gpus", "GPUs", ""}}, {}};
  for (const StepCharge charge : charges)
    table.columns.push_back({fmt::format("{}_share", step_charge_names[static_cast<std::size_t>(charge)]),
                             std::string(people_name(charge)), "%", 100, 1});
  for (const ScalePoint& point : curve.points) {
    if (!computed(point)) continue;
    std::vector<Cell> row{point.step.accelerators};
    for (const StepCharge charge : charges) row.emplace_back(share(point.step, static_cast<std::size_t>(charge)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable assumptions_table(const std::vector<Assumption>& assumptions) {
  ResultTable table{"Assumptions and key numbers",
                    {label("what", "What"), label("value", "Value"), label("origin", "Origin"), label("why", "Why")},
                    {}};
  for (const Assumption& a : assumptions) table.rows.push_back({a.what, a.value, a.origin, a.why});
  return table;
}

ResultTable inputs_table(const std::vector<InputFile>& inputs) {
  ResultTable table{"Inputs", {label("path", "File"), label("sha256", "SHA-256")}, {}};
  for (const InputFile& input : inputs) table.rows.push_back({input.path, input.sha256});
  return table;
}

const ScalePoint* largest_fitting(const ScaleCurve& curve) {
  const ScalePoint* last = nullptr;
  for (const ScalePoint& point : curve.points)
    if (computed(point) && point.step.fits) last = &point;
  return last;
}

std::vector<StepCharge> charges_in_use(const ScaleCurve& curve) {
  std::vector<StepCharge> charges;
  for (std::size_t i = 0; i < step_charge_count; ++i) {
    const auto used = [&](const ScalePoint& p) { return computed(p) && p.step.breakdown[i] > Seconds(); };
    if (std::any_of(curve.points.begin(), curve.points.end(), used)) charges.push_back(static_cast<StepCharge>(i));
  }
  return charges;
}

}  // namespace clusterwright
