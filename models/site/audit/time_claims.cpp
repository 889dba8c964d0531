// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/time_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/prediction/training_run.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

/// Days of a run that never ends, since failures take all of its time.
constexpr double most_days = 1e6;

/// Peak of one accelerator in the matrix format of the job.
FlopsPerSecond peak_of(const AuditCase& audit) {
  return peak(audit.scenario.cluster.accelerator, matrix_format(audit.scenario.job.precision));
}

double trillions(double tokens) {
  return tokens / 1e12;
}

double training_tokens(const AuditCase& audit) {
  if (const auto& tokens = audit.blueprint.training_tokens) return *tokens;
  return audit.blueprint.assume.tokens_per_parameter.value * audit.parameters;
}

/// Run that the blueprint describes: that of its job where the job states its end.
TrainingRun run_of(const AuditCase& audit) {
  if (audit.step.training) return *audit.step.training;
  const int sequence = audit.scenario.job.sequence;
  const std::int64_t per_step = static_cast<std::int64_t>(audit.step.plan.global_batch) * sequence;
  const double tokens = std::clamp(training_tokens(audit), 1.0, most_tokens);
  return training_run(audit.step, sequence, steps_for(std::llround(tokens), per_step));
}

/// "1.30 TFLOP per token x 10T tokens / (1200 x 989 TFLOP/s x 40.0 %) = 731 days"
std::string days_text(const AuditCase& audit, const TrainingRun& run) {
  const Flops per_token =
      training_flops_per_token(audit.scenario.transformer, audit.scenario.job.sequence, 1 - audit.step.dropped);
  std::string text = fmt::format("{:.2f} TFLOP per token x {}T tokens / ({} x {:.0f} TFLOP/s x {:.1f} %) = {:.0f} days",
                                 per_token / flop / 1e12, plain_number(trillions(run.tokens), 3), audit.layout.used(),
                                 peak_of(audit).in(teraflop_per_second), 100 * audit.step.mfu,
                                 (run.time.value - run.checkpoints).in(day));
  if (run.checkpoints > Seconds{}) text += fmt::format(", with checkpoints {:.0f} days", run.time.value.in(day));
  return text;
}

/// Share of the step that a charge takes.
double share_of(const AuditCase& audit, StepCharge charge) {
  return audit.step.breakdown[static_cast<std::size_t>(charge)] / audit.step.step_time;
}

/// Number rounded to three digits, since nobody plans 43,534 accelerators.
double three_digits(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return std::round(number / unit) * unit;
}

/// Best measured GEMM over the data sheet's peak.
std::optional<double> best_gemm_share(const AuditCase& audit) {
  const AcceleratorPart& part = audit.scenario.cluster.accelerator;
  const auto format = static_cast<std::size_t>(matrix_format(audit.scenario.job.precision));
  const auto best = part.best_gemm_tflops.find(std::string(number_format_names[format]));
  if (best == part.best_gemm_tflops.end() || peak_of(audit) <= FlopsPerSecond{}) return {};
  return best->second.value / peak_of(audit);
}

/// Share of the step in which kernels of the compute lane run.
double busy_share(const AuditCase& audit) {
  double busy = 0;
  for (const StepCharge charge : {StepCharge::compute_gemm, StepCharge::compute_attention, StepCharge::compute_other,
                                  StepCharge::optimizer, StepCharge::recompute, StepCharge::throttle})
    busy += share_of(audit, charge);
  return busy;
}

/// One checkpoint of the job, even where the job states no checkpoints: on the storage that cluster or job give, else
/// on the file system that is planned for the site.
CheckpointUse one_checkpoint(const AuditCase& audit) {
  Scenario scenario = audit.used.scenario;
  if (!scenario.job.input) scenario.job.input.emplace();
  if (!scenario.job.input->checkpoint)
    scenario.job.input->checkpoint = CheckpointSpec{1, CheckpointMode::synchronous, Store::file_system};
  auto& write = scenario.cluster.spec.storage.write;
  const bool planned = !write && !scenario.job.input->storage.write && audit.site.storage_write > BytesPerSecond{};
  if (planned) write = audit.site.storage_write;
  CheckpointUse use = checkpoint_use(scenario, audit.step.plan, audit.step.step_time);
  if (planned && use.limits == "file system")
    use.limits = fmt::format("file system of {:.0f} GB/s, as planned", write->in(gigabyte_per_second));
  return use;
}

/// Time that failures and checkpoints at their best interval take from a run.
struct LostTime {
  Seconds mean_time;  ///< between interruptions
  CheckpointUse checkpoint;
  Seconds interval;  ///< between checkpoints
  CheckpointWaste waste;

  /// Time of a run whose steps take `steps`; never ends where all of it is wasted.
  Seconds with(Seconds steps) const { return waste.total() < 1 ? steps / (1 - waste.total()) : INFINITY * second; }
};

LostTime lost_time(const AuditCase& audit) {
  LostTime out;
  out.mean_time = mean_time_to_interrupt(audit.blueprint.assume.failures_per_1000_node_days.value, audit.site.nodes);
  out.checkpoint = one_checkpoint(audit);
  out.interval = checkpoint_interval(out.checkpoint.write, out.mean_time);
  out.waste = checkpoint_waste(out.checkpoint.write, out.interval, audit.blueprint.assume.restart.value, out.mean_time);
  return out;
}

/// Run with failures and checkpoints.
Seconds honest_time(const AuditCase& audit, const TrainingRun& run) {
  return lost_time(audit).with(run.time.value - run.checkpoints);
}

double run_days(const AuditCase& audit) {
  const std::optional<double> stated = audit.blueprint.stated_number(ClaimKind::training_days);
  const double days = honest_time(audit, run_of(audit)).in(day);
  return stated.value_or(std::isfinite(days) ? days : run_of(audit).time.value.in(day));
}

}  // namespace

ClaimFinding check_training_days(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::training_days);
  const TrainingRun run = run_of(audit);
  const LostTime lost = lost_time(audit);
  const double days = std::min(honest_time(audit, run).in(day), most_days);
  conclude(finding, audit.blueprint, days, ClaimSense::at_most);
  finding.arithmetic =
      days_text(audit, run) + fmt::format("; {:.1f} % of the time goes to failures and checkpoints: {:.0f} days",
                                          100 * std::min(1.0, lost.waste.total()), days);
  if (!finding.stated) return finding;
  const double stated = std::get<double>(*finding.stated);
  const double trained = run.tokens * stated / days;
  const double needed = three_digits(audit.layout.used() * days / stated);
  finding.arithmetic += fmt::format(
      "; {} days suffice for {:.2f}T tokens ({} per parameter); {}T in {} days needs about {:.0f} "
      "accelerators",
      plain_number(stated, 6), trillions(trained), plain_number(trained / audit.parameters, 2),
      plain_number(trillions(run.tokens), 3), plain_number(stated, 6), needed);
  finding.remedy = fmt::format("claim {:.2f}T tokens in {} days, or plan about {:.0f} accelerators", trillions(trained),
                               plain_number(stated, 6), needed);
  return finding;
}

ClaimFinding check_communication_share(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::communication_share);
  const double tensor = share_of(audit, StepCharge::tp_exposed), data = share_of(audit, StepCharge::dp_exposed);
  const double rest = share_of(audit, StepCharge::pp_exposed) + share_of(audit, StepCharge::cp_exposed) +
                      share_of(audit, StepCharge::ep_exposed);
  const double all = tensor + data + rest;
  conclude(finding, audit.blueprint, all, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "exposed: tensor {:.1f} + data {:.1f} + pipeline and others {:.1f} = {:.1f} % of a step of {:.1f} s; the "
      "pipeline "
      "bubble is another {:.1f} %",
      100 * tensor, 100 * data, 100 * rest, 100 * all, audit.step.step_time.in(second),
      100 * share_of(audit, StepCharge::bubble));
  finding.remedy = audit.step.bottleneck;
  return finding;
}

ClaimFinding check_utilisation(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::utilisation);
  const double busy = busy_share(audit);
  const std::optional<double> stated = audit.blueprint.stated_number(ClaimKind::utilisation);
  const bool as_busy = stated && near_enough(*stated, busy, ClaimSense::equal, audit.blueprint.tolerance);
  conclude(finding, audit.blueprint, audit.step.mfu, ClaimSense::at_least, as_busy);
  finding.arithmetic = fmt::format("predicted {:.0f} of {:.0f} TFLOP/s = {:.1f} %",
                                   audit.step.model_flops_per_accelerator.in(teraflop_per_second),
                                   peak_of(audit).in(teraflop_per_second), 100 * audit.step.mfu);
  if (const auto best = best_gemm_share(audit))
    finding.arithmetic += fmt::format("; the best measured GEMM reaches {:.1f} %", 100 * *best);
  finding.arithmetic += fmt::format("; kernels run {:.0f} % of the step{}", 100 * busy,
                                    as_busy ? ", which may be what the claim means" : "");
  finding.remedy = fmt::format("claim {:.0f} %", 100 * audit.step.mfu);
  return finding;
}

ClaimFinding check_failures(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::failures);
  const double rate = audit.blueprint.assume.failures_per_1000_node_days.value;
  const LostTime lost = lost_time(audit);
  const Seconds mean = lost.mean_time;
  const double days = run_days(audit);
  conclude(finding, audit.blueprint, mean.in(hour), ClaimSense::at_least);
  finding.arithmetic =
      fmt::format("1000 x 24 h / ({:g} x {} nodes) = {:.1f} h between interruptions, {:.0f} in {:.0f} days", rate,
                  audit.site.nodes, mean.in(hour), days * (day / mean), days);
  const CheckpointUse& write = lost.checkpoint;
  const CheckpointWaste& waste = lost.waste;
  finding.arithmetic += fmt::format(
      "; a checkpoint of {:.1f} TB takes {:.0f} s ({}), best every {:.2f} h: {:.1f} % writing + {:.1f} % lost work + "
      "{:.1f} % restarts = {:.1f} % wasted",
      write.bytes.in(terabyte), write.write.in(second), write.limits, lost.interval.in(hour), 100 * waste.writing,
      100 * waste.lost_work, 100 * waste.restarts, 100 * waste.total());
  finding.remedy = fmt::format("claim {:.0f} h between interruptions", mean.in(hour));
  return finding;
}

Seconds mean_time_to_interrupt(double failures_per_1000_node_days, int nodes) {
  return 1000 * day / (failures_per_1000_node_days * nodes);
}

Seconds checkpoint_interval(Seconds write, Seconds mean_time) {
  if (write >= 2 * mean_time) return mean_time;
  const double ratio = write / (2 * mean_time);
  const double young = std::sqrt(2 * (write / mean_time));
  return mean_time * (young * (1 + std::sqrt(ratio) / 3 + ratio / 9)) - write;
}

CheckpointWaste checkpoint_waste(Seconds write, Seconds interval, Seconds restart, Seconds mean_time) {
  return {write / interval, interval / (2 * mean_time), restart / mean_time};
}

}  // namespace clusterwright
