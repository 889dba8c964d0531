// SPDX-License-Identifier: Apache-2.0
/// Files and formats that a result is written to.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clusterwright {

/// Error of a machine without disk space or memory left; the input is not at fault.
class ResourceLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A path for messages: without the middle of one that no line would hold.
std::string short_path(const std::filesystem::path& path);

/// Replaces a file as a whole: writes a file without a name in the same directory, syncs it, gives it the name, syncs
/// the directory. A reader sees the old file or the new one; a failure leaves the old one and nothing beside it. The
/// new file has the mode of the old one; where the path is a symbolic link, its target is replaced. "-" is standard
/// output.
/// @throws ConfigError E0405 if it cannot be written there, or is an input of this command
/// @throws ResourceLimit if the disk is full, or standard output cannot be written
void write_file(const std::filesystem::path& path, std::string_view content);

/// Writes as write_file does, but only a new file. @throws ConfigError E0405 also if the file exists
void write_new_file(const std::filesystem::path& path, std::string_view content);

/// nccl_tests: the lines that NVIDIA's nccl-tests print. dot: a graph for Graphviz. prometheus: samples in the text
/// format of OpenMetrics.
enum class OutputFormat { table, json, csv, markdown, html, nccl_tests, dot, prometheus };

/// Formats and files as given on the command line.
struct OutputRequest {
  std::string format;              ///< empty: from the suffix of the file, or a table
  std::vector<std::string> files;  ///< empty: standard output
  bool quiet = false;
};

struct OutputTarget {
  std::filesystem::path path = "-";
  OutputFormat format = OutputFormat::table;
};

/// @param offered  what the command can write
/// @throws ConfigError E0404 for a format that is unknown or not offered, and for a suffix that names none
std::vector<OutputTarget> output_targets(const OutputRequest& request, const std::vector<OutputFormat>& offered);

/// Format of a file that an option of its own names; standard output gets the first of `offered`.
/// @throws ConfigError E0404 for a suffix that names none of them
OutputFormat format_of_file(const char* option, const std::string& file, const std::vector<OutputFormat>& offered);

/// @param outputs  "-" also where an answer goes to standard output for want of a file
/// @throws ConfigError E0405 if a file or standard output is given twice, a file is one of the inputs, or its name is
/// longer than a file's can be
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Renders everything first, then writes: a failure to render leaves no file behind. Names the written files.
void deliver(const std::vector<OutputTarget>& targets, bool quiet,
             const std::function<std::string(OutputFormat)>& render);

}  // namespace clusterwright
