// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/machine_access.hpp"

#include <dlfcn.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "calibration/host/probe_case.hpp"
#include "calibration/host/scratch_file.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

constexpr Bytes largest_probe_file = 256 * mebibyte;

LibrarySymbols open_library(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) return {};
  return [library](const char* symbol) { return dlsym(library, symbol); };
}

std::string begin_of(const fs::path& path) {
  std::string text(64 * 1024, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool may_run(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Makes a file without a name there, which is gone at once.
TempFolder look_at_temp_folder() {
  TempFolder out;
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  struct statfs about {};
  if (error || statfs(folder.c_str(), &about) != 0) {
    out.problem = "there is no temporary folder";
    return out;
  }
  const auto kind = static_cast<unsigned long>(about.f_type);
  out.in_memory = kind == TMPFS_MAGIC || kind == RAMFS_MAGIC;
  out.free = static_cast<double>(about.f_bavail) * static_cast<double>(about.f_bsize) * byte;
  try {
    ScratchFile(folder, largest_probe_file);
  } catch (const ProbeFailure& failure) {
    out.problem = failure.what();
  }
  return out;
}

/// Absolute folders of PATH.
std::vector<fs::path> path_folders(const MachineAccess& machine) {
  const std::string text = machine.environment("PATH");
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (text[begin] == '/') folders.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

}  // namespace

MachineAccess this_machine() {
  MachineAccess out;
  out.open_library = open_library;
  out.read_file = begin_of;
  out.list_folder = names_in;
  out.is_program = may_run;
  out.environment = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  out.host = find_host_machine;
  out.temp_folder = look_at_temp_folder;
  std::error_code error;
  out.program = fs::read_symlink("/proc/self/exe", error);
  return out;
}

std::optional<Located> find_program(const MachineAccess& machine, const std::string& name) {
  for (const fs::path& folder : path_folders(machine))
    if (machine.is_program(folder / name)) return Located{folder / name, name};
  return std::nullopt;
}

std::vector<Located> cuda_folders(const MachineAccess& machine) {
  std::vector<Located> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string value = machine.environment(variable); value.starts_with('/'))
      out.push_back({value, std::string("$") + variable});
  out.push_back({"/usr/local/cuda", "/usr/local/cuda"});
  std::vector<std::string> names = machine.list_folder("/usr/local");
  std::reverse(names.begin(), names.end());  // newer versions first
  for (const std::string& name : names)
    if (name.starts_with("cuda-")) out.push_back({"/usr/local/" + name, "/usr/local/" + name});
  out.push_back({"/opt/cuda", "/opt/cuda"});
  return out;
}

std::optional<Located> look_for_gpu_probe(const MachineAccess& machine, const fs::path& root) {
  const fs::path name = "gpu_probe", below = "calibration/probes";
  if (const fs::path given = machine.environment("CLUSTERWRIGHT_GPU_PROBE"); !given.empty()) {
    if (!machine.is_program(given)) return std::nullopt;
    return Located{given, "named by CLUSTERWRIGHT_GPU_PROBE"};
  }
  const fs::path own = machine.program.parent_path();
  std::vector<Located> places = {{own / name, "beside this program"},
                                 {own.parent_path() / below / name, "in this program's build folder"}};
  if (const auto found = find_program(machine, name)) places.push_back({found->path, "in PATH"});
  if (!root.empty()) {
    for (const std::string& build : machine.list_folder(root / "build"))
      places.push_back({root / "build" / build / below / name, "in build/" + build + "/" + below.string()});
    places.push_back({root / name, "in the root of the project"});
  }
  for (const Located& place : places)
    if (machine.is_program(place.path)) return place;
  return std::nullopt;
}

}  // namespace clusterwright
