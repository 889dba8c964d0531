// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/valiant.hpp"

#include <algorithm>
#include <map>

namespace clusterwright {

namespace {

/// Bytes that a station exchanges with all stations of a cell, over the number of stations where they may turn.
struct Share {
  StationId station;
  std::uint32_t cell = 0;
  double bytes = 0;
};

/// Relative difference below which a remainder is rounding.
constexpr double rounding = 1e-12;

/// First halves of detours: from every station to every turn outside its cell, all it sends except to that turn's cell.
void send_outward(const Detours& detours, const Stations& stations, std::vector<Share> shares, SprayFlow& flow) {
  IndexedVector<StationId, double> all(stations.size(), 0.0);
  for (const Share& share : shares) all[share.station] += share.bytes;
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.cell < b.cell; });
  std::vector<std::vector<StationId>> senders(detours.cells());  // by component
  for (const StationId s : stations.ids())
    if (all[s] > 0) senders[detours.component_of(s)].push_back(s);
  IndexedVector<StationId, double> left = all;
  auto share = shares.begin();
  for (std::uint32_t cell = 0; cell < detours.cells(); ++cell) {
    const auto first = share;
    for (; share != shares.end() && share->cell == cell; ++share) left[share->station] -= share->bytes;
    for (const StationId turn : detours.turns(cell)) {
      for (const StationId s : senders[detours.component_of(turn)])
        if (detours.cell_of(s) != cell && left[s] > rounding * all[s])
          flow.put(stations[s].place, stations[turn].endpoint, left[s]);
      flow.finish(stations[turn]);
    }
    for (auto used = first; used != share; ++used) left[used->station] = all[used->station];
  }
}

/// Second halves of detours: from every turn outside a station's cell to it, all it receives except from that turn's
/// cell.
void send_inward(const Detours& detours, const Stations& stations, std::vector<Share> shares, SprayFlow& flow) {
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.station < b.station; });
  std::vector<double> from_cell(detours.cells(), 0.0);
  for (auto share = shares.begin(); share != shares.end();) {
    const StationId to = share->station;
    const auto first = share;
    double all = 0;
    for (; share != shares.end() && share->station == to; ++share) {
      from_cell[share->cell] += share->bytes;
      all += share->bytes;
    }
    for (const std::uint32_t cell : detours.cells_of(detours.component_of(to))) {
      const double left = all - from_cell[cell];
      if (cell == detours.cell_of(to) || left <= rounding * all) continue;
      for (const StationId turn : detours.turns(cell)) flow.put(stations[turn].place, stations[to].endpoint, left);
    }
    flow.finish(stations[to]);
    for (auto used = first; used != share; ++used) from_cell[used->cell] = 0;
  }
}

}  // namespace

Detours::Detours(const NetworkGraph& graph, const Stations& stations, std::span<const int> groups) {
  const IndexedVector<VertexId, std::uint32_t> component = components(graph);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cells;  // component and group
  std::map<std::uint32_t, std::uint32_t> dense;
  for (const StationId s : stations.ids()) {
    const VertexId at = stations[s].at;
    const std::uint32_t group = groups.empty() ? at.value : static_cast<std::uint32_t>(groups[graph.switch_number(at)]);
    const auto whole = dense.try_emplace(component[at], static_cast<std::uint32_t>(dense.size())).first->second;
    const auto [found, is_new] = cells.try_emplace({whole, group}, static_cast<std::uint32_t>(cells.size()));
    if (is_new) component_.push_back(whole);
    cell_of_.push_back(found->second);
    turns_.resize(cells.size());
    if (stations[s].last_links == 1) turns_[found->second].push_back(s);
  }
  cells_of_.resize(dense.size());
  with_turns_.resize(dense.size());
  all_turns_.resize(dense.size());
  for (std::uint32_t cell = 0; cell < component_.size(); ++cell) {
    cells_of_[component_[cell]].push_back(cell);
    with_turns_[component_[cell]] += turns_[cell].empty() ? 0 : 1;
    all_turns_[component_[cell]] += turns_[cell].size();
  }
}

double Detours::choices(std::uint32_t from_cell, std::uint32_t to_cell) const {
  std::size_t turns = all_turns_[component_[from_cell]] - turns_[from_cell].size();
  if (to_cell != from_cell) turns -= turns_[to_cell].size();
  return static_cast<double>(turns);
}

void divert(const Detours& detours, const Stations& stations, const std::vector<StationFlow>& flows, SprayFlow& flow) {
  std::vector<Share> outward;
  std::vector<Share> inward;
  std::vector<StationFlow> direct;
  for (const StationFlow& f : flows) {
    const std::uint32_t component = detours.component_of(f.from);
    if (component != detours.component_of(f.to) || !detours.possible(component)) {
      direct.push_back(f);
      continue;
    }
    const std::uint32_t from_cell = detours.cell_of(f.from);
    const std::uint32_t to_cell = detours.cell_of(f.to);
    const double bytes = f.bytes / detours.choices(from_cell, to_cell);
    outward.push_back({f.from, to_cell, bytes});
    inward.push_back({f.to, from_cell, bytes});
  }
  spray(stations, direct, flow);
  send_outward(detours, stations, std::move(outward), flow);
  send_inward(detours, stations, std::move(inward), flow);
}

void divert_exchange(const Detours& detours, const Stations& stations, const IndexedVector<StationId, double>& members,
                     double bytes, SprayFlow& flow) {
  std::vector<double> of_cell(detours.cells(), 0.0);
  for (const StationId s : stations.ids()) of_cell[detours.cell_of(s)] += members[s];
  std::vector<Share> shares;
  for (const StationId s : stations.ids()) {
    if (!detours.possible(detours.component_of(s)) || members[s] == 0) continue;
    const std::uint32_t mine = detours.cell_of(s);
    for (const std::uint32_t cell : detours.cells_of(detours.component_of(s))) {
      const double others = of_cell[cell] - (cell == mine ? members[s] : 0);
      if (others > 0) shares.push_back({s, cell, bytes * members[s] * others / detours.choices(mine, cell)});
    }
  }
  send_outward(detours, stations, shares, flow);  // what is sent and what is received are alike
  send_inward(detours, stations, std::move(shares), flow);
}

namespace {

/// Seconds of one link over x: at0 + x * slope.
struct Line {
  double at0 = 0;
  double slope = 0;
  double at(double x) const { return at0 + x * slope; }
};

std::vector<Line> lines_of(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b) {
  std::vector<Line> lines;
  for (const LinkId link : a.ids()) {
    if (a[link] == 0 && b[link] == 0) continue;
    const double capacity = graph.capacity(link).in(byte_per_second);
    lines.push_back({b[link] / capacity, (a[link] - b[link]) / capacity});
  }
  return lines;
}

Line highest(const std::vector<Line>& lines, double x) {
  Line top;
  for (const Line& line : lines)
    if (line.at(x) > top.at(x)) top = line;
  return top;
}

constexpr double slope_rounding = 1e-14;

/// Height at which the highest of `lines` is lowest. A falling and a rising line close in on it: where they cross,
/// either no other is higher, or the highest one takes the place of one of the two.
double lowest_height(const std::vector<Line>& lines) {
  Line falling = highest(lines, 0);
  if (falling.slope >= 0) return falling.at(0);
  Line rising = highest(lines, 1);
  if (rising.slope <= 0) return rising.at(1);
  double lowest = std::min(falling.at(0), rising.at(1));
  for (std::size_t i = 0; i < lines.size(); ++i) {  // each line takes a place at most once
    const double x = (falling.at0 - rising.at0) / (rising.slope - falling.slope);
    const Line top = highest(lines, x);
    lowest = std::min(lowest, top.at(x));
    if (top.at(x) <= falling.at(x) * (1 + slope_rounding) || top.slope == 0) break;
    (top.slope < 0 ? falling : rising) = top;
  }
  return lowest;
}

/// Largest x in 0..1 where no line is above the lowest height: of equally good mixtures, that with most shortest
/// paths.
double best_share(const std::vector<Line>& lines) {
  const double height = lowest_height(lines);
  double x = 1;
  for (const Line& line : lines)
    if (line.slope > 0 && line.at(x) > height * (1 + slope_rounding))
      x = std::max(0.0, (height - line.at0) / line.slope);
  return x;
}

}  // namespace

double least_busy_share(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b) {
  return best_share(lines_of(graph, a, b));
}

LinkLoads least_busy_mixture(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b) {
  const double x = least_busy_share(graph, a, b);
  LinkLoads mixture(a.size());
  for (const LinkId link : a.ids()) mixture[link] = x * a[link] + (1 - x) * b[link];
  return mixture;
}

}  // namespace clusterwright
