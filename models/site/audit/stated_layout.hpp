// SPDX-License-Identifier: Apache-2.0
/// Degrees in the words of a claim on the layout.
#pragma once

#include <optional>
#include <string>

namespace clusterwright {

/// Degrees that a claim states; absent ones are left to the job.
struct StatedLayout {
  std::optional<int> tensor, pipeline, context, data, expert;
};

/// Reads all of "TP8 x PP4", "TP=8, PP=4", "8-way tensor, 4-way pipeline" or "tensor 8 and pipeline 4".
/// @return nothing where a word has no meaning, a degree is missing or given twice, or none is given
std::optional<StatedLayout> read_layout(const std::string& words);

}  // namespace clusterwright
