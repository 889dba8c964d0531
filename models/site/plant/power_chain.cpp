// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/power_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/plant/site_verdict.hpp"
#include "sim/diagnostic.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/rules/facility_rules.hpp"

namespace clusterwright {

namespace {

long long whole_modules(Watts load, Watts rating) {
  return std::max(1LL, static_cast<long long>(std::ceil(load / rating - site_rounding)));
}

/// Most small modules that carry a load together, spares apart. An estimate: beyond, switchgear of each costs more than
/// a larger size.
constexpr long long most_small_modules = 3;
/// Loads from here on are built of the largest size.
constexpr Watts large_load = 1 * megawatt;

}  // namespace

Watts power_stage_loss(const PowerPart& part, Watts rating, Watts output) {
  const double load = output / rating;
  const double quadratic = 1 / part.efficiency.value - 1 - part.no_load_loss.value - part.proportional_loss.value;
  return (part.no_load_loss.value + part.proportional_loss.value * load + std::max(0.0, quadratic) * load * load) *
         rating;
}

PowerChain::PowerChain(const PowerChainSpec& spec, const Catalog& catalog, Watts machines, CoolingDraw cooling,
                       const RackFeedCounts& feeds)
    : spec_(spec), machines_(machines), cooling_(cooling) {
  if (!spec.circuit.empty()) add_circuits(catalog, feeds.circuits);
  for (std::size_t i = spec.stages.size(); i-- > 0;) {
    const PowerPart* part = find_part(catalog.power_stages, spec.stages[i].part);
    stages_.push_back({part, spec.stages[i], part->rating.value * spec.power_factor, 1});
    const Watts output = flows(machines, cooling).back().output;
    check_modules(stages_.back(), output);
    stages_.back().modules = modules_for(stages_.back(), output, feeds.rows);
    if (spec.stages[i].smaller) take_least_size(stages_.back(), catalog, output, feeds.rows);
  }
}

/// Size of a stage's modules that takes the least capacity, spares included; of equal ones the larger.
void PowerChain::take_least_size(SizedPowerStage& stage, const Catalog& catalog, Watts output,
                                 const std::vector<Watts>& rows) const {
  const auto capacity = [](const SizedPowerStage& one) { return static_cast<double>(one.modules) * one.rating; };
  SizedPowerStage size = stage;
  while ((size.part = find_part(catalog.power_stages, size.part->smaller))) {
    size.rating = size.part->rating.value * spec_.power_factor;
    const bool by_row = size.part->kind == PowerStageKind::busway && !rows.empty();
    const Watts each = by_row ? std::ranges::max(rows) : output;
    if (each >= large_load || whole_modules(each, size.rating) > most_small_modules) return;
    size.modules = modules_for(size, output, rows);
    if (capacity(size) < capacity(stage)) stage = size;
  }
}

/// @throws ConfigError E0354 for modules that are far too small for the load
void PowerChain::check_modules(const SizedPowerStage& stage, Watts output) {
  std::vector<RuleFinding> findings;
  apply_rules(chain_rules(), StageOfChain{*stage.part, output / stage.rating, output}, {}, findings);
  for (const RuleFinding& found : findings)
    throw ConfigError({std::string(found.rule->code), found.message, {}, "", std::string(found.rule->then)});
}

/// Modules of a power stage, spares included. A busway serves one row, so each row has modules for its own power.
long long PowerChain::modules_for(const SizedPowerStage& stage, Watts output, const std::vector<Watts>& rows) const {
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

std::vector<PowerChain::PowerStageFlow> PowerChain::flows(Watts machines, CoolingDraw cooling) const {
  std::vector<PowerStageFlow> out;
  Watts through = machines;
  StageLoad carried = StageLoad::machines;
  for (const SizedPowerStage& stage : stages_) {
    const StageLoad carries = stage.spec.carries;
    if (carried == StageLoad::machines && carries != StageLoad::machines) through += cooling.movers;
    if (carried != StageLoad::cooling && carries == StageLoad::cooling) through += cooling.plants + other(machines);
    carried = std::max(carried, carries);
    const auto modules = static_cast<double>(stage.modules);
    const Watts loss = power_stage_loss(*stage.part, stage.rating, through / modules) * modules;
    out.push_back({&stage, through, loss});
    through += loss;
  }
  return out;
}

std::vector<PowerStageLoad> PowerChain::rated_loads() const {
  std::vector<PowerStageLoad> out;
  for (const PowerStageFlow& flow : flows(machines_, cooling_)) {
    const SizedPowerStage& stage = *flow.stage;
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
    verdicts.push_back(
        {fmt::format("{} after a failure", stage.part), stage.load_after_loss <= 1 + site_rounding,
         fmt::format("{} modules of {:.0f} kW run at {:.0f} %, and at {:.0f} % after the loss of one", stage.modules,
                     stage.rating.in(kilowatt), 100 * stage.load, 100 * stage.load_after_loss),
         "facility.power.stages"});
  }
}

Watts usable_power(const PowerPart& circuit, const PowerChainSpec& chain) {
  return circuit.rating.value * chain.power_factor * chain.continuous_share;
}

long long with_spares(long long needed, Redundancy redundancy, int group) {
  switch (redundancy) {
    case Redundancy::n_plus_1:
      return needed + 1;
    case Redundancy::two_n:
      return 2 * needed;
    case Redundancy::catcher:  // in every group all but one carry the load
      return group < 2 ? 2 * needed : needed + (needed + group - 2) / (group - 1);
    default:
      return needed;
  }
}

double load_growth(long long modules, Redundancy redundancy, int group) {
  switch (redundancy) {
    case Redundancy::n_plus_1:
      return modules > 1 ? static_cast<double>(modules) / static_cast<double>(modules - 1) : 0;
    case Redundancy::two_n:
      return 2;
    case Redundancy::catcher: {
      const auto members = std::min<long long>(group, modules);
      return members > 1 ? static_cast<double>(members) / static_cast<double>(members - 1) : 0;
    }
    default:
      return 0;
  }
}

Watts most_fed(const PowerPart& circuit, const PowerChainSpec& chain) {
  long long carrying = chain.most_feeds;
  while (carrying > 0 && with_spares(carrying, chain.feeds, chain.most_feeds) > chain.most_feeds) --carrying;
  return usable_power(circuit, chain) * static_cast<double>(carrying);
}

RackFeeds size_feeds(Watts rated, const PowerPart& circuit, const PowerChainSpec& chain) {
  RackFeeds out;
  out.part = circuit.id;
  out.usable = usable_power(circuit, chain);
  out.needed = std::max(1, static_cast<int>(std::ceil(rated / out.usable - site_rounding)));
  out.feeds = static_cast<int>(with_spares(out.needed, chain.feeds, chain.most_feeds));
  out.each = rated / out.feeds;
  out.after_loss = out.each * load_growth(out.feeds, chain.feeds, chain.most_feeds);
  if (circuit.volts) {
    const double across = (circuit.phases == 3 ? std::sqrt(3.0) : 1.0) * circuit.volts->value;
    out.amperes = rated.in(watt) / out.feeds / chain.power_factor / across;
  }
  return out;
}

}  // namespace clusterwright
