// SPDX-License-Identifier: Apache-2.0
/// Questions of `plan` that are refused at their option, before anything is planned. All throw ConfigError.
#pragma once

#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "models/procurement/purchase_search.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

/// Refuses a question that nothing limits.
void check_question(const PlanRequest& request, const PurchaseLimits& limits);

/// Refuses settings of what an option of plan gives, or plan chooses: tokens, nodes, formats, hall.
void check_given_once(const PlanRequest& request, const std::vector<MachineChoice>& machines);

/// Tokens of a run: at least a million, since a number without its unit is a slip of the finger.
double parse_tokens(const std::string& text);

/// Refuses fewer tokens than those of one global batch.
void check_tokens(const PlanRequest& request, const PurchaseRequest& asked, double tokens);

/// Refuses limits of --caps that no driver of the machines takes.
void check_caps(const PlanRequest& request, const std::vector<MachineChoice>& machines, const Catalog& catalog);

/// Refuses a budget that buys not one node, which a number without its unit often is.
void check_budget(const PlanRequest& request, const PurchaseLimits& limits, const std::vector<MachineChoice>& machines,
                  const Catalog& catalog, const PriceList& prices);

/// Setting of --hall, as --set takes it.
std::string setting_of_hall(const std::string& hall);

/// Refuses a value of --vary that means nothing: of a machine it would be a reason.
void check_variants(const PurchaseRequest& asked);

/// Refuses a hall that does not exist at its option: of a machine it would be a reason.
void check_hall(const PlanRequest& request, const PurchaseRequest& asked);

}  // namespace clusterwright
