// SPDX-License-Identifier: Apache-2.0
/// Answer of `plan`: what was asked, and what may be bought.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/procurement/purchase_search.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

struct PlanAnswer {
  std::string model;             ///< name of the transformer
  std::string job;               ///< in words
  std::optional<double> tokens;  ///< of the run; none: asked for
  PurchaseLimits limits;
  PurchaseObjective objective = PurchaseObjective::cost;
  bool fastest_by_default = false;  ///< the objective is the time since nothing else was said
  PurchaseAnswer found;
  double goodput = 1;  ///< of the price list
  std::string prices;  ///< name and date of the price list
  std::vector<InputFile> inputs;
  std::vector<std::string> confirm;  ///< command that confirms each plan of the frontier, or of the misses
};

/// Tokens that a plan trains: those of the question, or those of the whole steps in the time that was asked for.
double purchase_tokens(const PlanAnswer& answer, const PurchasePlan& plan);
double trillion_tokens(const PlanAnswer& answer, const PurchasePlan& plan);

/// Plans that the answer shows: the frontier, else the misses; and the place of the best.
std::vector<PurchasePlan> shown_plans(const PlanAnswer& answer);
std::size_t place_of_best(const PlanAnswer& answer);

/// Whether missing prices leave open that a plan is what was asked for, so that it is not called the best.
bool is_open(const PlanAnswer& answer, const PurchasePlan& plan);

/// Time by which one purchase may come later than another one, and still be done with it for no more money.
struct AllowedDelay {
  Seconds time;
  std::optional<PurchasePlan> instead;  ///< size that would be bought then; none: one that is larger in proportion
};
/// Delay until the end of the run on the dearer machine. The size is the fastest of the frontier for its money. Nothing
/// where no delay is left, a price is not whole, or something is rented. @param than  the dearer one
std::optional<AllowedDelay> delay_allowed(const PlanAnswer& answer, const PurchasePlan& plan, const PurchasePlan& than);

/// Question in a line: "15 T tokens in 90 days within $150 M and 8 MW".
std::string question_text(const PlanAnswer& answer);
/// A line per plan. @param rows  of shown_plans(); all if 0
ResultTable purchase_table(const PlanAnswer& answer, std::size_t rows);
/// Best plan of each accelerator.
ResultTable accelerator_table(const PlanAnswer& answer);
JsonValue plan_to_json(const PlanAnswer& answer);

}  // namespace clusterwright
