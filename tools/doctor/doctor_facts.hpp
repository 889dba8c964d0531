// SPDX-License-Identifier: Apache-2.0
/// Facts that the doctor looks at, without judging them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/host/host_machine.hpp"
#include "tools/doctor/gpu_survey.hpp"
#include "tools/doctor/library_survey.hpp"
#include "tools/doctor/machine_access.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Paths of the program's files, empty if they are missing.
struct ProgramFiles {
  std::filesystem::path configs;
  std::vector<std::filesystem::path> measurements;
};

/// Finds the files by the rules of every command; throws nothing.
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
  std::filesystem::path root;  ///< root of the project: parent of the folder
  bool probe_sources = false;  ///< sources of gpu_probe are beside it
};

/// Decodes every file.
ConfigSurvey survey_configs(const ProgramFiles& files);

struct CudaCompiler {
  std::string call;              ///< "nvcc", "/usr/local/cuda/bin/nvcc"
  std::string version;           ///< "13.0"; empty: not known
  bool cublaslt_header = false;  ///< header that gpu_probe includes is beside it
};

/// A port of an InfiniBand or RoCE adapter.
struct FabricPort {
  std::string adapter;  ///< "mlx5_0"
  std::string rate;     ///< "400 Gb/sec (4X NDR)"
  std::string layer;    ///< "InfiniBand", "Ethernet"
  bool active = false;
};

/// A library, or why it could not be asked.
struct LibraryAnswer {
  LibraryFound library;
  std::string problem;
};

struct DoctorFacts {
  HostMachine host;
  TempFolder temp_folder;
  ConfigSurvey configs;
  std::optional<Located> gpu_probe;
  bool gpu_probe_misnamed = false;  ///< the environment names something that is no program
  GpuSurvey gpus;
  std::array<LibraryAnswer, library_count> libraries;  ///< answers by LibraryId
  std::optional<CudaCompiler> compiler;
  std::map<std::string, bool> programs;  ///< whether a program is in PATH: "mpirun", "sinfo", ...
  std::vector<FabricPort> ports;

  const LibraryAnswer& library(LibraryId id) const { return libraries[static_cast<std::size_t>(id)]; }
};

/// Examines the machine. Libraries of others run in processes of their own; a late answer counts as a problem.
DoctorFacts examine(const MachineAccess& machine, const ProgramFiles& files,
                    std::chrono::milliseconds limit = std::chrono::milliseconds(1500));

}  // namespace clusterwright
