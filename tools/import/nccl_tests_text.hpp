// SPDX-License-Identifier: Apache-2.0
/// Runs of nccl-tests from their printed tables.
#pragma once

#include <memory>
#include <vector>

#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

/// The runs of one log or of several, one after the other.
/// @throws ConfigError E0501 for more runs, rows or ranks than the caps allow
std::vector<NcclTestsRun> nccl_tests_text_runs(const std::shared_ptr<const SourceText>& source);

}  // namespace clusterwright
