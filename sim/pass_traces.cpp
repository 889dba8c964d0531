// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_traces.hpp"

#include <algorithm>
#include <memory>

#include "sim/step_works.hpp"

namespace clusterwright {

using engine::PassPlayer;

PassTraces::PassTraces(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result)
    : structure_(structure),
      timing_(timing),
      result_(result),
      times_(structure, works_),
      changes_(result.pass_changes) {
  works_.reset(timing);
  IndexedVector<ChainId, Picoseconds> alone;
  for (std::size_t chain = 0; chain + 1 < structure.chain_begin.size(); ++chain)
    alone.push_back(time_alone(structure, timing, ChainId(chain)));
  times_.reset(timing, alone);
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const PassChange& a, const PassChange& b) { return a.pass < b.pass; });
  issue();
}

void PassTraces::issue() {
  IndexedVector<RankClassId, Picoseconds> host(structure_.ranks.size());
  host_.resize(structure_.op_count());
  for (const OpId op : structure_.op_lane.ids()) {
    Picoseconds& time = host[structure_.lanes[structure_.op_lane[op]].rank];
    host_[op] = time;
    const PassId pass = structure_.op_pass[op];
    time += pass.exists() ? times_.issue_time(pass) : timing_.works[structure_.op_work[op]].launch;
  }
}

std::span<const PassChange> PassTraces::changes_of(OpId pass) const {
  const auto [from, to] = std::equal_range(changes_.begin(), changes_.end(), PassChange{{}, pass},
                                           [](const PassChange& a, const PassChange& b) { return a.pass < b.pass; });
  return {from, to};
}

PassTrace PassTraces::of(OpId op) {
  const auto changes = changes_of(op);
  const PassId pass = structure_.op_pass[op];
  const RankClassId rank = structure_.lanes[structure_.op_lane[op]].rank;
  const Picoseconds start = result_.ops[op].start;
  const OutsideLoad& load = result_.pass_loads[changes.front().load];
  const bool in_time = start >= host_[op] + times_.table(pass, rank, load, changes.front().load).lead.front();
  if (changes.size() == 1 && in_time) return {steady(pass, rank, load), start, true};
  play(op, changes, played_);
  return {played_, {}, false};
}

const PassTraces::Played& PassTraces::steady(PassId pass, RankClassId rank, const OutsideLoad& load) {
  auto& known = steady_[{times_.on(pass, rank).alone, pass}];
  for (const auto& [beside, played] : known)
    if (beside == load) return played;
  Played played;
  PassPlayer player = times_.player();
  Picoseconds at;
  for (std::size_t segment = 0; segment < times_.shape(pass).segments(); ++segment) {
    player.begin(times_.on(pass, rank), segment, at, PassPlayer::host_ahead, load);
    player.finish();
    append(pass, segment, player, played);
    at = player.end();
  }
  return known.emplace_back(load, std::move(played)).second;
}

void PassTraces::append(PassId pass, std::size_t segment, const PassPlayer& player, Played& out) const {
  const PassShape& shape = times_.shape(pass);
  for (std::uint32_t place = shape.gates[segment]; place < shape.gates[segment + 1]; ++place)
    out.push_back(player.op(place));
}

/// The pass as it went: segments beside a load that stays are those of a steady pass, the others are played.
void PassTraces::play(OpId op, std::span<const PassChange> changes, Played& out) {
  const PassId pass = structure_.op_pass[op];
  const RankClassId rank = structure_.lanes[structure_.op_lane[op]].rank;
  Picoseconds at = result_.ops[op].start;
  std::size_t next = 1;
  PassPlayer player = times_.player();
  out.clear();
  for (std::size_t segment = 0; segment < times_.shape(pass).segments(); ++segment) {
    while (next < changes.size() && changes[next].at <= at) ++next;
    const OutsideLoad& load = result_.pass_loads[changes[next - 1].load];
    const engine::PassTable& table = times_.table(pass, rank, load, changes[next - 1].load);
    const Picoseconds end = at + table.begin[segment + 1] - table.begin[segment];
    const bool stays = next == changes.size() || changes[next].at >= end;
    if (stays && at >= host_[op] + table.lead[segment]) {
      append_steady(pass, rank, load, segment, at - table.begin[segment], out);
      at = end;
      continue;
    }
    player.begin(times_.on(pass, rank), segment, at, host_[op], load);
    for (; next < changes.size(); ++next) {
      player.advance(changes[next].at);
      if (player.done() && player.end() <= changes[next].at) break;
      player.change(changes[next].at, result_.pass_loads[changes[next].load]);
    }
    player.finish();
    append(pass, segment, player, out);
    at = player.end();
  }
}

void PassTraces::append_steady(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment,
                               Picoseconds from, Played& out) {
  const Played& played = steady(pass, rank, load);
  const PassShape& shape = times_.shape(pass);
  for (std::uint32_t place = shape.gates[segment]; place < shape.gates[segment + 1]; ++place) {
    out.push_back(played[place]);
    out.back().start += from;
    out.back().end += from;
  }
}

}  // namespace clusterwright
