// SPDX-License-Identifier: Apache-2.0
#include "sim/transfers.hpp"

#include <algorithm>
#include <span>

#include "sim/progress.hpp"
#include "sim/step_works.hpp"

namespace clusterwright::engine {
namespace {

/// @param total  demand of all active ops of the rank, in 1/whole_memory
std::uint64_t bound_beside_memory_demand(std::uint64_t bound, std::uint64_t total) {
  if (total <= whole_memory) return bound;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(UInt128{bound} * whole_memory / total));
}

}  // namespace

void Transfers::retime(const StepTiming& timing, std::vector<char> free_chains) {
  timing_ = &timing;
  free_chains_ = std::move(free_chains);
  const StepStructure& structure = step_.structure();
  demands_.clear();
  demands_.reserve(structure.uses.size());
  for (std::size_t i = 0; i < structure.uses.size(); ++i)
    demands_.push_back({structure.uses[i].resource.value, structure.uses[i].count, timing.coefficients[i]});
  leg_alone_.clear();
  for (const LegTiming& leg : timing.legs) leg_alone_.push_back(time_alone(leg) - leg.delay);
  chain_alone_.clear();
  for (std::size_t chain = 0; chain + 1 < structure.chain_begin.size(); ++chain)
    chain_alone_.push_back(time_alone(structure, timing, ChainId(chain)));
}

void Transfers::reset() {
  const StepStructure& structure = step_.structure();
  rendezvous_.clear();
  rendezvous_.reserve(structure.rendezvous.size());
  for (const Rendezvous& rendezvous : structure.rendezvous)
    rendezvous_.push_back({.missing = rendezvous.members,
                           .leg = structure.chain_begin[rendezvous.chain.value],
                           .leg_end = structure.chain_begin[rendezvous.chain.value + 1]});
  transfers_.clear();
  sharing_.reset(timing_->capacity.items());
  bounds_stale_.clear();
  rates_stale_ = false;
}

void Transfers::renew(RendezvousId rendezvous) {
  const Rendezvous& meeting = step_.structure().rendezvous[rendezvous];
  RendezvousState& state = rendezvous_[rendezvous];
  state.missing = meeting.members;
  state.leg = step_.structure().chain_begin[meeting.chain.value];
  result_.last_arrival[rendezvous] = OpId();
}

bool Transfers::arrive(OpId op) {
  const RendezvousId rendezvous = step_.op(op).rendezvous;
  OpId& last = result_.last_arrival[rendezvous];
  step_.op(op).next_member = last.exists() ? step_.op(last).next_member : op;
  if (last.exists()) step_.op(last).next_member = op;
  last = op;
  return --rendezvous_[rendezvous].missing == 0;
}

/// Even an empty chain ends in an event of its own, so that no op ends inside the start of another.
void Transfers::begin(RendezvousId rendezvous) {
  const ChainId chain = step_.structure().rendezvous[rendezvous].chain;
  RendezvousState& state = rendezvous_[rendezvous];
  Picoseconds delay = alone(chain);
  if (free_chains_[chain.value] || state.past_chain())
    state.leg = state.leg_end;
  else
    delay = leg_of(state).delay;
  events_.push(events_.now() + delay, {PendingEvent::delayed, rendezvous.value});
}

bool Transfers::end_delay(RendezvousId rendezvous) {
  const RendezvousState& state = rendezvous_[rendezvous];
  if (state.past_chain() || leg_of(state).bytes == 0) return next_leg(rendezvous);
  begin_transfer(rendezvous);
  return false;
}

bool Transfers::next_leg(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  ++state.leg;
  if (state.past_chain()) return true;
  events_.push(events_.now() + leg_of(state).delay, {PendingEvent::delayed, rendezvous.value});
  return false;
}

void Transfers::begin_transfer(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  const LegTiming& leg = leg_of(state);
  const auto& begin = step_.structure().use_begin;
  const std::span<const CapacityDemand> demands(demands_.data() + begin[state.leg],
                                                begin[state.leg + 1] - begin[state.leg]);
  const std::uint64_t bound = bound_of(rendezvous);
  state.transfer = sharing_.add(demands, bound, leg.weight);
  if (state.transfer >= transfers_.size()) transfers_.resize(state.transfer + 1);
  TransferState& transfer = transfers_[state.transfer];
  transfer.remaining = Int128{leg.bytes} * picoseconds_per_second;
  transfer.since = events_.now();
  transfer.rate = 0;
  transfer.bound = bound;
  transfer.rendezvous = rendezvous;
  rates_stale_ = true;
}

bool Transfers::end_transfer(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  sharing_.remove(state.transfer);
  rates_stale_ = true;
  state.transfer = RendezvousState::no_transfer;
  return next_leg(rendezvous);
}

void Transfers::on_memory_changed(RendezvousId rendezvous) {
  const std::uint32_t key = rendezvous_[rendezvous].transfer;
  if (key == RendezvousState::no_transfer || transfers_[key].bound_stale) return;
  transfers_[key].bound_stale = true;
  bounds_stale_.push_back(rendezvous);
}

void Transfers::settle_rates() {
  for (const RendezvousId rendezvous : bounds_stale_) renew_bound(rendezvous);
  bounds_stale_.clear();
  if (!rates_stale_) return;
  rates_stale_ = false;
  for (const std::uint32_t key : sharing_.settle()) set_rate(key, sharing_.rate(key));
}

void Transfers::renew_bound(RendezvousId rendezvous) {
  const std::uint32_t key = rendezvous_[rendezvous].transfer;
  TransferState& transfer = transfers_[key];
  transfer.bound_stale = false;
  const std::uint64_t bound = bound_of(rendezvous);
  if (bound == transfer.bound) return;
  transfer.bound = bound;
  sharing_.set_bound(key, bound);
  rates_stale_ = true;
}

std::uint64_t Transfers::bound_of(RendezvousId rendezvous) const {
  const std::uint64_t alone = leg_of(rendezvous_[rendezvous]).rate_bound;
  if (!loads_.memory_short_anywhere()) return alone;
  std::uint64_t demand = 0;
  for_each_member(rendezvous,
                  [&](OpId member) { demand = std::max(demand, loads_.memory(step_.rank_of(member)).amount); });
  return bound_beside_memory_demand(alone, demand);
}

void Transfers::set_rate(std::uint32_t key, std::uint64_t rate) {
  TransferState& transfer = transfers_[key];
  RendezvousState& state = rendezvous_[transfer.rendezvous];
  const LegId leg(state.leg);
  const bool alone_from_start = transfer.rate == 0 && rate == timing_->legs[leg].rate_bound;
  transfer.remaining -= Int128{transfer.rate} * (events_.now() - transfer.since).count;
  transfer.since = events_.now();
  transfer.rate = rate;
  const Picoseconds left = alone_from_start ? leg_alone_[leg] : time_for(transfer.remaining, rate);
  events_.push(events_.now() + left, {PendingEvent::transferred, transfer.rendezvous.value, ++state.version});
}

}  // namespace clusterwright::engine
