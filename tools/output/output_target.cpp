// SPDX-License-Identifier: Apache-2.0
#include "tools/output/output_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/output/atomic_file.hpp"
#include "tools/usage_error.hpp"

namespace clusterwright {

namespace {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = {"table", "json", "csv", "md", "html", "nccl-tests", "dot"};
  return names;
}

std::vector<std::string> names_of(const std::vector<OutputFormat>& formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.push_back(format_names()[static_cast<std::size_t>(format)]);
  return names;
}

OutputFormat format_of_suffix(const std::string& file, const std::vector<OutputFormat>& offered) {
  static const std::map<std::string, OutputFormat> suffixes = {
      {".txt", OutputFormat::table},      {".json", OutputFormat::json}, {".csv", OutputFormat::csv},
      {".md", OutputFormat::markdown},    {".html", OutputFormat::html}, {".htm", OutputFormat::html},
      {".log", OutputFormat::nccl_tests}, {".dot", OutputFormat::dot},   {".gv", OutputFormat::dot}};
  const auto found = suffixes.find(std::filesystem::path(file).extension().string());
  if (found != suffixes.end() && std::find(offered.begin(), offered.end(), found->second) != offered.end())
    return found->second;
  throw option_error("-o", file, "the suffix of the file names no format that this command writes",
                     fmt::format("add --format with one of: {}", fmt::join(names_of(offered), ", ")));
}

}  // namespace

std::vector<OutputTarget> output_targets(const OutputRequest& request, const std::vector<OutputFormat>& offered) {
  OutputFormat format = OutputFormat::table;
  if (!request.format.empty()) format = offered[parse_choice("--format", request.format, names_of(offered))];
  if (request.files.empty()) return {{"-", format}};
  std::vector<OutputTarget> targets;
  for (const std::string& file : request.files) {
    const bool from_suffix = request.format.empty() && file != "-";
    targets.push_back({file, from_suffix ? format_of_suffix(file, offered) : format});
  }
  return targets;
}

void deliver(const std::vector<OutputTarget>& targets, bool quiet,
             const std::function<std::string(OutputFormat)>& render) {
  std::vector<std::string> texts;
  for (const OutputTarget& target : targets) texts.push_back(render(target.format));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    write_file(targets[i].path, texts[i]);
    if (!quiet && targets[i].path != "-")
      std::fputs(fmt::format("wrote {}\n", targets[i].path.string()).c_str(), stderr);
  }
}

}  // namespace clusterwright
