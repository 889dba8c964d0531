// SPDX-License-Identifier: Apache-2.0
/// Libraries that measurements need, each asked in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibration/host/echo_process.hpp"
#include "tools/doctor/machine_access.hpp"

namespace clusterwright {

struct GuardedAnswer {
  enum class Outcome {
    answered,
    failed,  ///< threw, crashed, or no process was to be had
    late
  };
  Outcome outcome = Outcome::failed;
  std::string text;
};

/// Start the calls before any thread: a forked process has only the thread that forked it.
class GuardedCalls {
 public:
  /// @param limit  from now on, for all calls together
  explicit GuardedCalls(std::chrono::milliseconds limit);
  ~GuardedCalls();  ///< ends those that still run, without waiting for a driver that holds them
  GuardedCalls(const GuardedCalls&) = delete;
  GuardedCalls& operator=(const GuardedCalls&) = delete;

  /// Runs a call in a process of its own, without standard input and output, and without a core file. @return its
  /// number
  std::size_t start(const std::function<std::string()>& call);

  /// Waits for one call until the limit.
  GuardedAnswer answer(std::size_t number);

 private:
  struct Call {
    pid_t process = -1;
    Descriptor reads;
  };
  std::chrono::steady_clock::time_point end_;
  std::vector<Call> calls_;
};

enum class LibraryId { cuda_driver, cuda_runtime, cublaslt, nccl, cudnn, mpi };
inline constexpr std::size_t library_count = 6;

/// Library to look for.
struct LibraryKind {
  LibraryId id;
  const char* name;     ///< name for people
  const char* purpose;  ///< purpose as in a finding
  const char* remedy;
};
std::span<const LibraryKind> library_kinds();  ///< kinds in the order of LibraryId

struct LibraryFound {
  bool found = false;
  std::string file;     ///< "libnccl.so.2"
  std::string folder;   ///< folder as in `Located::call`; empty: the loader finds it
  std::string version;  ///< "2.27.3"; empty: unknown
};

/// Opens the library and calls nothing but the function that gives its version. May hang or crash with a broken
/// library: call it in another process.
LibraryFound ask_library(const MachineAccess& machine, LibraryId id);

/// Library as one text, and back.
std::string write_library(const LibraryFound& library);
LibraryFound read_library(const std::string& text);

}  // namespace clusterwright
