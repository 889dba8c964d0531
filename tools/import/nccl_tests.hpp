// SPDX-License-Identifier: Apache-2.0
/// Reads the output of nccl-tests programs: text, or the report that -J writes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "calibration/sample_files/probe_samples.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

/// Facts that a log does not hold.
struct NcclTestsImport {
  std::string date;       ///< UTC, such as 2026-11-21T21:04:06Z; empty: not known, as logs have none with a time zone
  std::string operation;  ///< ours or nccl-tests' name; empty: as the log says, or as its columns and bandwidths show
};

/// Samples of the probe "collectives": one for each row and half of it, out of place and in place. The one repetition
/// is the mean of the calls between two looks at the host's clock, whose number is `launches`; the size is the column
/// "size" as it is printed. Host names, processes, bus addresses, arguments and environment are left behind.
///
/// The text may be of several runs, in which launchers, NCCL and terminals left their marks. A row with wrong values is
/// listed as failed; one that is cut off, has no time, or is not of single calls is listed as skipped, and so is the
/// rest of a log that ends early.
/// @throws ConfigError: neither rows nor a report (E0101); an unknown name of an operation, or an ambiguous one
///         (E0203); a date that is none (E0203); GPUs of several kinds, ranks that are listed twice or not spread
///         evenly, a name that the log contradicts (E0340); a file that is missing (E0401) or larger than 64 MiB, too
///         many rows (E0501)
ProbeSamples read_nccl_tests(const std::filesystem::path& path, const NcclTestsImport& options);

/// Reads the samples from a text in memory.
ProbeSamples read_nccl_tests(const std::shared_ptr<const SourceText>& source, const NcclTestsImport& options);

}  // namespace clusterwright
