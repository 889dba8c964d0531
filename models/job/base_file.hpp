// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/json_value.hpp"

namespace clusterwright {

/// The file that "like" of a document names: one of configs/<folder>, or a path beside the file that names it.
/// @param noun  what such files are, for errors: "facility"
/// @throws ConfigError E0203 for a name that the folder has not, with a suggestion
std::filesystem::path base_file(const std::string& folder, const std::string& noun, const std::string& name,
                                const JsonValue& document);

}  // namespace clusterwright
