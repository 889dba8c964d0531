// SPDX-License-Identifier: Apache-2.0
/// One machine over its sizes: each size planned once, when it is first asked for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "models/job/scenario.hpp"
#include "models/procurement/purchase.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// What every machine of a comparison trains.
struct PurchaseJob {
  JsonValue scenario;                 ///< document of a scenario; its cluster is replaced
  std::vector<std::string> settings;  ///< applied to it, in order; fields of the layout that they give are kept
  MoneyTerms money = {};
  std::shared_ptr<const Catalog> catalog = {};  ///< shipped_catalog(), read before; nullptr: read for each machine
};

/// What keeps a size from being planned: the model needs more of them, a run longer than the longest, the hall, the
/// price of the nodes alone, a hall that suits no number of such nodes, or anything else.
enum class Obstacle { none, too_small, too_slow, too_large, too_dear, unsuited, impossible };

/// Plan of one size, or why there is none.
struct SizedOption {
  std::optional<PurchasePlan> plan;
  Obstacle obstacle = Obstacle::none;
  std::string reason = {};                 ///< in words, where there is no plan
  std::optional<Seconds> least_time = {};  ///< of the whole run, where it is too slow
};

/// Time that a run may take at most. A machine whose layouts all take longer is refused without a replay.
struct LongestRun {
  Seconds time;
  Seconds beside;    ///< time that the reason of a refusal compares with
  std::string what;  ///< its name: "the 90 days"
};

/// Whether plans have the whole interval of their time at once. What a fabric with hashed flows would add takes nearly
/// as long as the rest of a plan.
enum class RunTimes { with_intervals, typical };

class MachineLine {
 public:
  /// @param sizes  numbers of accelerators, rising; empty: whole nodes or scale-up domains in steps of 7 to 13 %
  /// @throws ConfigError where the job cannot run on the machine, or it cannot be placed
  MachineLine(const PurchaseJob& job, MachineChoice machine, std::vector<int> sizes,
              RunTimes times = RunTimes::with_intervals);

  const MachineChoice& machine() const { return machine_; }
  const std::vector<int>& sizes() const { return sizes_; }
  /// Place in sizes() of the first one from `accelerators` on; sizes().size() beyond the last.
  std::size_t rung_of(double accelerators) const;

  /// None: all sizes are planned. Forgets those that were too slow before.
  void set_longest(std::optional<LongestRun> longest);
  /// Sizes whose nodes alone cost more are refused without a replay. None: all are planned, also those refused before.
  void set_budget(std::optional<Dollars> budget);
  /// Begins a search under other targets: no size counts as asked for. What earlier searches planned is not planned
  /// again where these targets would give the same, so that an answer does not depend on them.
  void start_over(std::optional<LongestRun> longest, std::optional<Dollars> budget);

  /// The shortest step that a search of the layouts finds, in a hall of its own. The batch is the multiple of the
  /// replicas that is nearest to the job's. May be called from several threads.
  const SizedOption& at(std::size_t rung);
  bool is_planned(std::size_t rung) const;
  /// Plans of all sizes that this search asked for so far, the smallest first.
  std::vector<PurchasePlan> plans() const;
  /// Sizes that have a plan, by this search or an earlier one.
  std::size_t planned() const;
  /// A plan of this machine with the whole interval of its time.
  PurchasePlan completed(PurchasePlan plan) const;
  /// Reason of the smallest size asked for that has no plan, and whether larger ones exceed the budget; that of all
  /// sizes where there is one. Empty without any.
  std::string reason() const;

  /// Dense peak of one accelerator in the format of the machine.
  FlopsPerSecond peak_rate() const;
  /// Price of its share of a node alone; nothing where that is not known, or it is rented.
  std::optional<Dollars> least_price() const;
  const Scenario& scenario() const { return base_; }
  const MoneyTerms& money() const { return money_; }

 private:
  Scenario scenario_of(int accelerators) const;
  bool is_too_dear(int accelerators) const;
  bool is_settled(const SizedOption& option, bool same_longest) const;
  DecidedPlan decided_plan(const Scenario& scenario, SearchEffort effort) const;
  SizedOption option_at(std::size_t rung) const;
  /// The faster of all accelerators and of with_idle_places().
  SizedOption option_of(int accelerators) const;
  SizedOption option_with(int accelerators) const;
  /// Accelerators of the same domains if each leaves places idle: groups of experts are powers of two, and 72 holds
  /// only 8 of them in whole numbers, 64 all. Nothing where that is no choice.
  std::optional<int> with_idle_places(int accelerators) const;

  MachineChoice machine_;
  RunTimes times_;
  MoneyTerms money_;
  std::optional<LongestRun> longest_;
  std::optional<Dollars> budget_;
  Scenario base_;
  std::optional<JobSite> site_;
  PriceList prices_;
  std::vector<int> sizes_;
  bool usual_sizes_ = false;      ///< of the planner, not of its user
  bool schedule_is_set_ = false;  ///< by the user: no other one is planned
  mutable std::mutex adding_;
  std::map<std::size_t, SizedOption> known_;    ///< of this search
  std::map<std::size_t, SizedOption> earlier_;  ///< of earlier searches, whatever the targets
};

/// Whether one of the machines is an instance of a cloud, rented by the hour.
bool any_rented(const std::vector<MachineChoice>& machines, const Catalog& catalog);

/// Sizes that fill domains: 1 to 15 units, then 8 to 15 times each power of two, up to about a million accelerators.
std::vector<int> usual_sizes(int unit);

/// Multiple of a divisor of `accelerators` that is nearest to `batch`: the largest power of two times the odd part of
/// the accelerators that moves it by at most 8 %, so that many replicas share it evenly.
int fitted_batch(int batch, int accelerators);

}  // namespace clusterwright
