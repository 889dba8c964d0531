/// Everything that the checks of claims read, computed once.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/blueprint.hpp"
#include "models/site/audit/layout_use.hpp"
#include "models/site/audit/site_figures.hpp"
#include "models/site/audit/training_time.hpp"

namespace clusterwright {

struct AuditCase {
  /// @throws ConfigError as layout_use and predict_step
  AuditCase(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog, const Facility& facility);

  const Blueprint& blueprint;
  const Scenario& scenario;  ///< as described
  const Catalog& catalog;
  LayoutUse layout;
  UsedScenario used;  ///< what of it the layout uses
  StepPrediction step;
  SiteFigures site;
  double parameters = 0;

  /// Of one accelerator in the matrix format of the job.
  FlopsPerSecond peak() const;
  TrainingPace pace() const;
  double training_tokens() const;
  /// Seconds of the step that a charge takes, over the step.
  double share(StepCharge charge) const;
  /// The number that the claim on `kind` states. @pre it is made, and by a number
  double stated(ClaimKind kind) const { return *blueprint.stated_number(kind); }
};

}  // namespace clusterwright
