// SPDX-License-Identifier: Apache-2.0
/// Folder of the shipped data, and files that name one of its files as their base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json_value.hpp"

namespace clusterwright {

/// Installed or checked-out `configs` directory: the first of $CLUSTERWRIGHT_CONFIGS, the one that was set, the one
/// beside the program, and that of the source tree.
/// @throws ConfigError E0401 if there is none
std::filesystem::path configs_directory();

/// Sets the directory, for programs that are not installed beside their data. An empty path undoes the setting.
void set_configs_directory(const std::filesystem::path& path);

/// Names of the files in a folder of the configs directory, sorted: "stacks" holds "megatron-2024" and others.
/// @throws ConfigError E0401 if there is no configs directory
std::vector<std::string> config_names(const std::string& folder);

/// Folders of the configs directory whose files have names: "scenarios", "clusters", ...
const std::vector<std::string>& config_folders();

/// File that a text names: a path if it holds "/", ends in ".json" or is "-" (standard input); else the file of this
/// name in one of the folders of the configs directory; else, if there is none, a path all the same.
/// @param beside  folder that paths start from; empty: the working directory
/// @throws ConfigError E0401 for a name without any file, with the nearest name of the folders, or with the kind that
/// has this name. Without folders, or with a path, reading the file says that there is none.
std::filesystem::path named_file(const std::string& text, const std::vector<std::string>& folders,
                                 const std::filesystem::path& beside = {});

/// The same for a text whose file need not exist: whoever reads it says so at a place of its own.
std::filesystem::path path_of_name(const std::string& text, const std::vector<std::string>& folders,
                                   const std::filesystem::path& beside = {});

/// Way on for a name that has no file in the folders: `did you mean "llama3-70b"?`, or the kind of file that has this
/// name; empty where nothing is like it.
std::string nearest_file(const std::string& text, const std::vector<std::string>& folders);

/// File that "like" of a document names: one of configs/<folder>, or a path beside the file that names it.
/// @param noun  noun for such files in errors: "facility"
/// @throws ConfigError E0203 for a name that the folder has not, with a suggestion
std::filesystem::path base_file(const std::string& folder, const std::string& noun, const std::string& name,
                                const JsonValue& document);

}  // namespace clusterwright
