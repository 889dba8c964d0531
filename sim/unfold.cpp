// SPDX-License-Identifier: Apache-2.0
#include "sim/unfold.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/pass_times.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

using engine::PassPlayer;

class Unfolder {
 public:
  Unfolder(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result)
      : from_(structure), timing_(timing), result_(result), times_(structure, works_), flat_(flatten(structure)) {
    works_.reset(timing);
    IndexedVector<ChainId, Picoseconds> alone;
    for (std::size_t chain = 0; chain + 1 < structure.chain_begin.size(); ++chain)
      alone.push_back(time_alone(structure, timing, ChainId(chain)));
    times_.reset(timing, alone);
    sort_changes();
  }

  UnfoldedStep run() {
    ReplayResult& out = out_;
    out.end = result_.end;
    out.sharing_losses = result_.sharing_losses;
    out.events = result_.events;
    out.ops.resize(flat_.structure.op_count());
    IndexedVector<RankClassId, Picoseconds> host(from_.ranks.size());
    for (const OpId op : from_.op_lane.ids()) {
      Picoseconds& issued = host[from_.lanes[from_.op_lane[op]].rank];
      if (const PassId pass = from_.op_pass[op]; pass.exists()) {
        open(op, issued);
        issued += times_.issue_time(pass);
      } else {
        out.ops[flat_.first[op]] = of_flat(result_.ops[op]);
        issued += timing_.works[from_.op_work[op]].launch;
      }
    }
    copy_arrivals();
    return {std::move(flat_.structure), std::move(out_)};
  }

 private:
  /// Times of the ops of a pass from its begin, beside a constant load, with a host that is ahead.
  using Played = std::vector<PassPlayer::OpTimes>;

  OpTrace of_flat(OpTrace trace) const {
    if (trace.released_by.exists()) trace.released_by = flat_.last[trace.released_by];
    return trace;
  }

  void sort_changes() {
    changes_ = result_.pass_changes;
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const PassChange& a, const PassChange& b) { return a.pass < b.pass; });
  }

  std::span<const PassChange> changes_of(OpId pass) const {
    const auto [from, to] = std::equal_range(changes_.begin(), changes_.end(), PassChange{pass, {}, {}},
                                             [](const PassChange& a, const PassChange& b) { return a.pass < b.pass; });
    return {from, to};
  }

  void open(OpId op, Picoseconds host) {
    const auto changes = changes_of(op);
    const PassId pass = from_.op_pass[op];
    const RankClassId rank = from_.lanes[from_.op_lane[op]].rank;
    const Picoseconds start = result_.ops[op].start;
    const Picoseconds lead = times_.table(pass, rank, changes.front().load).lead.front();
    if (changes.size() > 1 || start < host + lead) return play(op, host, changes);
    const Played& played = steady(pass, rank, changes.front().load);
    for (std::uint32_t i = 0; i < played.size(); ++i) write(flat_.first[op], i, played[i], start);
  }

  const Played& steady(PassId pass, RankClassId rank, const OutsideLoad& load) {
    std::vector<std::pair<OutsideLoad, Played>>& known = steady_[{times_.on(pass, rank).alone, pass}];
    for (const auto& [beside, played] : known)
      if (beside == load) return played;
    Played played;
    PassPlayer player = times_.player();
    const std::size_t segments = times_.shape(pass).segments();
    Picoseconds at;
    for (std::size_t segment = 0; segment < segments; ++segment) {
      player.begin(times_.on(pass, rank), segment, at, PassPlayer::host_ahead, load);
      player.finish();
      append(times_.shape(pass), segment, player, played);
      at = player.end();
    }
    return known.emplace_back(load, std::move(played)).second;
  }

  static void append(const PassShape& shape, std::size_t segment, const PassPlayer& player, Played& out) {
    for (std::uint32_t place = shape.gates[segment]; place < shape.gates[segment + 1]; ++place)
      out.push_back(player.op(place));
  }

  /// Plays the pass as it went: its load changes, or its host is late.
  void play(OpId op, Picoseconds host, std::span<const PassChange> changes) {
    const PassId pass = from_.op_pass[op];
    const PassShape& shape = times_.shape(pass);
    PassPlayer player = times_.player();
    Picoseconds at = result_.ops[op].start;
    std::size_t next = 1;
    Played played;
    for (std::size_t segment = 0; segment < shape.segments(); ++segment) {
      const engine::TimedPass timed = times_.on(pass, from_.lanes[from_.op_lane[op]].rank);
      player.begin(timed, segment, at, host, changes[next - 1].load);
      for (; next < changes.size(); ++next) {
        player.advance(changes[next].at);
        if (player.done() && player.end() <= changes[next].at) break;
        player.change(changes[next].at, changes[next].load);
      }
      player.finish();
      append(shape, segment, player, played);
      at = player.end();
    }
    for (std::uint32_t i = 0; i < played.size(); ++i) write(flat_.first[op], i, played[i], {});
  }

  void write(OpId first, std::uint32_t place, const PassPlayer::OpTimes& times, Picoseconds from) {
    OpTrace& trace = out_.ops[OpId(first.value + place)];
    trace.start = trace.active = from + times.start;
    trace.end = from + times.end;
    trace.unshared = times.unshared;
    trace.released_by = times.released_by == PassPlayer::none ? OpId() : OpId(first.value + times.released_by);
  }

  void copy_arrivals() {
    for (const OpId last : result_.last_arrival) out_.last_arrival.push_back(last.exists() ? flat_.last[last] : OpId());
    out_.last_arrival.resize(flat_.structure.rendezvous.size());
    for (const OpId op : flat_.structure.op_rendezvous.ids())
      if (const RendezvousId meeting = flat_.structure.op_rendezvous[op]; meeting.exists())
        if (!out_.last_arrival[meeting].exists()) out_.last_arrival[meeting] = op;
  }

  const StepStructure& from_;
  const StepTiming& timing_;
  const ReplayResult& result_;
  engine::WorkTimes works_;
  engine::PassTimes times_;
  FlatStep flat_;
  ReplayResult out_;
  std::vector<PassChange> changes_;                      // by pass, then time
  using PassOfVariant = std::pair<const void*, PassId>;  // ranks of a variant share the times of collectives
  std::map<PassOfVariant, std::vector<std::pair<OutsideLoad, Played>>> steady_;
};

}  // namespace

UnfoldedStep unfold(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result) {
  return Unfolder(structure, timing, result).run();
}

}  // namespace clusterwright
