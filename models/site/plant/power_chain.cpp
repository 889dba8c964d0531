#include "models/site/plant/power_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/plant/power_feeds.hpp"
#include "models/site/plant/rounding.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

long long whole_modules(Watts load, Watts rating) {
  return std::max(1LL, static_cast<long long>(std::ceil(load / rating - site_rounding)));
}

}  // namespace

Watts stage_loss(const PowerPart& part, Watts rating, Watts output) {
  const double x = output / rating;
  const double quadratic = 1 / part.efficiency.value - 1 - part.no_load_loss.value - part.proportional_loss.value;
  return (part.no_load_loss.value + part.proportional_loss.value * x + std::max(0.0, quadratic) * x * x) * rating;
}

PowerChain::PowerChain(const PowerChainSpec& spec, const Catalog& catalog, Watts machines, CoolingDraw cooling,
                       const RackFeedCounts& feeds)
    : spec_(spec), machines_(machines), cooling_(cooling) {
  if (!spec.circuit.empty()) add_circuits(catalog, feeds.circuits);
  for (std::size_t i = spec.stages.size(); i-- > 0;) {
    const PowerPart* part = find_part(catalog.power_stages, spec.stages[i].part);
    stages_.push_back({part, spec.stages[i], part->rating.value * spec.power_factor, 1});
    const Watts output = flows(machines, cooling).back().output;
    stages_.back().modules = modules_for(stages_.back(), output, feeds.rows);
  }
}

/// With spares. A busway runs along one row, and each row has all its paths.
long long PowerChain::modules_for(const SizedStage& stage, Watts output, const std::vector<Watts>& rows) const {
  const auto [redundancy, group] = std::pair(stage.spec.redundancy, stage.spec.group);
  if (stage.part->kind != PowerStageKind::busway || rows.empty())
    return with_spares(whole_modules(output, stage.rating), redundancy, group);
  long long sum = 0;
  for (const Watts row : rows) {
    const long long modules = with_spares(whole_modules(row, stage.rating), redundancy, group);
    sum += redundancy == Redundancy::catcher ? std::max<long long>(modules, group) : modules;
  }
  return sum;
}

void PowerChain::add_circuits(const Catalog& catalog, long long feeds) {
  const PowerPart* part = find_part(catalog.power_stages, spec_.circuit);
  PowerStageSpec use;
  use.part = spec_.circuit;
  use.redundancy = spec_.feeds;
  use.group = spec_.most_feeds;
  stages_.push_back({part, use, part->rating.value * spec_.power_factor, std::max(1LL, feeds)});
}

std::vector<PowerChain::StageFlow> PowerChain::flows(Watts machines, CoolingDraw cooling) const {
  std::vector<StageFlow> out;
  Watts through = machines;
  StageLoad carried = StageLoad::machines;
  for (const SizedStage& stage : stages_) {
    const StageLoad carries = stage.spec.carries;
    if (carried == StageLoad::machines && carries != StageLoad::machines) through += cooling.movers;
    if (carried != StageLoad::cooling && carries == StageLoad::cooling) through += cooling.plants + other(machines);
    carried = std::max(carried, carries);
    const auto modules = static_cast<double>(stage.modules);
    const Watts loss = stage_loss(*stage.part, stage.rating, through / modules) * modules;
    out.push_back({&stage, through, loss});
    through += loss;
  }
  return out;
}

std::vector<PowerStageLoad> PowerChain::rated_loads() const {
  std::vector<PowerStageLoad> out;
  for (const StageFlow& flow : flows(machines_, cooling_)) {
    const SizedStage& stage = *flow.stage;
    PowerStageLoad load;
    load.part = stage.part->id;
    load.kind = stage.part->kind;
    load.redundancy = stage.spec.redundancy;
    load.modules = stage.modules;
    load.rating = stage.rating;
    load.apparent = stage.part->rating.value;
    load.phases = stage.part->phases;
    load.output = flow.output;
    load.load = flow.output / (static_cast<double>(stage.modules) * stage.rating);
    load.load_after_loss = load.load * load_growth(stage.modules, stage.spec.redundancy, stage.spec.group);
    load.efficiency = flow.output / (flow.output + flow.loss);
    if (stage.part->volts) {
      const double across = (stage.part->phases == 3 ? std::sqrt(3.0) : 1.0) * stage.part->volts->value;
      load.amperes = flow.output.in(watt) / static_cast<double>(stage.modules) / spec_.power_factor / across;
    }
    out.push_back(load);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void PowerChain::judge(std::vector<SiteVerdict>& verdicts) const {
  for (const PowerStageLoad& stage : rated_loads()) {
    if (stage.redundancy == Redundancy::n || stage.kind == PowerStageKind::circuit) continue;
    verdicts.push_back({fmt::format("{} after a failure", stage.part), stage.load_after_loss <= 1 + site_rounding,
                        fmt::format("{} modules of {:.0f} kW at {:.0f} %, at {:.0f} % after a loss", stage.modules,
                                    stage.rating.in(kilowatt), 100 * stage.load, 100 * stage.load_after_loss),
                        "facility.power.stages"});
  }
}

}  // namespace clusterwright
