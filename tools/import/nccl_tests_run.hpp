// SPDX-License-Identifier: Apache-2.0
/// Output of one run of an nccl-tests program, as text or as JSON, and the operation that it measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// A GPU that takes part. The host and the process serve to count nodes and processes and go no further.
struct NcclTestsRank {
  std::int64_t rank = 0;
  std::int64_t stands_for = 1;  ///< ranks of its process that are not listed themselves
  std::int64_t group = 0;       ///< number of its group, of several at once
  std::int64_t process = 0;
  std::string host;
  std::string gpu;
  Place place;
};

/// One half of a row: out of place, or in place.
struct NcclTestsResult {
  std::int64_t bytes = 0;  ///< the column "size"
  std::int64_t count = 0;  ///< elements; 0 if not printed
  std::string type;        ///< float, half, ...
  std::string reduction;   ///< sum, ...; empty where nothing is reduced
  bool rooted = false;     ///< one rank sends or receives everything
  bool in_place = false;
  bool cpu_time = false;  ///< the time to launch, not that of the operation
  double time_us = 0;     ///< may be zero or not a number
  double algorithm_gb_per_s = 0;
  double bus_gb_per_s = 0;
  std::optional<double> wrong;      ///< values; empty where they were not checked
  std::optional<double> deviation;  ///< largest, of versions that print it instead of `wrong`
  Place place;
};

/// A row that is there in part.
struct NcclTestsCutRow {
  std::string what, reason;
};

struct NcclTestsRun {
  std::string operation;  ///< our word; empty where nothing names it
  Place named_at;
  std::string version;            ///< version of nccl-tests; empty if not printed
  std::int64_t nccl_version = 0;  ///< 22907; 0 where it is not printed
  std::int64_t gpus_per_process = 1;
  std::int64_t iterations = 20;  ///< the default of nccl-tests
  std::int64_t aggregated = 1;   ///< operations that are launched as one
  std::int64_t graph_launches = 0;
  std::int64_t largest_bytes = 0;  ///< largest requested size; 0 if not printed
  /// Ranks, shared by all runs whose tables follow one list of devices. Never null.
  std::shared_ptr<std::vector<NcclTestsRank>> ranks = std::make_shared<std::vector<NcclTestsRank>>();
  std::vector<NcclTestsResult> results;
  std::vector<NcclTestsCutRow> cut;
  std::int64_t out_of_bounds = 0;  ///< wrong values of the whole run
  bool concluded = false;
  Place place;  ///< first line of the run
};

/// How the columns of a row contradict each other beyond the digits that are printed, or empty: size against count and
/// type, bandwidth against size and time, bus bandwidth against the other.
std::string contradiction_in(const std::string& operation, std::int64_t ranks, const NcclTestsResult& row);

/// Number of calls or GPUs in a log, clamped to a plausible range.
inline std::int64_t bounded_count(std::int64_t count, std::int64_t least) {
  constexpr std::int64_t most = 1'000'000;
  return count < least ? least : count > most ? most : count;
}

/// Processes of nccl-tests drive several GPUs each: threads times the GPUs of one.
inline std::int64_t product_of(std::int64_t threads, std::int64_t gpus) {
  constexpr std::int64_t most = 1 << 10;
  return std::min(bounded_count(threads, 1), most) * std::min(bounded_count(gpus, 1), most);
}

inline constexpr std::int64_t largest_rank = 1 << 24;

/// Name of a device: at most 120 printable characters, without blanks around them.
std::string device_name(std::string_view text);

/// Our word for a program or operation of nccl-tests: all_to_all for alltoall_perf, send for sendrecv. Our own words
/// stand for themselves. Empty where it is not known.
std::string operation_word(std::string_view name);

/// Our word for the one program of nccl-tests that a line names; empty where there is none, or several.
std::string operation_named_in(std::string_view line);

/// Our word for the name that an nccl-tests program gives itself, known or not; empty without a usable name.
std::string operation_of_program(std::string_view program);

/// Operation of the run: as it states, else `wanted`, else as its columns and bandwidths allow.
/// @param wanted  our word, or empty
/// @param ranks   0: not known
/// @throws ConfigError E0340 where the log and `wanted` differ, E0203 where more than one operation remains
std::string operation_of(const NcclTestsRun& run, const std::string& wanted, std::int64_t ranks);

}  // namespace clusterwright
