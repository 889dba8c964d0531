// SPDX-License-Identifier: Apache-2.0
/// Power chain from the grid to the racks: losses at any load, redundancy, and the circuits that feed a rack.
///
/// A module of rating R that passes on P loses, with x = P / R,
///   R (no_load + proportional x + quadratic x^2),  quadratic = 1 / efficiency - 1 - no_load - proportional,
/// so that at full load P / (P + loss) is its stated efficiency. Each power stage carries what the stage below it draws
/// with its losses, and from the first stage that carries pumps or cooling also those.
///
/// Example: 1 MW of machines on a UPS of 1 MW modules, N+1, efficiency 0.96, no-load loss 0.01, proportional loss 0.02.
/// Two modules at x = 0.5 each; quadratic = 1 / 0.96 - 1 - 0.03 = 0.0117; each loses 1 MW (0.01 + 0.01 + 0.0029) =
/// 22.9 kW, so the transformer above carries 1 MW + 45.8 kW. After the loss of a module the other is at x = 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/site_verdict.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// Power stage at rated load.
struct PowerStageLoad {
  std::string part;
  PowerStageKind kind = PowerStageKind::ups;
  Redundancy redundancy = Redundancy::n;
  long long modules = 0;
  Watts rating;                   ///< real power of one module at the machines' power factor
  Watts output;                   ///< sum over all modules
  double load = 0;                ///< output over rating of one module
  double load_after_loss = 0;     ///< load of a remaining module when the redundancy is used up; 0: none may be lost
  double efficiency = 0;          ///< efficiency at that load
  std::optional<double> amperes;  ///< current of one phase of one module
  Watts apparent;                 ///< rating of one module in kVA
  int phases = 3;
};

/// Circuits that feed one compute rack.
struct RackFeeds {
  std::string part;
  int feeds = 0;
  int needed = 0;      ///< number that carries the rack without a spare
  Watts usable;        ///< continuous power of one feed
  Watts each;          ///< power on one feed, all of them working
  Watts after_loss;    ///< power on one of the remaining feeds after a loss; 0: none may be lost
  double amperes = 0;  ///< current of one phase with all feeds working
};

/// Modules of one power stage; `part` outlives it.
struct SizedPowerStage {
  const PowerPart* part = nullptr;
  PowerStageSpec spec;
  Watts rating;  ///< real power of one module
  long long modules = 0;
};

/// Power for cooling, by whether it may stop for a minute.
struct CoolingDraw {
  CoolingDraw(Watts all) : plants(all) {}
  CoolingDraw(Watts moving, Watts rejecting) : movers(moving), plants(rejecting) {}
  Watts movers;  ///< pumps of coolant and fans of the hall: machines overheat without them
  Watts plants;  ///< heat rejection and compressors
  Watts total() const { return movers + plants; }
};

/// Circuits and busways of the racks, which do not depend on the sum of their power.
struct RackFeedCounts {
  long long circuits = 0;
  std::vector<Watts> rows;  ///< rated power of each row; a busway serves one row
};

/// Power chain, sized at the rated load of the machines and of everything else that it carries.
class PowerChain {
 public:
  /// @param cooling  power for cooling at rated load
  PowerChain(const PowerChainSpec& spec, const Catalog& catalog, Watts machines, CoolingDraw cooling,
             const RackFeedCounts& feeds);

  /// Output and losses of one power stage at an operating point.
  struct PowerStageFlow {
    const SizedPowerStage* stage = nullptr;
    Watts output, loss;
  };

  /// Flows from the racks to the grid.
  std::vector<PowerStageFlow> flows(Watts machines, CoolingDraw cooling) const;

  Watts other(Watts machines) const { return spec_.other_share * machines; }

  /// Each power stage at rated load, from the grid to the racks.
  std::vector<PowerStageLoad> rated_loads() const;
  void judge(std::vector<SiteVerdict>& verdicts) const;

 private:
  static void check_modules(const SizedPowerStage& stage, Watts output);
  void add_circuits(const Catalog& catalog, long long feeds);
  void take_least_size(SizedPowerStage& stage, const Catalog& catalog, Watts output,
                       const std::vector<Watts>& rows) const;
  long long modules_for(const SizedPowerStage& stage, Watts output, const std::vector<Watts>& rows) const;

  PowerChainSpec spec_;
  Watts machines_;
  CoolingDraw cooling_;
  std::vector<SizedPowerStage> stages_;
};

/// Losses of one module that passes on `output`.
Watts power_stage_loss(const PowerPart& part, Watts rating, Watts output);

/// Continuous real power of one circuit: its rating times power factor times the breaker's continuous share.
Watts usable_power(const PowerPart& circuit, const PowerChainSpec& chain);

/// Largest power of a rack with all circuits that it has room for, after one loss where redundancy is asked for.
Watts most_fed(const PowerPart& circuit, const PowerChainSpec& chain);

/// Circuits of a rack that draws `rated`; may be more than it has room for.
RackFeeds size_feeds(Watts rated, const PowerPart& circuit, const PowerChainSpec& chain);

/// Number of modules, spares included, where `needed` carry the load. @param group  modules of a catcher group
long long with_spares(long long needed, Redundancy redundancy, int group);

/// Load of one module after a loss that the redundancy covers, over its load before; 0 where none may be lost.
double load_growth(long long modules, Redundancy redundancy, int group);

}  // namespace clusterwright
