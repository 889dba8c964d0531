// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/step_chain.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// Energy of a rank from the begin of a chain on, asked at times that only grow.
class ChainEnergy {
 public:
  ChainEnergy(const RankEnergy& step, RankClassId rank, const PausePower& pauses, const std::vector<ChainPart>& chain)
      : step_(step), rank_(rank), pauses_(pauses), chain_(chain) {}

  double until(Seconds time) {
    while (part_ + 1 < chain_.size() && time > begin_ + chain_[part_].length) {
      before_ += within(chain_[part_].length);
      begin_ += chain_[part_].length;
      ++part_;
    }
    return before_ + within(time - begin_);
  }

 private:
  double within(Seconds time) const {
    switch (chain_[part_].phase) {
      case ChainPhase::step:
        return step_.until(rank_, time.in(second));
      case ChainPhase::stall:
        return pauses_.waiting.in(watt)*time.in(second);
      default:
        return pauses_.idle.in(watt)*time.in(second);
    }
  }

  const RankEnergy& step_;
  RankClassId rank_;
  PausePower pauses_;
  const std::vector<ChainPart>& chain_;
  std::size_t part_ = 0;
  Seconds begin_;
  double before_ = 0;
};

/// Steps and pauses, added in order.
class ChainMaker {
 public:
  explicit ChainMaker(const ChainRequest& request) : request_(request) {
    const Seconds middle = request.lead + 0.5 * request.length;
    first_checkpoint_ = std::min(request.every_steps, std::max(1, static_cast<int>(middle / request.step)));
  }

  std::vector<ChainPart> make() {
    for (const Seconds end = request_.lead + request_.length; time_ < end && !stopped_;) add_step();
    return std::move(parts_);
  }

 private:
  void add(ChainPhase phase, Seconds length) {
    if (length <= Seconds()) return;
    parts_.push_back({phase, length});
    time_ += length;
  }

  void add_step() {
    if (request_.stop > Seconds() && time_ + request_.step >= request_.stop) {
      add(ChainPhase::step, request_.stop - time_);
      add(ChainPhase::stopped, request_.lead + request_.length - time_);
      stopped_ = true;
      return;
    }
    add(ChainPhase::step, request_.step);
    ++steps_;
    if (!stalled_ && request_.stall > Seconds() && time_ >= request_.lead + 0.25 * request_.length) {
      add(ChainPhase::stall, request_.stall);
      stalled_ = true;
    }
    const int past = steps_ - first_checkpoint_;
    if (request_.every_steps > 0 && past >= 0 && past % request_.every_steps == 0)
      add(ChainPhase::checkpoint, request_.checkpoint);
  }

  const ChainRequest& request_;
  int first_checkpoint_ = 0;
  int steps_ = 0;
  bool stalled_ = false, stopped_ = false;
  Seconds time_;
  std::vector<ChainPart> parts_;
};

}  // namespace

std::vector<ChainPart> chain_of(const ChainRequest& request) {
  return ChainMaker(request).make();
}

PowerSignal chained_power(const RankEnergy& step, RankClassId rank, const PausePower& pauses,
                          const std::vector<ChainPart>& chain, Seconds every, std::size_t samples) {
  ChainEnergy energy(step, rank, pauses, chain);
  PowerSignal out{every, {}};
  out.watts.reserve(samples);
  double before = 0;
  for (std::size_t i = 1; i <= samples; ++i) {
    const double until = energy.until(static_cast<double>(i) * every);
    out.watts.push_back((until - before) / every.in(second));
    before = until;
  }
  return out;
}

}  // namespace clusterwright
