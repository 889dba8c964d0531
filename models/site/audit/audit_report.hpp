// SPDX-License-Identifier: Apache-2.0
/// Check of the claims of a blueprint with the models that `run` uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/audit_case.hpp"

namespace clusterwright {

struct AuditReport {
  std::vector<ClaimFinding> findings;  ///< made claims in their order, then missing ones
  std::vector<std::string> changes;    ///< changes that a prediction of the step required
  std::optional<StepPrediction> step;  ///< on the accelerators that the layout uses; none without a job

  int count(Holds holds) const;
  int missing() const;  ///< number of claims that the blueprint should have made
  /// First claim that does not hold, else the first that holds in part; nullptr if all hold.
  const ClaimFinding* first_to_mend() const;
};

/// What an audit reads of a blueprint, which outlives it.
AuditInput input_of(const LoadedBlueprint& loaded);

/// @pre check_claims passed, and claims that need a job have one
/// @throws ConfigError E0350 for nodes that cannot be placed, E0362, E0363 and what predict_step throws
AuditReport audit_blueprint(const AuditInput& input);

}  // namespace clusterwright
