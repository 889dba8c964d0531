#include <fmt/format.h>

#include <cmath>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/site/audit/claim_checks.hpp"

namespace clusterwright {

namespace {

double trillions(double tokens) {
  return tokens / 1e12;
}

/// Nobody plans 43,534 accelerators.
double three_digits(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return std::round(number / unit) * unit;
}

/// Best measured multiply over the data sheet's peak.
std::optional<double> best_gemm_share(const AuditCase& c) {
  const AcceleratorPart& part = c.scenario.cluster.accelerator;
  const auto format = static_cast<std::size_t>(matrix_format(c.scenario.job.precision));
  const auto best = part.best_gemm_tflops.find(std::string(number_format_names[format]));
  if (best == part.best_gemm_tflops.end() || c.peak() <= FlopsPerSecond{}) return {};
  return best->second.value / c.peak();
}

/// Share of the step in which kernels of the compute lane run.
double busy_share(const AuditCase& c) {
  double busy = 0;
  for (const StepCharge charge : {StepCharge::compute_gemm, StepCharge::compute_attention, StepCharge::compute_other,
                                  StepCharge::optimizer, StepCharge::recompute, StepCharge::throttle})
    busy += c.share(charge);
  return busy;
}

}  // namespace

ClaimFinding check_training_days(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::training_days);
  const TrainingPace pace = c.pace();
  const int used = c.layout.used();
  const double tokens = c.training_tokens();
  const double days = training_time(pace, tokens, used).in(day);
  conclude(finding, c, days, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "{:.2f} TFLOP a token x {:.3g}T tokens / ({} x {:.0f} TFLOP/s x {:.1f} %) = {:.0f} days",
      pace.per_token / flop / 1e12, trillions(tokens), used, pace.peak.in(teraflop_per_second), 100 * pace.mfu, days);
  if (!finding.stated) return finding;
  const double stated = std::get<double>(*finding.stated);
  const double trained = tokens_trained(pace, stated * day, used);
  const double needed = three_digits(accelerators_needed(pace, tokens, stated * day));
  finding.arithmetic += fmt::format(
      "; {:g} days train {:.2f}T ({:.2g} per parameter); {:.3g}T in {:g} days take about {:.0f} accelerators", stated,
      trillions(trained), trained / c.parameters, trillions(tokens), stated, needed);
  finding.remedy = fmt::format("claim {:.2f}T tokens in {:g} days, or plan about {:.0f} accelerators",
                               trillions(trained), stated, needed);
  return finding;
}

ClaimFinding check_communication_share(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::communication_share);
  const double tensor = c.share(StepCharge::tp_exposed), data = c.share(StepCharge::dp_exposed);
  const double rest =
      c.share(StepCharge::pp_exposed) + c.share(StepCharge::cp_exposed) + c.share(StepCharge::ep_exposed);
  const double all = tensor + data + rest;
  conclude(finding, c, all, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "exposed: tensor {:.1f} + data {:.1f} + pipeline and others {:.1f} = {:.1f} % of a step of {:.1f} s; the "
      "pipeline "
      "bubble is another {:.1f} %",
      100 * tensor, 100 * data, 100 * rest, 100 * all, c.step.step_time.in(second), 100 * c.share(StepCharge::bubble));
  finding.remedy = c.step.bottleneck;
  return finding;
}

ClaimFinding check_utilisation(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::utilisation);
  const double busy = busy_share(c);
  const std::optional<double> stated = c.blueprint.stated_number(ClaimKind::utilisation);
  const bool as_busy = stated && near_enough(*stated, busy, ClaimSense::equal, c.blueprint.tolerance);
  conclude(finding, c, c.step.mfu, ClaimSense::at_least, as_busy);
  finding.arithmetic = fmt::format("predicted {:.0f} of {:.0f} TFLOP/s = {:.1f} %",
                                   c.step.model_flops_per_accelerator.in(teraflop_per_second),
                                   c.peak().in(teraflop_per_second), 100 * c.step.mfu);
  if (const auto best = best_gemm_share(c))
    finding.arithmetic += fmt::format("; the best measured multiply alone reaches {:.1f} %", 100 * *best);
  finding.arithmetic +=
      fmt::format("; kernels run {:.0f} % of the step{}", 100 * busy, as_busy ? ", which may be what is meant" : "");
  finding.remedy = fmt::format("claim {:.0f} %", 100 * c.step.mfu);
  return finding;
}

}  // namespace clusterwright
