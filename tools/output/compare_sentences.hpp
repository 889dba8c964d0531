// SPDX-License-Identifier: Apache-2.0
/// What the options of `compare` mean, in sentences.
#pragma once

#include <string>
#include <vector>

#include "tools/output/compare_answer.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

/// Fastest, cheapest, least energy of what can be built, with their probabilities; what is rented; reasons of what is
/// missing; what the answer rests on.
std::vector<std::string> compare_sentences(const CompareAnswer& answer);

/// Those of the inputs, of the steps, and of servers that stand in for the ones of an option.
Warnings compare_warnings(const CompareAnswer& answer);

/// Command that looks at the fastest option that can be built; at the fastest one where none can.
std::string next_of(const CompareAnswer& answer);

}  // namespace clusterwright
