#include <fmt/format.h>

#include "models/prediction/checkpoint_stall.hpp"
#include "models/site/audit/claim_checks.hpp"
#include "models/site/audit/interruptions.hpp"

namespace clusterwright {

namespace {

/// One checkpoint of the job, as `run` would write it; the job need not say that it writes any.
CheckpointUse one_checkpoint(const AuditCase& c) {
  Scenario s = c.used.scenario;
  if (!s.job.input) s.job.input.emplace();
  if (!s.job.input->checkpoint)
    s.job.input->checkpoint = CheckpointSpec{1, CheckpointMode::synchronous, Store::file_system};
  return checkpoint_use(s, c.step.plan, c.step.step_time);
}

double run_days(const AuditCase& c) {
  const std::optional<double> stated = c.blueprint.stated_number(ClaimKind::training_days);
  return stated.value_or(training_time(c.pace(), c.training_tokens(), c.layout.used()).in(day));
}

}  // namespace

ClaimFinding check_failures(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::failures);
  const double rate = c.blueprint.assume.failures_per_1000_node_days.value;
  const Seconds mean = mean_time_to_interrupt(rate, c.site.nodes);
  const double days = run_days(c);
  conclude(finding, c, mean.in(hour), ClaimSense::at_least);
  finding.arithmetic =
      fmt::format("1000 x 24 h / ({:g} x {} nodes) = {:.1f} h between interruptions, {:.0f} in {:.0f} days", rate,
                  c.site.nodes, mean.in(hour), days * (day / mean), days);
  const CheckpointUse write = one_checkpoint(c);
  const Seconds interval = checkpoint_interval(write.write, mean);
  const CheckpointWaste waste = checkpoint_waste(write.write, interval, c.blueprint.assume.restart.value, mean);
  finding.arithmetic += fmt::format(
      "; {:.1f} TB written in {:.0f} s ({}), best every {:.2f} h: {:.1f} % writing + {:.1f} % lost work + {:.1f} % "
      "restarts = {:.1f} % wasted",
      write.bytes.in(terabyte), write.write.in(second), write.limits, interval.in(hour), 100 * waste.writing,
      100 * waste.lost_work, 100 * waste.restarts, 100 * waste.total());
  finding.remedy = fmt::format("claim {:.0f} h between interruptions", mean.in(hour));
  return finding;
}

}  // namespace clusterwright
