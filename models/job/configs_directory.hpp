// SPDX-License-Identifier: Apache-2.0
/// Folder of the shipped data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clusterwright {

/// The installed or checked-out `configs` directory: $CLUSTERWRIGHT_CONFIGS, the one that was set, beside the program,
/// or the source tree.
/// @throws ConfigError E0401 if there is none
std::filesystem::path configs_directory();

/// Directory for programs that are not installed beside their data. An empty path undoes the setting.
void set_configs_directory(const std::filesystem::path& path);

/// Names of the files in a folder of the configs directory, sorted: "stacks" holds "megatron-2024" and others.
/// @throws ConfigError E0401 if there is no configs directory
std::vector<std::string> config_names(const std::string& folder);

}  // namespace clusterwright
