// SPDX-License-Identifier: Apache-2.0
/// Clusters of one power under different power limits of their accelerators, side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

struct CapOption {
  double share = 1;                    ///< limit of an accelerator over its rating
  std::optional<SizedCluster> filled;  ///< the largest cluster that the power feeds
  std::string reason;                  ///< why there is none
  std::string help;                    ///< what would change that
  std::string hall = {};               ///< file of configs/facilities; empty: the scenario's
};

struct CapComparison {
  Watts grid;
  Watts rating;                    ///< of one accelerator
  std::vector<CapOption> options;  ///< the first one is what gains refer to, if it could be filled
};

/// Whether the job of an option runs.
bool runs(const CapOption& option);

/// A line per limit: accelerators, layout, tokens per second, gain over the first line, energy, money.
ResultTable cap_table(const CapComparison& caps);

/// What is fastest and what is cheapest; or that nothing runs.
std::vector<std::string> cap_sentences(const CapComparison& caps);

/// Warnings about the input, then those of the options that run, each once, with the limits that it holds at.
Warnings cap_warnings(const Warnings& about_input, const CapComparison& caps);

/// The option with the most tokens per second; nullptr if none runs.
const CapOption* fastest(const CapComparison& caps);

JsonValue caps_to_json(const ResultContext& context, const CapComparison& caps);

}  // namespace clusterwright
