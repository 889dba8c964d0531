// SPDX-License-Identifier: Apache-2.0
/// Where results go, and in which shape.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace clusterwright {

/// nccl_tests: the lines that NVIDIA's nccl-tests print. dot: a graph for Graphviz.
enum class OutputFormat { table, json, csv, markdown, html, nccl_tests, dot };

/// As asked for on the command line.
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

/// Renders everything first, then writes: a failure to render leaves no file behind. Says what it wrote.
void deliver(const std::vector<OutputTarget>& targets, bool quiet,
             const std::function<std::string(OutputFormat)>& render);

}  // namespace clusterwright
