/// Losses from the grid to the racks, at any load, and what a failure does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/site_verdict.hpp"
#include "sim/quantity.hpp"
#include "topology/facility_parts.hpp"
#include "topology/facility_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts.hpp

/// One stage of the chain at rated load.
struct PowerStageLoad {
  std::string part;
  PowerStageKind kind = PowerStageKind::ups;
  Redundancy redundancy = Redundancy::n;
  long long modules = 0;
  Watts rating;                   ///< of one module, real power at the machines' power factor
  Watts output;                   ///< of all modules together
  double load = 0;                ///< of one module, share of its rating
  double load_after_loss = 0;     ///< of one that is left when the redundancy is used up; 0: none may be lost
  double efficiency = 0;          ///< at that load
  std::optional<double> amperes;  ///< of one module and phase
  Watts apparent;                 ///< kVA that one module is rated at
  int phases = 3;
};

struct RackFeeds {
  std::string part;
  int feeds = 0;       ///< of one compute rack
  int needed = 0;      ///< to carry it without a spare
  Watts usable;        ///< of one feed, for hours
  Watts after_loss;    ///< on one of those that are left
  double amperes = 0;  ///< of one phase, all feeds sound
};

/// Modules of one stage; `part` outlives it.
struct SizedStage {
  const PowerPart* part = nullptr;
  PowerStageSpec spec;
  Watts rating;  ///< of one module, real power
  long long modules = 0;
};

/// Power for cooling, by what may stop for a minute.
struct CoolingDraw {
  CoolingDraw(Watts all) : plants(all) {}
  CoolingDraw(Watts moving, Watts rejecting) : movers(moving), plants(rejecting) {}
  Watts movers;  ///< pumps of coolant, fans of the hall: machines cook without them
  Watts plants;  ///< heat rejection and compressors
};

/// Circuits and busways that the racks ask for, whatever the power of all.
struct RackFeedCounts {
  long long circuits = 0;
  std::vector<Watts> rows;  ///< rated power of each row; a busway serves one
};

/// Sized at the rated load of the machines and what hangs on the chain beside them.
class PowerChain {
 public:
  /// @param cooling  at rated load
  PowerChain(const PowerChainSpec& spec, const Catalog& catalog, Watts machines, CoolingDraw cooling,
             const RackFeedCounts& feeds);

  /// One stage at an operating point: what it passes on, and what it loses.
  struct StageFlow {
    const SizedStage* stage = nullptr;
    Watts output, loss;
  };

  /// From the racks to the grid. @param other  beside machines and cooling
  std::vector<StageFlow> flows(Watts machines, CoolingDraw cooling) const;

  const std::vector<SizedStage>& stages() const { return stages_; }  ///< from the racks to the grid
  Watts other(Watts machines) const { return spec_.other_share * machines; }

  /// Each stage at rated load, from the grid to the racks.
  std::vector<PowerStageLoad> rated_loads() const;
  void judge(std::vector<SiteVerdict>& verdicts) const;

 private:
  void add_circuits(const Catalog& catalog, long long feeds);
  long long modules_for(const SizedStage& stage, Watts output, const std::vector<Watts>& rows) const;

  PowerChainSpec spec_;
  Watts machines_;
  CoolingDraw cooling_;
  std::vector<SizedStage> stages_;
};

/// What a module at `output` loses. @param output  of one module
Watts stage_loss(const PowerPart& part, Watts rating, Watts output);

/// Real power that one circuit may carry for hours: its rating at the power factor, up to the breaker's share.
Watts usable_power(const PowerPart& circuit, const PowerChainSpec& chain);

/// The most that a rack can draw from as many circuits as it has room for, one loss survived where asked.
Watts most_fed(const PowerPart& circuit, const PowerChainSpec& chain);

/// Circuits of a rack that draws `rated`; may be more than it has room for.
RackFeeds size_feeds(Watts rated, const PowerPart& circuit, const PowerChainSpec& chain);

/// Modules that the redundancy adds to `needed` ones.
long long with_spares(long long needed, Redundancy redundancy, int group);

/// Load of one module after a loss that the redundancy covers, over its load before.
double load_growth(long long modules, Redundancy redundancy, int group);

}  // namespace clusterwright
