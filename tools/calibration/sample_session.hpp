// SPDX-License-Identifier: Apache-2.0
/// Sample files of one machine, and the part of the catalog that they belong to.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/sample_rows.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/parameters.hpp"
#include "models/job/scenario.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

struct SampleSession {
  std::vector<ProbeSamples> samples;  ///< samples of one kind of device
  std::vector<std::string> left_out;  ///< files that were read and not used, in words
  std::vector<InputFile> inputs;
  AcceleratorPart part;  ///< part of the catalog; for a host: its own best rates
  ParameterSet base;     ///< prior: parameters without the samples
};

struct SampleSessionRequest {
  std::vector<std::string> paths;  ///< files, and folders of them
  std::string accelerator;         ///< catalog id; empty: by the name that the driver gave
  std::string base;                ///< a parameter file; empty: the one that `run` would take
  std::int64_t threads = 0;        ///< threads of a host; 0: the most that ran
};

/// Opens samples. Samples of a GPU replace those of its host, which are listed as not used.
/// @throws ConfigError for files that are missing, hold no samples, or are of several kinds of GPU; for a GPU that the
///         catalog does not know
SampleSession open_samples(const SampleSessionRequest& request);

/// "own samples of H200 (gpu_probe, 2026-11-21, driver 580.1)": for the source of every number.
std::string origin_of(const SampleSession& session);

/// Links of a cluster or scenario file; for an empty path: links of the accelerator's data sheet, no network.
/// @throws ConfigError E0340 if samples cross nodes and no cluster is given
SampledLinks links_of(const std::string& cluster, const SampleSession& session);

}  // namespace clusterwright
