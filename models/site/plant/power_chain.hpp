/// Losses from the grid to the racks, at any load, and what a failure does.
#pragma once

#include <vector>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

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

}  // namespace clusterwright
