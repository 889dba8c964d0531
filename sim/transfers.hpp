// SPDX-License-Identifier: Apache-2.0
/// Communication: members meet in a rendezvous, whose chain then takes them through its legs.
///
/// A rendezvous waits until its last member has arrived. Then its legs run one after the other, each first a delay,
/// then bytes at the rate that CapacitySharing grants. All members end with the last leg. Until then
/// a rendezvous is in exactly one of three states: members are missing, a delay is pending, or one transfer of it is in
/// capacity sharing.
///
/// Example: a chain of two legs, 5 us + 100 MB bound to 50 GB/s and 5 us without bytes. Members arrive at 0 and 3 us.
/// The chain begins at 3 us, the bytes at 8 us. Alone they take 2 ms: the first leg ends at 2008 us and the chain at
/// 2013 us. If another transfer halves the rate from 1008 us on, the last 50 MB take 2 ms instead of 1 ms: the chain
/// ends at 3013 us.
///
/// Rates are constant between changes. At a change a transfer is brought up to now,
///   remaining -= rate * (now - since),
/// and its end becomes now + remaining / new rate; the event of the old end is stale. Changes of one instant are
/// settled together.
///
/// The memory that a transfer loads on the device of its slowest member bounds it, too:
///   bound = rate bound of the leg * min(1, 1 / sum of all memory demands on that rank)
#pragma once

#include <cstdint>
#include <vector>

#include "sim/capacity_sharing.hpp"
#include "sim/device_loads.hpp"
#include "sim/pending_event.hpp"
#include "sim/replay.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright::engine {

class Transfers {
 public:
  Transfers(PreparedStep& step, const DeviceLoads& loads, Events& events, ReplayResult& result)
      : step_(step), loads_(loads), events_(events), result_(result) {}

  /// Chain times of a timing, which must live until the next call.
  /// @param free_chains  by ChainId: 1 if the chain always takes its time alone, in one event
  void retime(const StepTiming& timing, std::vector<char> free_chains);
  /// Back to the start of the step: all members are missing. @pre ReplayResult::last_arrival is "none" everywhere
  void reset();
  /// The same for one rendezvous, whose chain has ended.
  void renew(RendezvousId rendezvous);

  /// A member arrives. @return whether it was the last one
  bool arrive(OpId op);
  /// All members have arrived: the chain begins.
  void begin(RendezvousId rendezvous);
  /// A delay is over. @return whether the chain has ended
  bool end_delay(RendezvousId rendezvous);
  /// All bytes of a transfer have arrived. @return whether the chain has ended
  bool end_transfer(RendezvousId rendezvous);

  bool is_current(PendingEvent transferred) const {
    return transferred.is_of(rendezvous_[RendezvousId(transferred.index())].version);
  }
  bool members_missing(RendezvousId rendezvous) const { return rendezvous_[rendezvous].missing > 0; }

  /// Time of a chain without contention.
  Picoseconds alone(ChainId chain) const { return chain_alone_[chain]; }
  const IndexedVector<ChainId, Picoseconds>& alone() const { return chain_alone_; }

  /// Calls `visit` with each member, in order of arrival. @pre members have arrived
  template <class Visit>
  void for_each_member(RendezvousId rendezvous, Visit visit) const;

  /// The memory of a member's device is loaded otherwise than before.
  void on_memory_changed(RendezvousId rendezvous);
  /// Brings bounds and rates up to date, once for all changes of this instant.
  void settle() {
    if (rates_stale_ || !bounds_stale_.empty()) settle_rates();
  }

 private:
  struct RendezvousState {
    static constexpr std::uint32_t no_transfer = ~0u;

    std::uint32_t missing = 0;  // members that have not arrived
    std::uint32_t leg = 0;      // the one that runs
    std::uint32_t leg_end = 0;  // behind the last one
    std::uint32_t transfer = no_transfer;
    std::uint32_t version = 0;  // of the event that ends the transfer

    bool past_chain() const { return leg >= leg_end; }
  };

  struct TransferState {
    Int128 remaining = 0;  // bytes times picoseconds per second; as of `since`
    Picoseconds since;
    std::uint64_t rate = 0;  // 0: not decided yet
    std::uint64_t bound = 0;
    RendezvousId rendezvous;
    bool bound_stale = false;
  };

  const LegTiming& leg_of(const RendezvousState& state) const { return timing_->legs[LegId(state.leg)]; }
  bool next_leg(RendezvousId rendezvous);
  void begin_transfer(RendezvousId rendezvous);
  std::uint64_t bound_of(RendezvousId rendezvous) const;
  void settle_rates();
  void renew_bound(RendezvousId rendezvous);
  void set_rate(std::uint32_t key, std::uint64_t rate);

  PreparedStep& step_;
  const DeviceLoads& loads_;
  Events& events_;
  ReplayResult& result_;
  const StepTiming* timing_ = nullptr;
  std::vector<CapacityDemand> demands_;          // parallel to StepStructure::uses
  IndexedVector<LegId, Picoseconds> leg_alone_;  // transfer at its bound, without the delay
  IndexedVector<ChainId, Picoseconds> chain_alone_;
  std::vector<char> free_chains_;

  IndexedVector<RendezvousId, RendezvousState> rendezvous_;
  std::vector<TransferState> transfers_;  // by key in sharing_
  CapacitySharing sharing_;
  std::vector<RendezvousId> bounds_stale_;
  bool rates_stale_ = false;
};

template <class Visit>
void Transfers::for_each_member(RendezvousId rendezvous, Visit visit) const {
  const OpId last = result_.last_arrival[rendezvous];
  OpId member = last;
  do {
    member = step_.op(member).next_member;
    visit(member);
  } while (member != last);
}

}  // namespace clusterwright::engine
