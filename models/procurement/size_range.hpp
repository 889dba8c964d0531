// SPDX-License-Identifier: Apache-2.0
/// Range of sizes of one machine that meet targets, and sizes that may be better than what is known.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/procurement/machine_line.hpp"
#include "models/procurement/purchase.hpp"

namespace clusterwright {

/// Plans that meet all targets, as the sizes of other machines are held against them.
struct KnownPurchases {
  std::vector<PurchasePlan> frontier;
  std::map<std::string, PurchaseRank> least;  ///< first in the objective, by accelerator
  bool best_alone = false;                    ///< only sizes that may be better than every known plan are of use

  /// Rank that a size of an accelerator has to beat; nothing where it is the first.
  std::optional<PurchaseRank> to_beat(const std::string& accelerator) const;
};

/// @param plans  that meet all targets
KnownPurchases known_purchases(std::vector<PurchasePlan> plans, PurchaseObjective objective,
                               const PurchaseLimits& limits);

/// What the sizes of a machine are searched for.
struct SizeQuestion {
  const PurchaseLimits& limits;
  PurchaseObjective objective;
  std::function<bool()> stop;  ///< asked between plans; may be empty
};

/// Ends of a range of sizes.
enum class SizeEnd { least_in_time, largest_within };

/// Search of the sizes of one machine. Sizes grow at best linearly from planned ones, plus 8 %.
class SizeRange {
 public:
  SizeRange(MachineLine& line, SizeQuestion question) : line_(line), question_(std::move(question)) {}

  /// One plan, near the size that the time asks for.
  const std::optional<PurchasePlan>& first_plan() { return plan_at(start()); }
  /// Time of a plan if it grew linearly to all that money, power and racks grant; 0 where none of them grows.
  Seconds time_at_limits(const PurchasePlan& plan) const;

  /// Rung of an end, as far as a size may still help. Nothing where there is none, or no target sets this end.
  std::optional<std::size_t> find(SizeEnd end, const KnownPurchases& known);
  /// Whether a target sets this end.
  bool is_limited(SizeEnd end) const;

  /// Whether a size may meet all targets and no known plan be better in all.
  bool may_be_on_frontier(std::size_t rung, const KnownPurchases& known) const;
  /// Whether a size may be the best of its accelerator.
  bool may_lead(std::size_t rung, const KnownPurchases& known) const;
  /// Whether any size may, or be the best of its accelerator, which only the best end can be. Always where nothing that
  /// meets all targets is known, and before two plans are: a single one may be far slower than its neighbours.
  bool any_may_help(SizeEnd end, const KnownPurchases& known) const;
  /// End that holds what is best in the objective.
  SizeEnd best_end() const {
    return question_.objective == PurchaseObjective::time ? SizeEnd::largest_within : SizeEnd::least_in_time;
  }
  SizeEnd other_end() const {
    return best_end() == SizeEnd::least_in_time ? SizeEnd::largest_within : SizeEnd::least_in_time;
  }

 private:
  template <class Passes, class Guess>
  std::optional<std::size_t> edge(SizeEnd end, const KnownPurchases& known, const Passes& passes, const Guess& guess);
  bool stopped() const { return question_.stop && question_.stop(); }
  const std::optional<PurchasePlan>& plan_at(std::size_t rung) { return line_.at(rung).plan; }
  std::size_t last_rung() const { return line_.sizes().size() - 1; }
  std::optional<double> usual_within() const;
  std::size_t start() const;
  bool spends_by_size(const PurchasePlan& plan) const;
  double used_by_size(const PurchasePlan& plan) const;
  double growth_without_plan(const SizedOption& option) const;
  bool is_hopeless(const SizedOption& option, int accelerators) const;
  template <class Wanted>
  bool may_be(std::size_t rung, const Wanted& wanted) const;

  MachineLine& line_;
  SizeQuestion question_;
};

/// Money for accelerators that would do the work in time at their peak, over the budget: above 1 the machine cannot
/// meet both targets.
double least_share(const MachineLine& line, const PurchaseLimits& limits);

}  // namespace clusterwright
