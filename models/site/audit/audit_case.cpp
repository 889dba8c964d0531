#include "models/site/audit/audit_case.hpp"

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/prediction/predict_step.hpp"

namespace clusterwright {

namespace {

std::string stated_layout(const Blueprint& blueprint) {
  const Claim* claim = blueprint.find(ClaimKind::layout);
  return claim ? std::get<std::string>(claim->stated) : std::string();
}

}  // namespace

AuditCase::AuditCase(const Blueprint& b, const Scenario& s, const Catalog& c, const Facility& f)
    : blueprint(b),
      scenario(s),
      catalog(c),
      layout(layout_use(s, stated_layout(b))),
      used(used_part(s, layout)),
      step(predict_step(used.scenario)),
      site(site_figures(b, s, c, f, step)),
      parameters(clusterwright::total_parameters(s.transformer)) {}

FlopsPerSecond AuditCase::peak() const {
  return clusterwright::peak(scenario.cluster.accelerator, matrix_format(scenario.job.precision));
}

TrainingPace AuditCase::pace() const {
  return {training_flops_per_token(scenario.transformer, scenario.job.sequence), peak(), step.mfu};
}

double AuditCase::training_tokens() const {
  return blueprint.training_tokens.value_or(blueprint.assume.tokens_per_parameter.value * parameters);
}

double AuditCase::share(StepCharge charge) const {
  return step.breakdown[static_cast<std::size_t>(charge)] / step.step_time;
}

}  // namespace clusterwright
