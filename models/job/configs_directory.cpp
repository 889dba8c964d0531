// SPDX-License-Identifier: Apache-2.0
#include "models/job/configs_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/diagnostic.hpp"
#include "sim/source_file.hpp"

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

const std::vector<std::string>& config_folders() {
  static const std::vector<std::string> folders = {"scenarios",  "clusters", "transformers", "stacks",  "parameters",
                                                   "facilities", "prices",   "blueprints",   "designs", "steps"};
  return folders;
}

fs::path named_file(const std::string& text, const std::vector<std::string>& folders, const fs::path& beside) {
  const bool path = text == "-" || text.find('/') != std::string::npos || text.ends_with(".json");
  const fs::path given = text == "-" || fs::path(text).is_absolute() ? fs::path(text) : beside / text;
  if (path || text.empty()) return given;
  std::error_code error;
  for (const std::string& folder : folders) {
    const fs::path shipped = configs_directory() / folder / (text + ".json");
    if (!folder.empty() && fs::is_regular_file(shipped, error)) return shipped;
  }
  return given;
}

fs::path base_file(const std::string& folder, const std::string& noun, const std::string& name,
                   const JsonValue& document) {
  const JsonValue* like = document.find("like");
  if (name.ends_with(".json")) {
    const bool in_file = like && like->source && !like->source->name().starts_with("--");
    const fs::path beside = in_file ? folder_of(fs::path(like->source->name())) : fs::path();
    return fs::path(name).is_absolute() ? fs::path(name) : beside / name;
  }
  const std::vector<std::string> known = config_names(folder);
  if (std::find(known.begin(), known.end(), name) != known.end())
    return configs_directory() / folder / (name + ".json");
  const std::string meant = did_you_mean(name, known);
  throw ConfigError({"E0203",
                     fmt::format("unknown {} \"{}\"", noun, name.substr(0, 80)),
                     {(like ? *like : document).place("/like")},
                     "not in configs/" + folder,
                     fmt::format("{}{}there are: {}", meant, meant.empty() ? "" : "   ", fmt::join(known, ", "))});
}

}  // namespace clusterwright
