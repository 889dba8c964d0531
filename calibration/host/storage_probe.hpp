// SPDX-License-Identifier: Apache-2.0
/// Writing and reading a file.
#pragma once

#include <filesystem>
#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// File written and flushed; then read after its pages left the page cache ("dropped"; caches of the device and of a
/// hypervisor may still hold them), and read from the page cache ("resident").
/// @param folder  place of a file without a name that lives as long as the case
std::vector<PlannedCase> plan_storage(const HostProbeSizes& sizes, const std::filesystem::path& folder);

}  // namespace clusterwright
