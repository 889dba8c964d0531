// SPDX-License-Identifier: Apache-2.0
/// Answer of `share`: what each job gets of one power, by division.
#pragma once

#include <string>
#include <vector>

#include "models/site/sizing/shared_power.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

/// A job with the words that open its scenario on a command line, and those before a --gpus.
struct NamedJob {
  std::string name;
  std::string words, unsized_words;
  ResultContext context;
};

struct ShareAnswer {
  std::vector<NamedJob> jobs;
  Watts budget;
  SharedPower shared;
};

std::string share_title(const ShareAnswer& answer);
/// A line for each job under each division.
ResultTable share_table(const ShareAnswer& answer);
std::vector<std::string> share_sentences(const ShareAnswer& answer);
/// Command that predicts the first job that the best division limits or makes smaller; else the first one.
std::string share_confirmation(const ShareAnswer& answer);
Warnings share_warnings(const ShareAnswer& answer);
JsonValue share_to_json(const ShareAnswer& answer);

}  // namespace clusterwright
