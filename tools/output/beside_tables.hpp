// SPDX-License-Identifier: Apache-2.0
/// Two jobs on one machine, for people and for machines.
#pragma once

#include <optional>
#include <string>

#include "models/prediction/beside_step.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// The answer with what it is about.
struct BesideAnswer {
  std::string other;  ///< name of the other job's scenario
  BesideStep step;
};

ResultTable beside_table(const BesideAnswer& answer);
/// Where the jobs meet, and what that costs.
std::string beside_sentence(const BesideAnswer& answer);
/// null without an answer.
JsonValue beside_json(const std::optional<BesideAnswer>& answer);

}  // namespace clusterwright
