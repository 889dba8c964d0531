// SPDX-License-Identifier: Apache-2.0
/// Figures of an answer of `plan` in words, for its sentences and its tables.
#pragma once

#include <optional>
#include <string>

#include "tools/output/plan_answer.hpp"

namespace clusterwright {

/// Chance from which on an answer takes a run to be in time.
inline constexpr double likely_in_time = 0.9;

std::string purchase_money(Dollars money);     ///< "$57.61 M"
std::string purchase_days(Seconds time);       ///< "86.8 days"
std::string purchase_power(Watts power);       ///< "1.69 MW"
const char* target_name(PurchaseLimit limit);  ///< "money"

/// Accelerators that are bought, or rented, and that the job leaves idle: those of its nodes and scale-up domains.
int idle_accelerators(const PurchasePlan& plan);

/// Machine of a plan: "640 x MI355X, fp8"; "100 of 160 x B200, fp8" where the job leaves 60 idle.
std::string purchase_name(const PurchasePlan& plan);

/// Money of a plan: "$57.61 M", "at least $57.61 M", "$1.104 M of rent".
std::string purchase_price(const PurchaseFigures& figures);

/// Value of a figure that a target limits. @param chance  to be in time, which the days are shown for
std::string figure_text(const PurchaseFigures& figures, PurchaseLimit limit, double chance = 0.5);
/// Value of a target.
std::string target_text(const PurchaseLimits& limits, PurchaseLimit limit);

/// Paid time of the run of the answer: that of the tokens, or the days that were asked for.
Interval<Seconds> purchase_run_time(const PlanAnswer& answer, const PurchasePlan& plan);
/// Share of that run in the price of the machine.
Dollars purchase_run_price(const PlanAnswer& answer, const PurchasePlan& plan);
/// Rent of the accelerators, with the idle ones of their nodes, over that run, also of rented ones; nothing where the
/// list states none.
std::optional<Dollars> purchase_rent(const PlanAnswer& answer, const PurchasePlan& plan);
/// Such runs, one after the other, for which the rent has cost as much as buying; nothing where it never has.
std::optional<double> break_even_runs(const PlanAnswer& answer, const PurchasePlan& plan);

/// Chance to be in time, if the layout fits in memory. @pre tokens are asked for by a day
double purchase_chance(const PlanAnswer& answer, const PurchasePlan& plan);
/// Chance that the layout fits in memory.
double purchase_fit_chance(const PurchasePlan& plan);

/// Digits behind the point at which a chance below a target of it in percent does not look as if it met the target.
int chance_decimals(const PlanAnswer& answer, double chance);
/// "61 %", with those digits.
std::string chance_text(const PlanAnswer& answer, double chance);

}  // namespace clusterwright
