#pragma once

#include <filesystem>

#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Reads every `*.json` of a directory, each a share of the catalog, in the order of their names.
///
/// Ids are unique within their list over all files, and the source of every fact is listed under "sources".
/// @throws ConfigError with the errors of all files together; E0401 if the directory is missing
Catalog load_catalog(const std::filesystem::path& parts_directory);

}  // namespace clusterwright
