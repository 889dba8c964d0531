// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "calibration/fit/sample_rows.hpp"
#include "tools/calibration/sample_session.hpp"

namespace clusterwright {

/// Links of a cluster or scenario file; of an empty path: those of the accelerator's data sheet, no network.
/// @throws ConfigError E0340 if samples cross nodes and nothing says over what
SampledLinks links_of(const std::string& cluster, const SampleSession& session);

}  // namespace clusterwright
