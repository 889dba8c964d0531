// SPDX-License-Identifier: Apache-2.0
/// Power limits of racks, rows, the hall and the grid that act on a job: the slow loop around its steps.
///
/// Controllers of racks and halls average over seconds and more, so they see the mean of the step. They lower one limit
/// of all accelerators, or one for each pipeline stage, until every domain draws no more than its budget: clocks, power
/// and step are predicted anew for each limit that is tried. Domains are those that draw most: the fullest rack and row
/// by the ranks that they hold.
/// @source docs/models/power.md, "Budgets of racks and halls"
#pragma once

#include "models/prediction/predict_step.hpp"
#include "models/site/sizing/job_site.hpp"

namespace clusterwright {

/// Sets the power limit of every accelerator, unless it is no lower than the rating. @pre nodes of one kind
void limit_accelerators(Cluster& cluster, Watts limit);

/// The lowest limit of an accelerator that can be held: above its idle power, and no lower than it accepts. Its rating
/// where its clock is not known.
Watts lowest_limit(const Scenario& scenario);

/// Prediction with the limit of accelerators that its budgets ask for.
struct BudgetedStep {
  Scenario scenario;  ///< with that limit
  StepPrediction step;
  Facility
      facility;  ///< that it holds in: racks keep the nodes that they have without the limit, unless it states them
};

/// @param cooled  scenario with the hosts of its hall (cooled_in_hall)
/// @param given   its plan, if that was searched; else null. Budgets that cap replay it under each limit
/// @throws ConfigError as predict_step; E0368 where a budget does not feed the accelerators at their lowest limit
BudgetedStep predict_within_budgets(const Scenario& cooled, const SiteParts& parts, const GivenPlan* given = nullptr);

}  // namespace clusterwright
