// SPDX-License-Identifier: Apache-2.0
/// Errors of a facility: parts that do not exist, fields left open.
#pragma once

#include <string>

#include "sim/json_value.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// @param source   the JSON that `spec` was decoded from, for the places of errors
/// @param pointer  of `source` in its file; empty if it is the whole file
/// @throws ConfigError with every error found: E0203 for parts that the catalog lacks, E0351 for what is left open
Facility complete_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                           const std::string& pointer = {});

}  // namespace clusterwright
