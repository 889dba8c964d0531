/// Facilities in files: what a cluster leaves out, another file says.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

/// The facility of a cluster: what it says itself over the file in configs/facilities, or the path, that "like" names.
/// Objects are joined field by field, lists and values replaced. Without "like" the nodes decide: rack-scale for
/// machines of several nodes, direct-to-chip for nodes that need liquid, room for less than 200 kW, else air.
/// @param document  of the cluster, as decoded
/// @param pointer   of it in its file; empty if it is the whole file
/// @throws ConfigError with every error found
Facility load_facility(const Cluster& cluster, const Catalog& catalog, const JsonValue& document,
                       const std::string& pointer, std::vector<InputFile>& inputs);

/// A facility that stands in a file of its own; over the one for air where it names no other.
/// @throws ConfigError with every error found
Facility complete_facility_file(const JsonValue& document, const Catalog& catalog);

}  // namespace clusterwright
