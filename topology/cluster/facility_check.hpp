// SPDX-License-Identifier: Apache-2.0
/// What contradicts itself in a facility.
#pragma once

#include <string>

#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

/// @param source, pointer  as for complete_facility
/// @throws ConfigError with every error found: E0203 for parts that the catalog lacks, E0351 for what is left open
void check_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                    const std::string& pointer);

}  // namespace clusterwright
