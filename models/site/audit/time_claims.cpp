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
FlopsPerSecond peak_of(const JobCase& job) {
  return peak(job.scenario.cluster.accelerator, matrix_format(job.scenario.job.precision));
}

double trillions(double tokens) {
  return tokens / 1e12;
}

double training_tokens(const Blueprint& blueprint, const JobCase& job) {
  if (const auto& tokens = blueprint.training_tokens) return *tokens;
  return blueprint.assume.tokens_per_parameter.value * job.parameters;
}

/// Run that the blueprint describes: that of its job where the job states its end.
TrainingRun run_of(const Blueprint& blueprint, const JobCase& job) {
  if (job.step.training) return *job.step.training;
  const int sequence = job.scenario.job.sequence;
  const std::int64_t per_step = static_cast<std::int64_t>(job.step.plan.global_batch) * sequence;
  const double tokens = std::clamp(training_tokens(blueprint, job), 1.0, most_tokens);
  return training_run(job.step, sequence, steps_for(std::llround(tokens), per_step));
}

/// "1.30 TFLOP per token x 10T tokens / (1200 x 989 TFLOP/s x 40.0 %) = 731 days"
std::string days_text(const JobCase& job, const TrainingRun& run) {
  const Flops per_token =
      training_flops_per_token(job.scenario.transformer, training_work(job.scenario.job), 1 - job.step.dropped);
  std::string text =
      fmt::format("{:.2f} TFLOP per token x {}T tokens / ({} x {:.0f} TFLOP/s x {:.1f} %) = {:.0f} days",
                  per_token / flop / 1e12, plain_number(trillions(run.tokens), 3), job.layout.used(),
                  peak_of(job).in(teraflop_per_second), 100 * job.step.mfu, (run.time.value - run.checkpoints).in(day));
  if (run.checkpoints > Seconds{}) text += fmt::format(", with checkpoints {:.0f} days", run.time.value.in(day));
  return text;
}

/// Share of the step that a charge takes.
double share_of(const JobCase& job, StepCharge charge) {
  return job.step.breakdown[static_cast<std::size_t>(charge)] / job.step.step_time;
}

/// Number rounded to three digits, since nobody plans 43,534 accelerators.
double three_digits(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return std::round(number / unit) * unit;
}

/// Best measured GEMM over the data sheet's peak.
std::optional<double> best_gemm_share(const JobCase& job) {
  const AcceleratorPart& part = job.scenario.cluster.accelerator;
  const auto format = static_cast<std::size_t>(matrix_format(job.scenario.job.precision));
  const auto best = part.best_gemm_tflops.find(std::string(number_format_names[format]));
  if (best == part.best_gemm_tflops.end() || peak_of(job) <= FlopsPerSecond{}) return {};
  return best->second.value / peak_of(job);
}

/// Share of the step in which kernels of the compute lane run.
double busy_share(const JobCase& job) {
  double busy = 0;
  for (const StepCharge charge : {StepCharge::compute_gemm, StepCharge::compute_attention, StepCharge::compute_other,
                                  StepCharge::optimizer, StepCharge::recompute, StepCharge::throttle})
    busy += share_of(job, charge);
  return busy;
}

/// One checkpoint of the job, even where the job states no checkpoints: on the storage that cluster or job give, else
/// on the file system that is planned for the site.
CheckpointUse one_checkpoint(const AuditCase& audit, const JobCase& job) {
  Scenario scenario = job.used.scenario;
  if (!scenario.job.input) scenario.job.input.emplace();
  if (!scenario.job.input->checkpoint)
    scenario.job.input->checkpoint = CheckpointSpec{1, CheckpointMode::synchronous, Store::file_system};
  auto& write = scenario.cluster.spec.storage.write;
  const bool planned = !write && !scenario.job.input->storage.write && audit.site.storage_write > BytesPerSecond{};
  if (planned) write = audit.site.storage_write;
  CheckpointUse use = checkpoint_use(scenario, job.step.plan, job.step.step_time);
  if (planned && use.limits == "file system")
    use.limits = fmt::format("file system of {:.0f} GB/s, as planned", write->in(gigabyte_per_second));
  return use;
}

Seconds time_to_interrupt(const AuditCase& audit) {
  return mean_time_to_interrupt(audit.blueprint.assume.failures_per_1000_node_days.value, audit.site.nodes);
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

LostTime lost_time(const AuditCase& audit, const JobCase& job) {
  LostTime out;
  out.mean_time = time_to_interrupt(audit);
  out.checkpoint = one_checkpoint(audit, job);
  out.interval = checkpoint_interval(out.checkpoint.write, out.mean_time);
  out.waste = checkpoint_waste(out.checkpoint.write, out.interval, audit.blueprint.assume.restart.value, out.mean_time);
  return out;
}

/// Days of a run with failures and checkpoints. @param time  that it takes without failures
double honest_days(Seconds time, const TrainingRun& run, const LostTime& lost) {
  return std::min(lost.with(time - run.checkpoints).in(day), most_days);
}
double honest_days(const TrainingRun& run, const LostTime& lost) {
  return honest_days(run.time.value, run, lost);
}

/// Days at both ends of the interval of the step.
ClaimRange days_range(const TrainingRun& run, const LostTime& lost) {
  return {honest_days(run.time.low, run, lost), honest_days(run.time.high, run, lost)};
}

/// Utilisation at both ends of the interval of the step: the work is the same.
ClaimRange utilisation_range(const StepPrediction& step) {
  return {step.mfu * (step.step_time / step.high), step.mfu * (step.step_time / step.low)};
}

/// "; 33 to 51 % by the interval of the step"
std::string range_text(const ClaimRange& range, double unit, const char* unit_name) {
  return fmt::format("; {} to {} {} by the interval of the step", plain_number(range.low * unit, 2),
                     plain_number(range.high * unit, 2), unit_name);
}

/// "; 17 in 30 days; a checkpoint of 7.0 TB takes 117 s ..."
std::string failures_of_run(const AuditCase& audit, const JobCase& job) {
  const LostTime lost = lost_time(audit, job);
  const TrainingRun run = run_of(audit.blueprint, job);
  const double honest = honest_days(run, lost);
  const double days = audit.blueprint.stated_number(ClaimKind::training_days)
                          .value_or(honest < most_days ? honest : run.time.value.in(day));
  const CheckpointUse& write = lost.checkpoint;
  const CheckpointWaste& waste = lost.waste;
  return fmt::format(
      ", {:.0f} in {:.0f} days; a checkpoint of {:.1f} TB takes {:.0f} s ({}), best every {:.2f} h: {:.1f} % writing + "
      "{:.1f} % lost work + {:.1f} % restarts = {:.1f} % wasted",
      days * (day / lost.mean_time), days, write.bytes.in(terabyte), write.write.in(second), write.limits,
      lost.interval.in(hour), 100 * waste.writing, 100 * waste.lost_work, 100 * waste.restarts, 100 * waste.total());
}

}  // namespace

ClaimFinding check_training_days(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::training_days);
  const TrainingRun run = run_of(audit.blueprint, job);
  const LostTime lost = lost_time(audit, job);
  const double days = honest_days(run, lost);
  const ClaimRange range = days_range(run, lost);
  conclude(finding, audit.blueprint, days, ClaimSense::at_most, range);
  finding.arithmetic =
      days_text(job, run) + fmt::format("; {:.1f} % of the time goes to failures and checkpoints: {:.0f} days",
                                        100 * std::min(1.0, lost.waste.total()), days);
  if (!finding.stated) return finding;
  const double stated = std::get<double>(*finding.stated);
  const double trained = run.tokens * stated / days;
  const double needed = three_digits(job.layout.used() * days / stated);
  finding.arithmetic += fmt::format(
      "; {} days suffice for {:.2f}T tokens ({} per parameter); {}T in {} days needs about {:.0f} "
      "accelerators",
      plain_number(stated, 6), trillions(trained), plain_number(trained / job.parameters, 2),
      plain_number(trillions(run.tokens), 3), plain_number(stated, 6), needed);
  finding.arithmetic += range_text(range, 1, "days");
  finding.remedy = fmt::format("claim {:.2f}T tokens in {} days, or plan about {:.0f} accelerators", trillions(trained),
                               plain_number(stated, 6), needed);
  return finding;
}

ClaimFinding check_communication_share(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::communication_share);
  const double tensor = share_of(job, StepCharge::tp_exposed), data = share_of(job, StepCharge::dp_exposed);
  const double rest = share_of(job, StepCharge::pp_exposed) + share_of(job, StepCharge::cp_exposed) +
                      share_of(job, StepCharge::ep_exposed);
  const double all = tensor + data + rest;
  conclude(finding, audit.blueprint, all, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "exposed: tensor {:.1f} + data {:.1f} + pipeline and others {:.1f} = {:.1f} % of a step of {:.1f} s; the "
      "pipeline "
      "bubble is another {:.1f} %",
      100 * tensor, 100 * data, 100 * rest, 100 * all, job.step.step_time.in(second),
      100 * share_of(job, StepCharge::bubble));
  finding.remedy = job.step.bottleneck;
  return finding;
}

ClaimFinding check_utilisation(const AuditCase& audit, const JobCase& job) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::utilisation);
  const double busy = busy_share(job);
  const bool as_busy = near_stated(audit.blueprint, finding.claim, busy, ClaimSense::equal);
  const ClaimRange range = utilisation_range(job.step);
  conclude(finding, audit.blueprint, job.step.mfu, ClaimSense::at_least, range, as_busy);
  finding.arithmetic = fmt::format("predicted {:.0f} of {:.0f} TFLOP/s = {:.1f} %",
                                   job.step.model_flops_per_accelerator.in(teraflop_per_second),
                                   peak_of(job).in(teraflop_per_second), 100 * job.step.mfu);
  if (const auto best = best_gemm_share(job))
    finding.arithmetic += fmt::format("; the best measured GEMM reaches {:.1f} %", 100 * *best);
  finding.arithmetic += fmt::format("; kernels run {:.0f} % of the step{}", 100 * busy,
                                    as_busy ? ", which may be what the claim means" : "");
  finding.arithmetic += range_text(range, 100, "%");
  finding.remedy = fmt::format("claim {:.0f} %", 100 * job.step.mfu);
  return finding;
}

ClaimFinding check_failures(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::failures);
  const Seconds mean = time_to_interrupt(audit);
  conclude(finding, audit.blueprint, mean.in(hour), ClaimSense::at_least);
  finding.arithmetic =
      fmt::format("1000 x 24 h / ({:g} x {} nodes) = {:.1f} h between interruptions",
                  audit.blueprint.assume.failures_per_1000_node_days.value, audit.site.nodes, mean.in(hour));
  if (audit.job) finding.arithmetic += failures_of_run(audit, *audit.job);
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
