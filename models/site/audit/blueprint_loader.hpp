/// Reads a blueprint: the scenario that it describes, and what it claims.
#pragma once

#include <filesystem>

#include "models/job/scenario_loader.hpp"
#include "models/site/audit/blueprint.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

struct LoadedBlueprint {
  Blueprint blueprint;
  Scenario scenario;
  Catalog catalog;    ///< that claims refer to, with the cluster's own parts
  Facility facility;  ///< around the cluster, complete
};

/// @throws ConfigError with every error found
LoadedBlueprint load_blueprint(const std::filesystem::path& path, const ScenarioOptions& options);

/// The description of a blueprint file, for `schema`, `explain` and docs.
const RecordSpec& blueprint_spec();

}  // namespace clusterwright
