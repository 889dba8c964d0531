/// What each host probe would measure, smallest first. Building a plan allocates and measures nothing.
#pragma once

#include <filesystem>
#include <vector>

#include "calibration/host/host_probe_sizes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// Matrix multiplies by Eigen, split over threads by columns or rows, operands in whatever cache they fit: squares, and
/// the shapes of a transformer layer (m tokens). FLOPs are 2 m n k; bytes are those of A, B and C once.
std::vector<PlannedCase> plan_gemm(const HostProbeSizes& sizes);

/// copy (memcpy), add (a = b + c), triad (a = b + 3 c) and read on doubles. Bytes are those of all arrays once; lines
/// that a store fetches first are not counted. Threads work on the stretch of memory that they touched first.
std::vector<PlannedCase> plan_memory(const HostProbeSizes& sizes);

/// What a training step does between its multiplies, fp32, one thread: the kernels of calibration/host/loop. Bytes are
/// those of all arrays once.
std::vector<PlannedCase> plan_kernels(const HostProbeSizes& sizes);

/// Messages to a forked process by TCP over 127.0.0.1 and by a pipe. Time and bytes are of one message, one way.
std::vector<PlannedCase> plan_transfer(const HostProbeSizes& sizes);

/// A file written and flushed; then read after its pages left the page cache ("dropped"; caches of the device and of a
/// hypervisor may still hold them), and read from the page cache ("resident").
/// @param folder  for a file without a name that lives as long as the case
std::vector<PlannedCase> plan_storage(const HostProbeSizes& sizes, const std::filesystem::path& folder);

/// Random records of tokens into a batch buffer, by mmap and by pread, from the page cache and from storage.
std::vector<PlannedCase> plan_loading(const HostProbeSizes& sizes, const std::filesystem::path& folder);

}  // namespace clusterwright
