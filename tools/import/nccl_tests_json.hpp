// SPDX-License-Identifier: Apache-2.0
/// Runs of nccl-tests from their JSON report.
#pragma once

#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

/// The run of one report (-J). Of its arguments only the name of the program is read; of its environment nothing.
/// @throws ConfigError E0101 where it is no report of nccl-tests
NcclTestsRun nccl_tests_json_run(const JsonValue& report);

}  // namespace clusterwright
