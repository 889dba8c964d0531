// SPDX-License-Identifier: Apache-2.0
/// Origin of a result, which every format shows: command, seed, inputs, scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Head of every JSON result: schema version, tool, command, seed and the hashes of its inputs.
JsonValue result_header(const std::string& command, std::uint64_t seed, const std::vector<InputFile>& inputs);

/// Line in place of a job's, for machines without one.
inline constexpr const char* no_job_words = "No job: nodes draw their typical power";

struct ResultContext {
  std::string command;       ///< "run"
  std::string command_line;  ///< command line as typed, for repetition
  std::uint64_t seed = 0;
  std::string transformer;  ///< "llama3-405b"
  std::string accelerator;  ///< "H100-SXM"
  std::string cluster;      ///< "llama3-report"
  std::string job;          ///< "pretrain, 8,192 tokens, global batch 2,048, bf16, zero2, megatron-2024"
  Bytes memory_capacity;    ///< memory of one accelerator
  std::vector<InputFile> inputs;
  std::vector<std::string> warnings;  ///< about the input; every output shows them
  JsonValue scenario;                 ///< effective: references resolved, settings applied, defaults filled in
};

ResultContext make_result_context(const Scenario& scenario, std::string command, std::string command_line,
                                  std::uint64_t seed);
/// Origin of a result about a machine without a job. Its inputs and warnings are the caller's to add.
ResultContext make_result_context(const Cluster& cluster, std::string command, std::string command_line,
                                  std::uint64_t seed);

}  // namespace clusterwright
