// SPDX-License-Identifier: Apache-2.0
/// One segment of a pass, op by op, beside loads from outside that may change: what lane_progress.hpp and transfers.hpp
/// say of ops, for ops of one rank whose collectives take their time alone.
///
/// A segment begins with its gate and ends when the next gate starts, or with the last op of the pass.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/outside_load.hpp"
#include "sim/pass_shape.hpp"
#include "sim/wide_integer.hpp"
#include "sim/work_times.hpp"

namespace clusterwright::engine {

/// A pass on a rank class at one timing.
struct TimedPass {
  const PassShape* shape = nullptr;
  const StepTiming* timing = nullptr;
  const std::vector<Picoseconds>* issued = nullptr;  ///< by op: host time from the begin of the pass until it is issued
  const std::vector<Picoseconds>* alone = nullptr;   ///< by place of the collective
  RankClassId rank;
};

class PassPlayer {
 public:
  static constexpr std::uint32_t none = ~0u;
  /// Issues everything in time.
  static constexpr Picoseconds host_ahead{std::numeric_limits<std::int64_t>::min() / 2};

  struct OpTimes {
    Picoseconds start, end, unshared;
    std::uint32_t released_by = none;  ///< place in the pass; "none": its launch, or the begin of the segment
    std::uint32_t waits = 0;
  };

  /// @param works  of the timing of each pass that is played
  PassPlayer(WorkTimes& works, const EngineCharges& charges) : works_(&works), charges_(&charges) {}

  /// The gate of a segment starts. @param host  when the host began to issue the pass
  void begin(const TimedPass& pass, std::size_t segment, Picoseconds at, Picoseconds host, const OutsideLoad& load);
  /// Plays up to `until`; what happens at that instant is left open, as the load may change then.
  void advance(Picoseconds until);
  /// The load changes at `at`. @pre advance(at)
  void change(Picoseconds at, const OutsideLoad& load);
  void finish() { advance({std::numeric_limits<std::int64_t>::max()}); }

  bool done() const { return done_; }
  Picoseconds end() const { return now_; }  ///< @pre done()
  /// Ops of the segment, and the next gate. @param place  in the pass
  const OpTimes& op(std::size_t place) const { return ops_[place - first_]; }

  /// Calls `add(charge, time)` for all of the compute lane from the begin to the end. @pre done()
  template <class Add>
  void charge(const Add& add) const;

 private:
  struct Event {
    Picoseconds time;
    std::uint32_t op = 0;
    bool issues = false;
  };
  struct Kernel {
    std::uint32_t op = none;
    std::uint32_t speed = 0;  ///< 0: not decided yet
    Int128 remaining = 0;
    Picoseconds since, lost;
    ChargeId culprit;
  };

  const PassShape::Op& shape(std::uint32_t op) const { return pass_.shape->ops[op]; }
  std::uint32_t held_by(std::uint32_t op) const { return works_->needs(shape(op).work).reserved_sms; }
  bool is_next_gate(std::uint32_t op) const { return op == end_ && op < pass_.shape->size(); }

  void push(Picoseconds time, std::uint32_t op, bool issues);
  void release(std::uint32_t op, std::uint32_t by);
  void start(std::uint32_t op, std::uint32_t by);
  void start_kernel(std::uint32_t op);
  void end(std::uint32_t op);
  void share();
  void progress();
  ChargeId largest_other() const;
  std::uint32_t last_dependency(std::uint32_t op) const;
  template <class Add>
  void charge_gap(Picoseconds begin, std::uint32_t op, const Add& add) const;

  WorkTimes* works_;
  const EngineCharges* charges_;
  TimedPass pass_;
  std::uint32_t first_ = 0, end_ = 0;
  Picoseconds now_, host_;
  OutsideLoad load_;
  std::vector<OpTimes> ops_;
  std::vector<Event> events_;  ///< in the order of insertion
  std::vector<std::uint32_t> holders_;
  Kernel kernel_;
  bool changed_ = false, done_ = false;
  std::vector<std::pair<ChargeId, Picoseconds>> losses_;
};

template <class Add>
void PassPlayer::charge(const Add& add) const {
  Picoseconds cursor = ops_.front().start;
  for (std::uint32_t op = first_; op < end_; ++op) {
    if (!shape(op).is_kernel()) continue;
    const OpTimes& times = this->op(op);
    if (cursor < times.start) charge_gap(cursor, op, add);
    const Picoseconds own = std::min(times.unshared, pass_.timing->works[shape(op).work].duration);
    add(shape(op).charge, own);
    add(charges_->throttle, times.unshared - own);
    cursor = times.end;
  }
  if (cursor < now_) charge_gap(cursor, end_, add);
  for (const auto& [culprit, lost] : losses_) add(culprit, lost);
}

/// The walk of breakdown.hpp inside a segment: there the gap begins with an op, so it never leaves the segment.
template <class Add>
void PassPlayer::charge_gap(Picoseconds begin, std::uint32_t op, const Add& add) const {
  Picoseconds cursor = this->op(op).start;
  const auto back_to = [&](Picoseconds time, ChargeId charge) {
    const Picoseconds from = std::max(begin, time);
    if (from >= cursor) return;
    add(charge, cursor - from);
    cursor = from;
  };
  while (cursor > begin) {
    std::uint32_t before = this->op(op).released_by;
    if (before == none) {
      before = last_dependency(op);
      if (before == none) break;
      back_to(this->op(before).end, charges_->launch);
    }
    back_to(this->op(before).start, shape(before).charge);
    op = before;
  }
  back_to(begin, charges_->idle);
}

}  // namespace clusterwright::engine
