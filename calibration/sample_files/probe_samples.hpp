// SPDX-License-Identifier: Apache-2.0
/// Raw samples of a probe program, one JSON document: subjects and every repetition.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_device.hpp"
#include "calibration/sample_files/probe_what.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

enum class ProbeSuite { quick, full };
struct ProbeSample {
  ProbeWhat what;
  Flops flops;                       ///< operations of one call
  Bytes bytes;                       ///< bytes moved by one call
  std::vector<Seconds> repetitions;  ///< time of one call, in the order they ran, without warm-up
  std::int64_t launches = 1;         ///< calls between two readings of the clock
  std::string mode;                  ///< burst, sustained; empty on a host
  std::string clock;                 ///< "host" where the host times a GPU
  Seconds held;                      ///< time that a device was held in one state without calls
  std::optional<Watts> mean_power;
  DeviceState state;
  PowerTrace trace;
};

struct SkippedProbe {
  std::string probe;
  JsonValue what;  ///< as a sample's "what", or a text; {} for the whole probe
  std::string reason;
};

struct ProbeSamples {
  std::string tool;
  std::string date;  ///< UTC, 2026-11-21T21:04:06Z; empty if not recorded
  ProbeSuite suite = ProbeSuite::quick;
  ProbeDevice device;
  std::vector<ProbeSample> samples;
  std::vector<SkippedProbe> skipped;
  std::vector<SkippedProbe> failed;  ///< "errors": subjects that a GPU probe could not finish
};

/// Whether a text is a time that exists, in the form 2026-11-21T21:04:06Z.
bool is_utc_time(std::string_view text);

/// Number of repetitions below which their spread is unknown.
inline constexpr std::size_t least_repetitions = 3;

/// Samples of a document of a host or a GPU probe. A document without samples is valid; the device of a GPU may be null
/// then.
/// @throws ConfigError with all errors: no JSON or cut off (E0101), unknown or missing keys (E0102, E0104), wrong types
///         and words (E0201, E0203), times that are not > 0 or too few of them (E0202), flops, bytes or threads that
///         contradict "what" or the device (E0340, once all else is right), a file that cannot be read (E0401)
ProbeSamples read_probe_samples(const std::filesystem::path& path);

/// Samples of a document that is already read.
ProbeSamples read_probe_samples(const JsonValue& document);

/// Document that `read_probe_samples` reads. Times are rounded to a tenth of a nanosecond.
JsonValue write_probe_samples(const ProbeSamples& samples);

struct SampleStatistics {
  Seconds median;
  Seconds spread;  ///< median distance from the median (MAD), not scaled to a standard deviation
  /// First repetition over the median of the others. Far above 1: too little warm-up; below 1: throttling.
  double first_against_rest = 1;
};

/// @throws std::invalid_argument without repetitions; one alone has spread 0 and no drift
SampleStatistics statistics_of(const std::vector<Seconds>& repetitions);

/// Operations or bytes of one call over its median time; zero for samples without any.
FlopsPerSecond median_rate(const ProbeSample& sample);
BytesPerSecond median_bandwidth(const ProbeSample& sample);

}  // namespace clusterwright
