// SPDX-License-Identifier: Apache-2.0
/// Random records of a file of tokens.
#pragma once

#include <filesystem>
#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// Random records of tokens into a batch buffer, by mmap and by pread, from the page cache and from storage.
std::vector<PlannedCase> plan_loading(const HostProbeSizes& sizes, const std::filesystem::path& folder);

}  // namespace clusterwright
