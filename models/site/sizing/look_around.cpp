// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/look_around.hpp"

#include <utility>

#include "models/prediction/bottleneck.hpp"
#include "models/prediction/changed_job.hpp"
#include "models/prediction/faster_layout.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/search/layout_search.hpp"
#include "models/site/sizing/job_site.hpp"

namespace clusterwright {

namespace {

/// Names a layout if the step that a user gets under its settings is as much shorter as advice must be.
void try_layout(const JobSite& site, const Scenario& scenario, const Layout& layout, const StepPrediction& step,
                LayoutAdvice& advice) {
  // Fields that the job leaves open may be decided otherwise than in the layout, unless they are stated too.
  for (const bool stated : {false, true}) {
    Scenario changed = scenario;
    changed.job = stated ? with_layout(scenario.job, layout) : changed_job(scenario.job, layout);
    const StepPrediction other = site.predict(changed);
    if (!other.fits || other.step_time > (1 - worth_a_change) * step.step_time) continue;
    advice.settings = stated ? settings_of(scenario, layout) : settings_to(scenario, layout);
    advice.step_time = other.step_time;
    advice.probability_faster = probability_faster(other, step, scenario.steps);
    return;
  }
}

}  // namespace

bool look_around(const JobSite& site, const Scenario& scenario, StepPrediction& step) {
  if (!step.fits || scenario.cluster.kinds() > 1 || !is_searchable(scenario.job)) return false;
  const LayoutsAround around = layouts_around(scenario, step.plan, step.step_time);
  LayoutAdvice advice;
  advice.evaluated = around.evaluated;
  if (around.best) try_layout(site, scenario, *around.best, step, advice);
  step.layout_advice = std::move(advice);
  step.bottleneck = name_bottleneck(step);
  return true;
}

}  // namespace clusterwright
