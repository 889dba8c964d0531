// SPDX-License-Identifier: Apache-2.0
/// Number format of a job against the formats of its accelerators.
#pragma once

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Refuses a `job.precision` that an accelerator of the cluster does not multiply in, or that its parameters do not
/// describe, and names the formats that it has.
/// @throws ConfigError E0314
void check_format(const Scenario& scenario);

}  // namespace clusterwright
