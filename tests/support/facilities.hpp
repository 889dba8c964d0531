// SPDX-License-Identifier: Apache-2.0
/// Facilities of configs/ that stand on their own, without the program's look-up of files.
#pragma once

#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright::testing {

/// Contained air: complete in its own file.
inline Facility air_facility(const Catalog& catalog) {
  const JsonValue document = read_json_file(CLUSTERWRIGHT_CONFIGS "/facilities/air.json");
  return complete_facility(decode_record<FacilitySpec>(document), catalog, document);
}

}  // namespace clusterwright::testing
