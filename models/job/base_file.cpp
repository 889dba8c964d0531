// SPDX-License-Identifier: Apache-2.0
#include "models/job/base_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/scenario_loader.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

fs::path base_file(const std::string& folder, const std::string& noun, const std::string& name,
                   const JsonValue& document) {
  const JsonValue* like = document.find("like");
  if (name.ends_with(".json")) {
    const bool in_file = like && like->source && !like->source->name().starts_with("--");
    const fs::path beside = in_file ? fs::path(like->source->name()).parent_path() : fs::path();
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
