// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/job_wave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/idle_power.hpp"
#include "models/lowering/step_prices.hpp"
#include "models/settling/local_steps.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "models/site/wave/governed_energy.hpp"
#include "models/site/wave/step_chain.hpp"
#include "sim/diagnostic.hpp"
#include "sim/law_check.hpp"
#include "sim/plain_number.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

constexpr Seconds lead_time = 10 * second;      // filters of supplies forget in tenths of a second
constexpr Seconds after_loss = 20 * second;     // what is looked at of a lost job
constexpr Seconds finest = 4 * millisecond;     // shows what oscillates up to 125 Hz
constexpr Seconds coarsest = 20 * millisecond;  // 50 Hz
constexpr double most_samples = 3e7;            // of all classes together
constexpr double samples_together = 1000;       // a signal has a multiple of them, which transforms fast

/// Energy of each rank class over the whole step, and its power in pauses.
struct StepEnergy {
  RankEnergy energy;
  std::vector<PausePower> pauses;
};

Watts waiting_power(const StepTiming& timing) {
  Watts most;
  for (const WorkTiming& work : timing.works) most = std::max(most, work.waiting_power);
  return most;
}

/// The same power over a longer step: replicas that jitter lengthen run slower all along.
void stretch(double longer, RankEnergy& energy) {
  const auto stretched = [longer](Picoseconds time) {
    return Picoseconds{std::llround(static_cast<double>(time.count) * longer)};
  };
  energy.slot = stretched(energy.slot), energy.end = stretched(energy.end);
  for (std::vector<double>& joules : energy.joules)
    for (double& sum : joules) sum *= longer;
}

StepEnergy step_energy(const Scenario& scenario, const StepPrediction& predicted) {
  StepEnergy out;
  read_whole_step(scenario, predicted.plan, [&](const StepView& step) {
    constexpr double most_slots = 2e7;
    const auto classes = static_cast<double>(step.structure.ranks.size());
    const double slots = std::min(to_seconds(step.result.end) / (1 * millisecond), most_slots / classes);
    const Picoseconds slot{std::max<std::int64_t>(1, std::llround(static_cast<double>(step.result.end.count) / slots))};
    out.energy = meter_ranks(step.structure, step.timing, step.result, slot);
    for (const RankClassId rank : step.structure.ranks.ids())
      if (const PowerControl& control = step.timing.control[rank]; control.governed)
        hold_to_limit(out.energy.joules[rank], to_seconds(slot),
                      {step.timing.idle_power[rank], step.timing.power_limit[rank], control.window});
    stretch(predicted.step_time / to_seconds(step.result.end), out.energy);
    const Watts waiting = waiting_power(step.timing);
    for (const Watts idle : step.timing.idle_power) out.pauses.push_back({idle, idle + waiting});
  });
  return out;
}

std::string percent(double share) {
  return plain_number(100 * share, 3) + " %";
}

struct NamedMeasures {
  std::string name;
  WaveMeasures measures;
};

/// None, each alone, and all together.
std::vector<NamedMeasures> measures_of(const StabilizationSpec& spec, const Catalog& catalog) {
  std::vector<NamedMeasures> out = {{"as drawn", {}}};
  WaveMeasures all;
  const auto add = [&](std::string name, WaveMeasures one) { out.push_back({std::move(name), std::move(one)}); };
  if (spec.filler) {
    all.filler = spec.filler;
    add("filler at " + percent(spec.filler->floor), {{}, spec.filler, {}});
  }
  if (spec.smoothing) {
    all.smoothing = spec.smoothing;
    add("floor of " + percent(spec.smoothing->floor), {spec.smoothing, {}, {}});
  }
  for (const StorageUseSpec& use : spec.storage) {
    const PlacedStorage storage{find_part(catalog.energy_storage, use.part), use.modules};
    all.storage.push_back(storage);
    const std::string times = use.modules > 1 ? fmt::format("{} x ", use.modules) : "";
    add(times + use.part, {{}, {}, {storage}});
  }
  if (out.size() > 2) add("all together", all);
  return out;
}

class WaveMaker {
 public:
  WaveMaker(const Scenario& scenario, const StepPrediction& step, const SitePlan& plan, const Catalog& catalog,
            const WaveRequest& request)
      : step_(step),
        plan_(plan),
        catalog_(catalog),
        request_(request),
        energy_(step_energy(scenario, step)),
        site_(site(scenario)) {
    const Seconds least = std::max(request.length, 3 * step.step_time);
    const double samples = least / finest * static_cast<double>(energy_.pauses.size());
    out_.every = samples > most_samples ? coarsest : finest;
    out_.length = std::ceil(least / (samples_together * out_.every)) * samples_together * out_.every;
    out_.step = step.step_time;
    check_energy();
  }

  JobWave make(const Facility& facility) {
    const StabilizationSpec& stabilization = facility.stabilization;
    const std::vector<ChainPart> chain = chain_of(running());
    count(chain);
    const std::vector<PowerSignal> ranks = ranks_over(chain, out_.length);
    ChainRequest stopped = running();
    stopped.length = after_loss;
    stopped.stop = stop_at_crest();
    stopped.stall = {};
    const std::vector<PowerSignal> lost = ranks_over(chain_of(stopped), after_loss);
    for (NamedMeasures& measures : measures_of(stabilization, catalog_))
      add_variant(std::move(measures), ranks, lost, stabilization.interconnection);
    out_.flat = flat_storage(out_.drawn().wave.at(WaveLevel::grid));
    out_.plant = plant_needs(out_.held().wave.at(WaveLevel::hall), out_.held().wave.at(WaveLevel::grid), plan_,
                             catalog_.generators);
    out_.grid_lines.push_back({"planned, design day", plan_.rated.facility});
    if (facility.power.grid_limit) out_.grid_lines.push_back({"granted", *facility.power.grid_limit});
    add_range(stabilization.interconnection);
    return std::move(out_);
  }

 private:
  /// Half of what the utility lets power range within its window, on both sides of the mean.
  void add_range(const std::string& interconnection) {
    const InterconnectionPart* part = find_part(catalog_.interconnections, interconnection);
    if (!part || !part->range) return;
    const Watts mean = out_.drawn().figures[static_cast<std::size_t>(WaveLevel::grid)].mean;
    const std::string window = plain_number(part->range_window.value.in(second)) + " s";
    out_.grid_lines.push_back({"mean plus half of the range in " + window, mean + 0.5 * part->range->value});
    out_.grid_lines.push_back({"mean less half of it", mean - 0.5 * part->range->value});
  }

  WaveSite site(const Scenario& s) const {
    const AcceleratorPart& part = s.cluster.accelerator;
    const Watts idle = idle_power(part, s.parameters.power);
    return {rank_groups(s, step_.plan, std::max(1, plan_.floor.nodes_per_rack)),
            {idle, part.limit_or_rating()},
            power_beside(s.cluster, idle),
            plan_.mean.it - plan_.mean.nodes,
            plan_.mean.it,
            plan_.mean.facility,
            *plan_.chain,
            CoolingDraw(plan_.mean.cooling)};
  }

  ChainRequest running() const {
    ChainRequest chain{out_.length, lead_time, step_.step_time, 0, {}, request_.stall};
    if (step_.checkpoint) {
      chain.every_steps = step_.checkpoint->every_steps;
      chain.checkpoint = step_.checkpoint->stall;
    }
    return chain;
  }

  void count(const std::vector<ChainPart>& chain) {
    Seconds begin;
    for (const ChainPart& part : chain) {
      const bool seen = begin >= lead_time && begin < lead_time + out_.length;
      out_.steps += seen && part.phase == ChainPhase::step;
      out_.checkpoints += seen && part.phase == ChainPhase::checkpoint;
      begin += part.length;
    }
    out_.checkpoint_moved = step_.checkpoint && step_.checkpoint->every_steps * step_.step_time > 0.5 * out_.length;
  }

  /// Time of the crest of a step, shortly behind the lead.
  Seconds stop_at_crest() const {
    const double step = step_.step_time.in(second), width = std::min(0.1, step);
    const auto joules = [&](double until) {
      double sum = 0;
      for (const RankClassId rank : energy_.energy.joules.ids())
        sum += site_.groups.classes[rank.value] * energy_.energy.until(rank, until);
      return sum;
    };
    double crest = 0, most = 0;
    for (double end = width; end <= step; end += 0.5 * width)
      if (const double mean = joules(end) - joules(end - width); mean > most) most = mean, crest = end;
    const double steps = std::ceil((lead_time.in(second)-crest) / step);
    return (std::max(0.0, steps) * step + crest) * second;
  }

  std::size_t samples_of(Seconds length) const {
    return static_cast<std::size_t>(std::llround((lead_time + length) / out_.every));
  }

  std::vector<PowerSignal> ranks_over(const std::vector<ChainPart>& chain, Seconds length) const {
    std::vector<PowerSignal> out;
    for (const RankClassId rank : energy_.energy.joules.ids())
      out.push_back(
          chained_power(energy_.energy, rank, energy_.pauses[rank.value], chain, out_.every, samples_of(length)));
    return out;
  }

  void add_variant(NamedMeasures measures, const std::vector<PowerSignal>& ranks, const std::vector<PowerSignal>& lost,
                   const std::string& interconnection) {
    const auto lead = static_cast<std::size_t>(std::llround(lead_time / out_.every));
    const ShownGroups shown = out_.variants.empty() ? ShownGroups{} : out_.drawn().wave.shown;
    WaveVariant variant{std::move(measures.name), load_wave(ranks, site_, measures.measures, lead, shown), {}, {}, {}};
    const LoadWave stopped = load_wave(lost, site_, measures.measures, lead, shown);
    for (std::size_t i = 0; i < wave_level_count; ++i) variant.figures[i] = figures_of(variant.wave.levels[i]);
    const GridPower grid{variant.wave.at(WaveLevel::grid), stopped.at(WaveLevel::grid)};
    variant.lost_job = change_within(grid.lost, 1 * second);
    if (const InterconnectionPart* part = find_part(catalog_.interconnections, interconnection)) {
      variant.verdicts = judge_interconnection(grid, *part);
    } else {
      out_.utilities.clear();
      for (const InterconnectionPart& utility : catalog_.interconnections)
        out_.utilities.push_back({utility.id, judge_interconnection(grid, utility)});
    }
    out_.variants.push_back(std::move(variant));
  }

  /// The wave counts the energy of the step that was predicted.
  void check_energy() const {
    double joules = 0;
    for (const RankClassId rank : energy_.energy.joules.ids())
      joules += site_.groups.classes[rank.value] * energy_.energy.joules[rank].back();
    const double expected = (step_.power.nodes_mean * step_.step_time).in(joule);
    LawCheck laws("power over time");
    laws.at_most("energy of the step", joules, "1.01 times that of the prediction", 1.01 * expected);
    laws.at_most("energy of the prediction", expected, "1.01 times that of the step", 1.01 * joules);
    laws.finish();
  }

  const StepPrediction& step_;
  const SitePlan& plan_;
  const Catalog& catalog_;
  const WaveRequest& request_;
  StepEnergy energy_;
  WaveSite site_;
  JobWave out_;
};

}  // namespace

JobWave job_wave(const Scenario& scenario, const StepPrediction& step, const SitePlan& plan, const Facility& facility,
                 const Catalog& catalog, const WaveRequest& request) {
  if (local_plan(step.plan))
    throw ConfigError({"E0367",
                       "the power over time of groups that train apart is not modelled",
                       {scenario.source.at("job").place("/job")},
                       "steps of two kinds",
                       "set job.local_steps to 1"});
  return WaveMaker(scenario, step, plan, catalog, request).make(facility);
}

}  // namespace clusterwright
