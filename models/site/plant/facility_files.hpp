// SPDX-License-Identifier: Apache-2.0
/// Facilities in files: fields that a cluster leaves out come from the file that its "like" names.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

/// Facility of a cluster: its own fields over those of the file in configs/facilities, or the path, that "like" names.
/// Objects are joined field by field; lists and values are replaced, and settings change single elements of a list.
/// Without "like" the nodes decide: rack-scale for
/// machines of several nodes, direct-to-chip for nodes that need liquid, room below 200 kW, else air.
/// @param document  document that the cluster was decoded from
/// @param pointer   JSON pointer to the cluster in its file; empty if it is the whole file
/// @throws ConfigError with every error found
Facility load_facility(const Cluster& cluster, const Catalog& catalog, const JsonValue& document,
                       const std::string& pointer, std::vector<InputFile>& inputs);

/// Document of that facility, before it is decoded: every value keeps the place where it was written.
/// @throws ConfigError for files and lists that do not fit together
JsonValue facility_document(const Cluster& cluster, const Catalog& catalog, const JsonValue& document,
                            std::vector<InputFile>& inputs);

/// Facility without reference to files, which may change, in the form of FacilitySpec.
JsonValue effective_facility(const Facility& facility);

/// Facility in a file of its own, over the one for air where it names no other.
/// @throws ConfigError with every error found
Facility complete_facility_file(const JsonValue& document, const Catalog& catalog);

}  // namespace clusterwright
