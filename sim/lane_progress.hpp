// SPDX-License-Identifier: Apache-2.0
/// The op at the head of every lane, how far it has come, and how much slower it goes beside others.
///
/// A compute op has `duration * full_speed` units of progress ahead of it and makes `speed <= full_speed` of them per
/// picosecond. The speed is the lower one of
///   beside reserved multiprocessors:  full_speed / (relative duration in the table of the work)
///   beside others that load memory:   full_speed * min(1, 1 / sum of all memory demands on the rank)
/// and stays until loads of the rank change. Invariant at every change, in whole picoseconds of progress:
///   time since the op became active = progress made + time charged as lost
///
/// Example: a GEMM of 10 us, whose table doubles its time beside 20 multiprocessors, meets a collective that holds 20
/// of them from 4 us to 8 us. It makes 4 us of progress alone, 2 us in the next 4 us, and 4 us alone again: it ends at
/// 12 us, and 2 us are charged to the collective.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/device_loads.hpp"
#include "sim/pending_event.hpp"
#include "sim/replay.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright::engine {

/// Members after `charges_losses` are used only for compute ops.
struct LaneState {
  OpId op;                      // at the head; "none": the lane is idle
  bool active = false;          // the op runs or transfers; false while it waits for partners
  bool charges_losses = false;  // copy lanes do not
  std::uint32_t version = 0;    // of the event that ends the op
  std::uint32_t speed = 0;      // 0: not decided yet
  Int128 remaining = 0;         // progress ahead of the op, as of `since`
  Picoseconds since;
  Picoseconds lost;  // to sharing, already charged
  ChargeId culprit;  // charge of the op that slowed it down last
};

class LaneProgress {
 public:
  LaneProgress(const PreparedStep& step, WorkTimes& works, DeviceLoads& loads, Events& events, ReplayResult& result)
      : step_(step), works_(works), loads_(loads), events_(events), result_(result) {}
  void reset();

  /// The op takes the head of its lane.
  void take(OpId op, OpId released_by);
  /// Work or transfer begins; alone it would take `unshared`.
  void activate(OpId op, Picoseconds unshared);
  /// A compute op begins and ends by an event, unless loads change.
  void compute(OpId op);
  /// The op ends and gives back what it took.
  void leave(OpId op);

  /// New speed of the compute op at the head of a lane, if there is one: loads of its rank have changed.
  void share(LaneId lane);

  LaneState& operator[](LaneId lane) { return lanes_[lane]; }
  const LaneState& operator[](LaneId lane) const { return lanes_[lane]; }

  // For runs, which decide on several ops at once
  WorkTimes& works() { return works_; }
  const WorkTimes& works() const { return works_; }
  const DeviceLoads& loads() const { return loads_; }
  void mark_changed(LaneId lane) { loads_.mark_changed(step_.rank_of(lane)); }
  /// Brings the op at the head of a lane up to now.
  void progress(LaneId lane);
  /// Charge of the other op on the rank that holds most multiprocessors.
  ChargeId largest_other_holder(LaneId lane) const { return charge_of(largest_other_holder_op(lane)); }
  /// That op; "none" without one.
  OpId largest_other_holder_op(LaneId lane) const;
  void charge_loss(RankClassId rank, ChargeId culprit, Picoseconds lost);

  /// Sorted by rank class, then charge; no zero entries.
  std::vector<SharingLoss> losses() const;

 private:
  const WorkNeeds& needs(OpId op) const { return works_.needs(step_.op(op).work); }
  void charge_progress(LaneId lane);
  ChargeId largest_other_loader(LaneId lane) const;
  ChargeId charge_of(OpId op) const { return op.exists() ? step_.op(op).charge : ChargeId(); }
  template <class Amount>
  OpId largest_other(LaneId lane, const Takers& takers, Amount amount) const;

  const PreparedStep& step_;
  WorkTimes& works_;
  DeviceLoads& loads_;
  Events& events_;
  ReplayResult& result_;
  IndexedVector<LaneId, LaneState> lanes_;
  IndexedVector<RankClassId, std::vector<Picoseconds>> lost_;  // by ChargeId; empty while nothing was lost
};

inline void LaneProgress::take(OpId op, OpId released_by) {
  OpTrace& trace = result_.ops[op];
  trace.start = events_.now();
  trace.released_by = released_by;
  LaneState& lane = lanes_[step_.op(op).lane];
  lane.op = op;
  lane.active = false;
  loads_.hold_sms(op);
}

inline void LaneProgress::activate(OpId op, Picoseconds unshared) {
  OpTrace& trace = result_.ops[op];
  trace.active = events_.now();
  trace.unshared = unshared;
  lanes_[step_.op(op).lane].active = true;
  loads_.load_memory(op);
}

inline void LaneProgress::leave(OpId op) {
  const LaneId id = step_.op(op).lane;
  LaneState& lane = lanes_[id];
  result_.ops[op].end = events_.now();
  if (lane.culprit.exists()) progress(id);
  lane.culprit = ChargeId();
  lane.op = OpId();
  loads_.give_back(op);
}

inline void LaneProgress::charge_loss(RankClassId rank, ChargeId culprit, Picoseconds lost) {
  std::vector<Picoseconds>& charged = lost_[rank];
  charged.resize(step_.structure().charge_names.size());
  charged[culprit.value] += lost;
}

}  // namespace clusterwright::engine
