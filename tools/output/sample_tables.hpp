// SPDX-License-Identifier: Apache-2.0
/// Step times over many draws, for people and for machines.
#pragma once

#include <optional>
#include <string>

#include "models/prediction/step_draws.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

ResultTable samples_table(const SampledSteps& samples);
/// What the table leaves out; empty if nothing.
std::string samples_sentence(const SampledSteps& samples);

/// null without samples.
JsonValue samples_json(const std::optional<SampledSteps>& samples);

}  // namespace clusterwright
