// SPDX-License-Identifier: Apache-2.0
/// Questions of the doctor to a machine, as functions: tests make up machines of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/host/host_machine.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Addresses of an open library by their symbols, nullptr for unknown ones. Empty: there is no such library.
using LibrarySymbols = std::function<void*(const char* symbol)>;

struct TempFolder {
  bool in_memory = false;  ///< tmpfs or ramfs
  Bytes free;
  std::string problem;  ///< reason that probes cannot keep a file there; empty: they can
};

struct MachineAccess {
  std::function<LibrarySymbols(const std::string& file)> open_library;  ///< opens a library by name or by path
  std::function<std::string(const std::filesystem::path&)>
      read_file;  ///< first 64 KiB of a file; empty if there is none
  std::function<std::vector<std::string>(const std::filesystem::path&)> list_folder;  ///< names, sorted
  std::function<bool(const std::filesystem::path&)> is_program;                       ///< a file that may be run
  std::function<std::string(const char* name)> environment;                           ///< empty if not set
  std::function<HostMachine()> host;
  std::function<TempFolder()> temp_folder;
  std::filesystem::path program;  ///< the file of this program
};

/// The machine that this runs on. Libraries stay open: to unload those of others is not safe.
MachineAccess this_machine();

/// A folder or a file, and how a user would write it; values of environment variables stay out of that.
struct Located {
  std::filesystem::path path;
  std::string call;  ///< "nvcc", "/usr/local/cuda/bin/nvcc", "$CUDA_HOME/bin/nvcc"
};

/// Program in PATH.
std::optional<Located> find_program(const MachineAccess& machine, const std::string& name);

/// Usual folders of CUDA Toolkits: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*, /opt/cuda. They may not
/// exist.
std::vector<Located> cuda_folders(const MachineAccess& machine);

/// The program that measures GPUs: named by $CLUSTERWRIGHT_GPU_PROBE, beside this program, in its build folder, in
/// PATH, in other build folders, in the root of the project.
/// @param root  of the project; empty: not known
/// @return `call` is the place in words; nothing also if the variable names no program
std::optional<Located> look_for_gpu_probe(const MachineAccess& machine, const std::filesystem::path& root);

}  // namespace clusterwright
