// SPDX-License-Identifier: Apache-2.0
#include "models/job/configs_directory.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

namespace {

/// Relative where it lies below the working directory: results should not depend on where a checkout stands.
fs::path as_seen_from_here(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  return error || relative.empty() || *relative.begin() == ".." ? path : relative;
}

fs::path& configured_directory() {
  static fs::path directory;
  return directory;
}

}  // namespace

fs::path configs_directory() {
  std::error_code error;
  if (const char* given = std::getenv("CLUSTERWRIGHT_CONFIGS")) return given;
  if (!configured_directory().empty()) return configured_directory();
  // Installed beside the program, or the source tree around the build tree.
  for (fs::path at = fs::read_symlink("/proc/self/exe", error).parent_path(); at.has_relative_path();
       at = at.parent_path())
    for (const char* place : {"configs", "share/clusterwright/configs"})
      if (fs::exists(at / place / "parts")) return as_seen_from_here(at / place);
  throw ConfigError({"E0401",
                     "the configs directory is missing",
                     {},
                     "",
                     "set CLUSTERWRIGHT_CONFIGS to the configs directory of the project"});
}

void set_configs_directory(const fs::path& path) {
  configured_directory() = path;
}

std::vector<std::string> config_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(configs_directory() / folder, error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace clusterwright
