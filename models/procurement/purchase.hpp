// SPDX-License-Identifier: Apache-2.0
/// Machines that may be bought for a training run: what each would take, and which of them nobody should take.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/search/best_plan.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/interval.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Nodes of one kind with GEMMs in one format under one power limit.
struct MachineChoice {
  std::string node;                        ///< id in the catalog
  std::string accelerator;                 ///< id in the catalog
  std::string precision;                   ///< "bf16", "fp8"; empty: as the job says
  double cap = 1;                          ///< power limit of an accelerator over its rating
  std::string variant = {};                ///< in words, "taper=2"; empty: as the job says
  std::vector<std::string> settings = {};  ///< that make the variant, as --set takes them

  bool operator==(const MachineChoice&) const = default;
};

/// Way in which the money of purchases is compared.
struct MoneyTerms {
  bool by_run = false;                    ///< a rented machine takes part: all rank by the money of the run
  std::optional<Seconds> paid_time = {};  ///< of every machine; none: that of its run
};

/// What a purchase is weighed by.
struct PurchaseFigures {
  Interval<Seconds> time;   ///< paid time of the whole run: steps and the losses that the price list states
  Interval<Dollars> money;  ///< everything that is bought, with prices at the low, typical and high end
  Watts power;              ///< from the grid on the design day, everything at its nameplate or limit
  int racks = 0;
  Dollars run = {};          ///< accelerator-hours of the run at the price of one
  bool rented = false;       ///< nothing is bought, and `money` is zero
  bool lower_bound = false;  ///< parts, or the rent, have no price: what they cost is not in the money
  bool by_run = false;       ///< the money of the run ranks, not that of the purchase
};

/// Typical dollars that rank a purchase.
Dollars ranked_money(const PurchaseFigures& figures);
/// Typical dollars that a budget has to cover: everything that is bought; of rented machines the run.
Dollars spent_money(const PurchaseFigures& figures);

/// Targets; absent ones are met.
struct PurchaseLimits {
  std::optional<Seconds> time;
  std::optional<Dollars> money;
  std::optional<Watts> power;
  std::optional<int> racks;
  double chance = 0.5;  ///< that the run is in time; 0.5: its typical time counts
};

/// A machine of one size with the shortest step that a search of its layouts finds.
struct PurchasePlan {
  MachineChoice machine;
  int accelerators = 0;
  PurchaseFigures figures;
  std::shared_ptr<const SizedCluster> sized;
  std::vector<std::string> settings;  ///< of the job and its layout, as --set takes them
  /// Replayed layout of a plan whose interval of the time is not complete yet (MachineLine::completed).
  std::shared_ptr<const DecidedPlan> decided = nullptr;
  int stated_batch = 0;  ///< sequences of a global batch by the job, before it was fitted to the accelerators
};

/// One of the targets.
enum class PurchaseLimit { time, money, power, racks };
inline constexpr std::size_t purchase_limit_count = 4;

bool is_set(const PurchaseLimits& limits, PurchaseLimit limit);
bool has_target(const PurchaseLimits& limits);

/// Value over limit; 0 where there is no limit. Of a lower bound of the money the least share.
double used_share(const PurchaseFigures& figures, const PurchaseLimits& limits, PurchaseLimit limit);
/// Whether no limit is exceeded for sure. A lower bound within the budget leaves open whether the price is.
bool meets(const PurchaseFigures& figures, const PurchaseLimits& limits);
/// The same without one of the limits.
PurchaseLimits without(PurchaseLimits limits, PurchaseLimit dropped);

/// What a purchase is to be least in. `racks` is asked for only where nothing meets a target of them.
enum class PurchaseObjective { cost, time, power, racks };

/// Objective that a target limits.
PurchaseObjective objective_on(PurchaseLimit limit);

/// Typical dollars that rank it, seconds or watts; or racks.
double objective_of(const PurchaseFigures& figures, PurchaseObjective objective);

/// Whether missing prices leave open that a purchase is what is asked for: least in money, or within a budget.
bool is_open(const PurchaseFigures& figures, PurchaseObjective objective, const PurchaseLimits& limits);

/// Place in the order of an objective, the best first. Purchases that missing prices leave open come last.
struct PurchaseRank {
  bool open = false;
  double value = 0;

  auto operator<=>(const PurchaseRank&) const = default;
};
PurchaseRank rank_of(const PurchaseFigures& figures, PurchaseObjective objective, const PurchaseLimits& limits);

/// Whether someone who asks for the least would look at a plan beside others: it takes no more than three times the
/// least of them, or a target of what is asked for says how far. Others that missing prices leave open do not count.
bool is_of_interest(const PurchaseFigures& figures, const std::vector<PurchasePlan>& others,
                    const PurchaseLimits& limits, PurchaseObjective objective);

/// Whether `a` is as good as `b` in time, money and power, and better in one of them. A lower bound may be dominated
/// and never dominates.
bool dominates(const PurchaseFigures& a, const PurchaseFigures& b);

/// The same of plans. A lower bound dominates one of the same node with as many accelerators or more: the parts without
/// a price are the same, and no fewer.
bool dominates(const PurchasePlan& a, const PurchasePlan& b);

/// Plans that no other one dominates, the cheapest first; of equal ones the first. Lower bounds come last.
std::vector<PurchasePlan> frontier_of(std::vector<PurchasePlan> plans);

/// For each accelerator the plan that ranks first in the objective, the first of all first.
std::vector<PurchasePlan> best_by_accelerator(std::vector<PurchasePlan> plans, PurchaseObjective objective,
                                              const PurchaseLimits& limits = {});

/// Time that a run exceeds with the chance 1 - `chance`. The interval of the time is that of a lognormal distribution.
/// @pre 0 < chance < 1
Seconds time_at_chance(const Interval<Seconds>& time, double chance);

/// Chance that the run takes no longer, likewise.
double chance_in_time(const Interval<Seconds>& time, Seconds limit);

/// Chance that a job fits in memory: bytes that do not follow from the number of parameters alone are lognormal, and
/// `range` is their 90 % interval.
double chance_to_fit(const MemoryUse& use, const MemoryRange& range, Bytes capacity);

/// Runs one after the other for which rent has cost as much as buying. @param months  of the calendar until then, with
/// the machine in use for the share `utilisation` of them
double runs_to_break_even(double months, double utilisation, Seconds run);

}  // namespace clusterwright
