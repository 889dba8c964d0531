// SPDX-License-Identifier: Apache-2.0
/// Folders of shipped data.
#pragma once

#include <filesystem>

namespace clusterwright::testing {

inline const std::filesystem::path configs = CLUSTERWRIGHT_CONFIGS;
inline const std::filesystem::path measurements = CLUSTERWRIGHT_MEASUREMENTS;

}  // namespace clusterwright::testing
