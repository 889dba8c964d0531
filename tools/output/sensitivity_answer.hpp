// SPDX-License-Identifier: Apache-2.0
/// Answer of `sensitivity`: what 10 % more of each resource and price does.
#pragma once

#include <string>
#include <vector>

#include "models/comparison/compared_option.hpp"
#include "models/comparison/price_sensitivity.hpp"
#include "models/comparison/resource_worth.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

struct SensitivityAnswer {
  ResultContext context;
  ComparedOption option;
  ResourceWorths worths;
  std::vector<PriceSensitivity> prices;
  std::string next;  ///< command to look further with
};

ResultTable resource_table(const SensitivityAnswer& answer);
/// No rows without a price of tokens.
ResultTable price_table(const SensitivityAnswer& answer);
std::vector<std::string> sensitivity_sentences(const SensitivityAnswer& answer);
JsonValue sensitivity_to_json(const SensitivityAnswer& answer);

/// Page with both as tornados.
std::string sensitivity_page(const SensitivityAnswer& answer);

/// "Llama 3.1 70B on 1,024 x H100-SXM (llama3-70b): what 10 % more of each resource does".
std::string sensitivity_title(const SensitivityAnswer& answer);

}  // namespace clusterwright
