// SPDX-License-Identifier: Apache-2.0
#include "models/job/configs_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

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

/// Whether a text may name a shipped file; else it is a path.
bool is_name(const std::string& text) {
  return !text.empty() && text != "-" && text.find('/') == std::string::npos && !text.ends_with(".json");
}

std::optional<fs::path> shipped_file(const std::string& folder, const std::string& name) {
  std::error_code error;
  fs::path file = configs_directory() / folder / (name + ".json");
  if (folder.empty() || !fs::is_regular_file(file, error)) return {};
  return file;
}

/// Folder that has a file of this name and is none of `folders`; empty: no other has one.
std::string folder_of_other_kind(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : config_folders())
    if (std::ranges::find(folders, folder) == folders.end() && shipped_file(folder, name)) return folder;
  return {};
}

/// Files of a folder in one word, as users call them.
std::string noun_of(const std::string& folder) {
  if (folder == "transformers") return "model";
  if (folder == "facilities") return "facility";
  if (folder == "prices") return "price list";
  if (folder == "parameters") return "parameter set";
  if (folder == "steps") return "calibration of steps";
  return folder.substr(0, folder.size() - 1);  // scenarios, clusters, stacks, blueprints, designs
}

/// "a scenario or a model".
std::string nouns_of(const std::vector<std::string>& folders) {
  std::vector<std::string> nouns;
  for (const std::string& folder : folders) nouns.push_back("a " + noun_of(folder));
  return fmt::format("{}", fmt::join(nouns, " or "));
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

fs::path path_of_name(const std::string& text, const std::vector<std::string>& folders, const fs::path& beside) {
  const fs::path given = text == "-" || fs::path(text).is_absolute() ? fs::path(text) : beside / text;
  if (!is_name(text)) return given;
  for (const std::string& folder : folders)
    if (const auto shipped = shipped_file(folder, text)) return *shipped;
  return given;
}

std::string nearest_file(const std::string& text, const std::vector<std::string>& folders) {
  if (const std::string other = folder_of_other_kind(text, folders); !other.empty()) {
    const bool settable = other == "clusters" && std::ranges::find(folders, "scenarios") != folders.end();
    return fmt::format("\"{}\" is a {}, and {} is read here{}", text, noun_of(other), nouns_of(folders),
                       settable ? "; a scenario takes it with --set cluster=" + text : "");
  }
  std::vector<std::string> known;
  for (const std::string& folder : folders)
    for (const std::string& name : config_names(folder)) known.push_back(name);
  return did_you_mean(text, known);
}

fs::path named_file(const std::string& text, const std::vector<std::string>& folders, const fs::path& beside) {
  fs::path path = path_of_name(text, folders, beside);
  std::error_code error;
  const bool missing = fs::status(path, error).type() == fs::file_type::not_found;
  if (!missing || folders.empty() || !is_name(text)) return path;
  const auto source = std::make_shared<const SourceText>(path.string(), "");
  throw ConfigError({"E0401", "no such file", {Place{source, 0, 1, ""}}, "", nearest_file(text, folders)});
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
