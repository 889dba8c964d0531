// SPDX-License-Identifier: Apache-2.0
/// Libraries that measurements need: whether they are there, and their version by their own word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/doctor/machine_access.hpp"

namespace clusterwright {

enum class LibraryId { cuda_driver, cuda_runtime, cublaslt, nccl, cudnn, mpi };
inline constexpr std::size_t library_count = 6;

/// What is known of a library before looking.
struct LibraryKind {
  LibraryId id;
  const char* name;     ///< for people
  const char* purpose;  ///< as of a finding
  const char* remedy;
};
std::span<const LibraryKind> library_kinds();  ///< in the order of LibraryId

struct LibraryFound {
  bool found = false;
  std::string file;     ///< "libnccl.so.2"
  std::string folder;   ///< as `Located::call`; empty: where the loader looks by itself
  std::string version;  ///< "2.27.3"; empty: it does not say
};

/// Opens the library and calls nothing but the function that gives its version. May hang or crash with a broken
/// library: call it aside.
LibraryFound ask_library(const MachineAccess& machine, LibraryId id);

/// As one text, and back.
std::string write_library(const LibraryFound& library);
LibraryFound read_library(const std::string& text);

}  // namespace clusterwright
