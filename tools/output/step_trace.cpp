// SPDX-License-Identifier: Apache-2.0
#include "tools/output/step_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/lowering/step_traffic.hpp"
#include "sim/power_meter.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

/// "16.8 MB", "1.23 GB".
std::string traffic_text(Bytes bytes) {
  const double number = bytes.in(byte);
  if (number >= 1e9) return significant_text(number / 1e9, 3) + " GB";
  return number >= 1e6 ? significant_text(number / 1e6, 3) + " MB" : significant_text(number / 1e3, 3) + " kB";
}

bool is_message(Stream stream) {
  return stream == Stream::forward || stream == Stream::backward;
}

/// Rank class of each meeting that is not `sender`, else the sender: where a message goes.
RankClassId other_end(const StepStructure& structure, const std::vector<OpId>& ops, RankClassId sender) {
  for (const OpId op : ops)
    if (const RankClassId rank = structure.lanes[structure.op_lane[op]].rank; rank != sender) return rank;
  return sender;
}

IndexedVector<RendezvousId, std::vector<OpId>> members_of(const StepStructure& structure) {
  IndexedVector<RendezvousId, std::vector<OpId>> out(structure.rendezvous.size());
  for (const OpId op : structure.op_lane.ids())
    if (const RendezvousId meeting = structure.op_rendezvous[op]; meeting.exists()) out[meeting].push_back(op);
  return out;
}

/// Transfers over one link. Short ones first, each runs evenly over the room that shorter ones leave: while a message
/// passes, the collective beside it slows down and catches up later.
class LinkUse {
 public:
  explicit LinkUse(Picoseconds end) : length_(static_cast<double>(end.count) / counter_intervals) {}

  void add(Picoseconds from, Picoseconds to, double bytes) {
    const double first = static_cast<double>(from.count) / length_, last = static_cast<double>(to.count) / length_;
    if (last > first) transfers_.push_back({first, last, bytes});
  }

  /// @param full  bytes that the link carries in one interval
  std::vector<std::pair<double, double>> points(double full) {
    std::ranges::stable_sort(transfers_, {}, [](const Transfer& t) { return t.last - t.first; });
    std::vector<double> used(counter_intervals, 0.0);
    for (const Transfer& transfer : transfers_) fill(transfer, full, used);
    std::vector<std::pair<double, double>> out;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const double percent = 100 * used[i] / full;
      constexpr double least = 0.005;
      if (out.empty() || std::abs(percent - out.back().second) >= least)
        out.emplace_back(static_cast<double>(i) * length_ / 1e6, percent);
    }
    return out;
  }

 private:
  struct Transfer {
    double first, last;  ///< in intervals
    double bytes;
  };
  /// Part of interval `i` in which a transfer runs, 0..1.
  static double part(const Transfer& transfer, std::size_t i) {
    const auto begin = static_cast<double>(i);
    return std::max(0.0, std::min(transfer.last, begin + 1) - std::max(transfer.first, begin));
  }

  /// Finds the rate that carries all bytes where no interval gets more than its room, by bisection.
  static void fill(const Transfer& transfer, double full, std::vector<double>& used) {
    const auto first = static_cast<std::size_t>(transfer.first);
    const std::size_t end = std::min(counter_intervals, static_cast<std::size_t>(std::ceil(transfer.last)));
    const auto bytes_in = [&](std::size_t i, double rate) {
      const double share = part(transfer, i);
      return std::min(rate * share, std::max(0.0, std::min(full * share, full - used[i])));
    };
    const auto carried = [&](double rate) {
      double sum = 0;
      for (std::size_t i = first; i < end; ++i) sum += bytes_in(i, rate);
      return sum;
    };
    double low = 0, high = full;
    for (int step = 0; step < 40; ++step) (carried((low + high) / 2) < transfer.bytes ? low : high) = (low + high) / 2;
    // Hashed steps let streams overlap on links that hold nobody up: more than all.
    const double beyond = std::max(0.0, transfer.bytes - carried(high)) / (transfer.last - transfer.first);
    for (std::size_t i = first; i < end; ++i) used[i] += bytes_in(i, high) + beyond * part(transfer, i);
  }

  double length_;  // of an interval, in picoseconds
  std::vector<Transfer> transfers_;
};

std::vector<LinkId> counted_links(const LinkHeat& heat) {
  std::vector<LinkId> out;
  const auto add = [&](LinkId link) {
    if (out.size() < most_link_counters && heat.bytes(link) > 0 && std::ranges::find(out, link) == out.end())
      out.push_back(link);
  };
  for (const HeatTier& tier : heat.tiers())
    add(*std::ranges::max_element(tier.links, {}, [&](LinkId link) { return heat.utilisation(link); }));
  for (const LinkHeat::Alike& alike : heat.busiest_alike(most_link_counters)) add(alike.first);
  std::ranges::sort(out, std::greater{}, [&](LinkId link) { return heat.utilisation(link); });
  return out;
}

}  // namespace

IndexedVector<RendezvousId, std::string> meeting_names(const LoweredStep& lowered, const UnfoldedStep& flat,
                                                       const StepTiming& timing) {
  const StepStructure& s = flat.structure;
  IndexedVector<RendezvousId, std::string> out(s.rendezvous.size());
  const auto members = members_of(s);
  for (const RendezvousId meeting : s.rendezvous.ids()) {
    const ChainId chain = s.rendezvous[meeting].chain;
    const auto found = std::ranges::lower_bound(lowered.traffic(), chain, {}, &ChainTraffic::chain);
    if (found == lowered.traffic().end() || found->chain != chain || members[meeting].empty()) continue;
    const std::string bytes = traffic_text(chain_bytes(s, timing, chain));
    const auto stream = stream_names[static_cast<std::size_t>(found->stream)];
    const RankClassId sender = found->classes.front();
    out[meeting] = is_message(found->stream)
                       ? fmt::format("{}: {} to {}, {}", stream, s.ranks[sender].name,
                                     s.ranks[other_end(s, members[meeting], sender)].name, bytes)
                       : fmt::format("{}: {}, {}", s.work_names[s.op_work[members[meeting].front()]], stream, bytes);
  }
  return out;
}

std::vector<CounterTrack> link_counters(const LinkHeat& heat, const StepTraffic& traffic, const UnfoldedStep& flat,
                                        const StepTiming& timing) {
  const std::vector<LinkId> links = counted_links(heat);
  std::vector<LinkUse> uses(links.size(), LinkUse(flat.result.end));
  std::map<ChainId, std::vector<std::pair<std::size_t, double>>> known;  // counters of a chain, and its bytes on each
  const auto counters_of = [&](ChainId chain) -> const auto& {
    const auto [entry, fresh] = known.try_emplace(chain);
    if (!fresh) return entry->second;
    const double bytes = chain_bytes(flat.structure, timing, chain).in(byte);
    for (const StepTraffic::Crossing& crossing : traffic.crossings(chain))
      if (const auto at = std::ranges::find(links, crossing.link); at != links.end())
        entry->second.emplace_back(static_cast<std::size_t>(at - links.begin()), crossing.share * bytes);
    return entry->second;
  };
  const auto members = members_of(flat.structure);
  for (const RendezvousId meeting : members.ids()) {
    if (members[meeting].empty()) continue;
    const OpTrace& trace = flat.result.ops[members[meeting].front()];
    for (const auto& [counter, bytes] : counters_of(flat.structure.rendezvous[meeting].chain))
      uses[counter].add(trace.active, trace.end, bytes);
  }
  std::vector<CounterTrack> out;
  const double interval = to_seconds(flat.result.end).in(second) / counter_intervals;
  for (std::size_t i = 0; i < links.size(); ++i)
    out.push_back({heat.graph().link_name(links[i]),
                   uses[i].points(heat.graph().capacity(links[i]).in(byte_per_second)*interval)});
  return out;
}

namespace {

/// First rank class of each name, up to the most that are shown.
std::vector<RankClassId> shown_ranks(const StepStructure& structure) {
  std::vector<RankClassId> out;
  const auto known = [&](const std::string& name) {
    return std::ranges::any_of(out, [&](RankClassId rank) { return structure.ranks[rank].name == name; });
  };
  for (const RankClassId rank : structure.ranks.ids())
    if (out.size() < most_link_counters && !known(structure.ranks[rank].name)) out.push_back(rank);
  return out;
}

}  // namespace

std::vector<CounterTrack> power_counters(const StepStructure& structure, const StepTiming& timing,
                                         const ReplayResult& result) {
  const Picoseconds end = result.end;
  const Picoseconds slot{std::max<std::int64_t>(1, end.count / static_cast<std::int64_t>(counter_intervals))};
  const RankEnergy energy = meter_ranks(structure, timing, result, slot);
  const double length = to_seconds(slot).in(second);
  std::vector<CounterTrack> out;
  for (const RankClassId rank : shown_ranks(structure)) {
    CounterTrack track{structure.ranks[rank].name, {}};
    const std::vector<double>& joules = energy.joules[rank];
    for (std::size_t i = 0; i + 1 < joules.size(); ++i) {
      const double begin = static_cast<double>(i) * length;
      const double each = std::min(length, to_seconds(end).in(second)-begin);
      track.points.emplace_back(begin * 1e6, (joules[i + 1] - joules[i]) / each);
    }
    out.push_back(std::move(track));
  }
  return out;
}

std::vector<CounterTrack> clock_counters(const StepStructure& structure, const StepTiming& timing) {
  std::vector<CounterTrack> out;
  for (const RankClassId rank : shown_ranks(structure))
    out.push_back({structure.ranks[rank].name, {{0, 100 * timing.clock[rank]}}});
  return out;
}

}  // namespace clusterwright
