// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace clusterwright {

/// The machine gave out, not the input: no space left, no memory left.
class ResourceLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Replaces a file as a whole: written aside in the same directory, synced, renamed, the directory synced. A reader
/// sees the old file or the new one; a failure leaves the old one and nothing beside it. "-" is standard output.
/// @throws ConfigError E0405 if it cannot be written there
/// @throws ResourceLimit if the disk is full
void write_file(const std::filesystem::path& path, std::string_view content);

/// As write_file, for a file that must not exist yet. @throws ConfigError E0405 also if it exists
void write_new_file(const std::filesystem::path& path, std::string_view content);

}  // namespace clusterwright
