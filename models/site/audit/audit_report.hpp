// SPDX-License-Identifier: Apache-2.0
/// Check of the claims of a blueprint with the models that `run` uses.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/audit_case.hpp"

namespace clusterwright {

struct AuditReport {
  std::vector<ClaimFinding> findings;  ///< made claims in their order, then missing ones
  std::vector<std::string> changes;    ///< changes that a prediction of the step required
  StepPrediction step;                 ///< on the accelerators that the layout uses

  int count(Holds holds) const;
  int missing() const;  ///< number of claims that the blueprint should have made
  /// First claim that does not hold, else the first that holds in part; nullptr if all hold.
  const ClaimFinding* first_to_mend() const;
};

/// @param scenario  the cluster, transformer and job that the blueprint describes
/// @param facility  facility of that cluster, complete
/// @pre check_claims passed
/// @throws ConfigError E0362, E0363 and what predict_step throws
AuditReport audit_blueprint(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog,
                            const Facility& facility);

}  // namespace clusterwright
