// SPDX-License-Identifier: Apache-2.0
#include "models/job/scenario.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
Scenario::Scenario() = default;
Scenario::Scenario(const Scenario&) = default;
Scenario::Scenario(Scenario&&) noexcept = default;
Scenario& Scenario::operator=(const Scenario&) = default;
Scenario& Scenario::operator=(Scenario&&) noexcept = default;
Scenario::~Scenario() = default;

}  // namespace clusterwright
