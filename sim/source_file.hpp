// SPDX-License-Identifier: Apache-2.0
/// Reader of whole files, pipes and standard input, which remembers what it read: no result may replace an input.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/diagnostic.hpp"

namespace clusterwright {

/// Which texts errors may quote. Files are named by people who may not be allowed to see what the program can read, so
/// a text that does not begin as JSON does is quoted only where the command reads no other kind (a log to import).
enum class Quoting { json, any };

/// Reads a whole file. "-" is standard input; pipes and devices are read once, and a second reading gives the same
/// text.
/// @throws ConfigError E0401 in the words of the system if it cannot be read, E0501 if it is larger than `cap`
std::shared_ptr<const SourceText> read_source(const std::filesystem::path& path, std::size_t cap,
                                              Quoting quoting = Quoting::json);

/// Folder that relative paths of a file start from: its own, or the working directory for a file that came through
/// standard input or a pipe of the shell.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Whether the path is a file that was read, under any of its names.
bool was_read(const std::filesystem::path& path);

/// Whether two paths name one existing file, under any of its names.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Begins a new command: nothing was read yet.
void forget_read_files();

}  // namespace clusterwright
