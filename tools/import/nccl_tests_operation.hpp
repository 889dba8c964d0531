// SPDX-License-Identifier: Apache-2.0
/// Which collective operation a log of nccl-tests measured.
#pragma once

#include <string>
#include <string_view>

#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

/// Our word for a program or operation of nccl-tests: all_to_all for alltoall_perf, send for sendrecv. Our own words
/// stand for themselves. Empty where it is not known.
std::string operation_word(std::string_view name);

/// Our word for the one program of nccl-tests that a line names; empty where there is none, or several.
std::string operation_named_in(std::string_view line);

/// Our word for what an nccl-tests program says that it is, known or not; empty where it says nothing usable.
std::string operation_of_program(std::string_view program);

/// What the run measured: what it says itself, else `wanted`, else what its columns and bandwidths admit.
/// @param wanted  our word, or empty
/// @param ranks   0: not known
/// @throws ConfigError E0340 where the log and `wanted` differ, E0203 where more than one operation remains
std::string operation_of(const NcclTestsRun& run, const std::string& wanted, std::int64_t ranks);

}  // namespace clusterwright
