// SPDX-License-Identifier: Apache-2.0
/// The data that the program came with: whether it is there and can be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Where the program's files are, empty if they are missing.
struct ProgramFiles {
  std::filesystem::path configs;
  std::vector<std::filesystem::path> measurements;
};

/// By the rules of every command; throws nothing.
ProgramFiles find_program_files();

struct ConfigSurvey {
  bool found = false;  ///< a folder with parts
  std::string shown;   ///< the folder as seen from here; empty if it is not below the working directory
  std::size_t files = 0;
  std::vector<std::string> broken;  ///< files that cannot be read, from the folder on
  std::size_t parameter_sets = 0;
  std::vector<std::string> fitted;     ///< accelerators with parameters of their own, or of a sibling
  std::vector<std::string> scenarios;  ///< files, from the folder on
  Catalog catalog;                     ///< empty if a file of it is broken
  std::size_t measurement_files = 0;
  std::filesystem::path root;  ///< of the project: the folder's parent
  bool probe_sources = false;  ///< those of gpu_probe are beside it
};

/// Decodes every file.
ConfigSurvey survey_configs(const ProgramFiles& files);

}  // namespace clusterwright
