// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/load_wave.hpp"

#include <algorithm>
#include <numeric>

#include "models/settling/step_simulation.hpp"

namespace clusterwright {

namespace {

double swing_of(const PowerSignal& signal, std::size_t lead) {
  const auto begin = signal.watts.begin() + static_cast<std::ptrdiff_t>(lead);
  const auto [low, high] = std::minmax_element(begin, signal.watts.end());
  return *high - *low;
}

void add(PowerSignal& sum, const PowerSignal& part, double times) {
  for (std::size_t i = 0; i < sum.watts.size(); ++i) sum.watts[i] += times * part.watts[i];
}

double joules(const PowerSignal& signal) {
  return std::accumulate(signal.watts.begin(), signal.watts.end(), 0.0) * signal.every.in(second);
}

/// Losses of a power chain over its load, straight between points.
class ChainLosses {
 public:
  ChainLosses(const WaveSite& site, Watts low, Watts high) : low_(low), each_((high - low) / (points - 1)) {
    for (int i = 0; i < points; ++i) losses_.push_back(loss(site, low + i * each_));
  }
  static double loss(const WaveSite& site, Watts load) {
    Watts sum;
    for (const PowerChain::PowerStageFlow& flow : site.chain.flows(load, site.cooling)) sum += flow.loss;
    return sum.in(watt);
  }
  double at(double watts) const {
    if (each_ <= Watts()) return losses_.front();
    const double place = std::clamp((watts * watt - low_) / each_, 0.0, points - 1.0);
    const auto before = std::min(static_cast<std::size_t>(place), losses_.size() - 2);
    return losses_[before] + (place - static_cast<double>(before)) * (losses_[before + 1] - losses_[before]);
  }

 private:
  static constexpr int points = 65;
  Watts low_, each_;
  std::vector<double> losses_;
};

/// Builds the levels one above the other.
class WaveBuilder {
 public:
  WaveBuilder(const std::vector<PowerSignal>& ranks, const WaveSite& site, const WaveMeasures& measures,
              std::size_t lead, const ShownGroups& wished)
      : site_(site), measures_(measures), lead_(lead), wished_(wished), ranks_(ranks), silent_(ranks.front()) {
    std::ranges::fill(silent_.watts, 0.0);
  }

  LoadWave build() {
    const double before = energy_of_nodes();
    hold_accelerators();
    supply_nodes();
    fill_racks();
    fill_hall();
    reach_grid();
    for (PowerSignal& level : out_.levels) level = level.from(lead_);
    for (double* cost : {&out_.price.added, &out_.price.delayed, &out_.price.lost}) *cost /= before;
    return std::move(out_);
  }

 private:
  double energy_of_nodes() const {
    double sum = 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) sum += site_.groups.classes[i] * joules(ranks_[i]);
    return sum;
  }

  /// Keeps a signal that is wished for, else the one with the largest swing. @param place  of the group
  void offer(WaveLevel level, std::size_t place, std::optional<std::size_t> ShownGroups::*which,
             const PowerSignal& signal) {
    PowerSignal& kept = out_.at(level);
    const bool wished = wished_.*which ? *(wished_.*which) == place
                                       : kept.watts.empty() || swing_of(signal, lead_) > swing_of(kept, lead_);
    if (!wished) return;
    kept = signal;
    out_.shown.*which = place;
  }

  /// Storage modules of a place, one behind the other. @param count  such places in the job
  void store_at(StoragePlace place, PowerSignal& signal, double count) {
    for (const PlacedStorage& storage : measures_.storage) {
      if (storage.part->place != place) continue;
      const StorageModule all{storage.modules * storage.part->energy.value, storage.modules * storage.part->power.value,
                              storage.part->efficiency.value};
      out_.price.lost += count * store(signal, all).lost.in(joule);
    }
  }

  void hold_accelerators() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      PowerSignal& signal = ranks_[i];
      for (double& watts : signal.watts) watts -= site_.beside.in(watt);
      const double count = site_.groups.classes[i];
      const auto pay = [&](const MeasurePrice& price) {
        out_.price.added += count * price.added.in(joule);
        out_.price.delayed += count * price.delayed.in(joule);
      };
      if (measures_.filler) pay(fill(signal, *measures_.filler, site_.accelerator));
      if (measures_.smoothing) pay(smooth(signal, *measures_.smoothing, site_.accelerator));
      offer(WaveLevel::accelerator, i, &ShownGroups::rank, signal);
      store_at(StoragePlace::accelerator, signal, count);
      filter(signal, supply_time_constant);
      for (double& watts : signal.watts) watts += site_.beside.in(watt);
    }
  }

  PowerSignal sum_of(const RankGroup& group) const {
    PowerSignal sum = silent_;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (group.ranks[i] > 0) add(sum, ranks_[i], group.ranks[i]);
    return sum;
  }

  void supply_nodes() {
    for (std::size_t i = 0; i < site_.groups.nodes.size(); ++i)
      offer(WaveLevel::node, i, &ShownGroups::node, sum_of(site_.groups.nodes[i]));
  }

  void fill_racks() {
    hall_ = silent_;
    for (std::size_t i = 0; i < site_.groups.racks.size(); ++i) {
      const RankGroup& rack = site_.groups.racks[i];
      PowerSignal sum = sum_of(rack);
      store_at(StoragePlace::rack, sum, rack.count);
      offer(WaveLevel::rack, i, &ShownGroups::rack, sum);
      add(hall_, sum, rack.count);
    }
  }

  void fill_hall() {
    for (double& watts : hall_.watts) watts += site_.other.in(watt);
    out_.at(WaveLevel::hall) = hall_;
  }

  void reach_grid() {
    const auto [low, high] = std::ranges::minmax_element(hall_.watts);
    const ChainLosses losses(site_, *low * watt, *high * watt);
    const double constant = (site_.grid_mean - site_.hall_mean).in(watt)-ChainLosses::loss(site_, site_.hall_mean);
    for (double& watts : hall_.watts) watts += losses.at(watts) + constant;
    store_at(StoragePlace::hall, hall_, 1);
    out_.at(WaveLevel::grid) = hall_;
  }

  const WaveSite& site_;
  const WaveMeasures& measures_;
  std::size_t lead_;
  ShownGroups wished_;
  std::vector<PowerSignal> ranks_;
  PowerSignal silent_, hall_;
  LoadWave out_;
};

}  // namespace

LoadWave load_wave(const std::vector<PowerSignal>& ranks, const WaveSite& site, const WaveMeasures& measures,
                   std::size_t lead, const ShownGroups& shown) {
  return WaveBuilder(ranks, site, measures, lead, shown).build();
}

}  // namespace clusterwright
