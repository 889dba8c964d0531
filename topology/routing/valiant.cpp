// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/valiant.hpp"

#include <algorithm>
#include <map>

#include "topology/routing/twin_flow.hpp"

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

/// Twins to which traffic is carried at once: beyond, their amounts would no longer fit into a cache.
constexpr std::size_t most_at_once = 32;

/// First stations of a list that are twins of each other; at least one.
std::span<const StationId> leading_twins(const Detours& detours, std::span<const StationId> list) {
  std::size_t length = 1;
  while (length < std::min(list.size(), most_at_once) && detours.twins(list[0], list[length])) ++length;
  return list.first(length);
}

/// What stations send by detours to all cells but that where they turn.
class Senders {
 public:
  Senders(const Detours& detours, const Stations& stations, std::vector<Share> shares)
      : detours_(detours), shares_(std::move(shares)), all_(stations.size(), 0.0), senders_(detours.cells()) {
    for (const Share& share : shares_) all_[share.station] += share.bytes;
    std::stable_sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) { return a.cell < b.cell; });
    for (const StationId s : stations.ids())
      if (all_[s] > 0) senders_[detours.component_of(s)].push_back(s);
    left_ = all_;
    begin_ = end_ = shares_.begin();
  }

  /// Goes on to flows that turn in a cell; cells in ascending order.
  void turn_in(std::uint32_t cell) {
    for (; begin_ != end_; ++begin_) left_[begin_->station] = all_[begin_->station];
    for (; end_ != shares_.end() && end_->cell == cell; ++end_) left_[end_->station] -= end_->bytes;
  }

  /// Puts what the stations outside a cell send to twins in it.
  void put(std::uint32_t cell, std::size_t twins, TwinFlow& flow) const {
    for (const StationId s : senders_[detours_.component_of(detours_.turns(cell).front())])
      if (detours_.cell_of(s) != cell && left_[s] > rounding * all_[s])
        flow.put(s, std::vector<double>(twins, left_[s]));
  }

 private:
  const Detours& detours_;
  std::vector<Share> shares_;                       // by cell
  IndexedVector<StationId, double> all_;            // bytes sent
  IndexedVector<StationId, double> left_;           // less those to the cell where they turn
  std::vector<std::vector<StationId>> senders_;     // by component
  std::vector<Share>::const_iterator begin_, end_;  // shares of that cell
};

/// First halves of detours: from every station to every turn outside its cell, all it sends except to that turn's cell.
void send_outward(const Detours& detours, const Stations& stations, std::vector<Share> shares, SprayFlow& flow) {
  TwinFlow to_turns(stations, flow);
  Senders senders(detours, stations, std::move(shares));
  for (std::uint32_t cell = 0; cell < detours.cells(); ++cell) {
    senders.turn_in(cell);
    for (std::span<const StationId> turns = detours.turns(cell); !turns.empty();) {
      const std::span<const StationId> twins = leading_twins(detours, turns);
      to_turns.start(twins);
      senders.put(cell, twins.size(), to_turns);
      to_turns.finish();
      turns = turns.subspan(twins.size());
    }
  }
}

/// What stations receive by detours from each cell of their component, less what comes from that cell itself.
class Receivers {
 public:
  Receivers(const Detours& detours, std::vector<Share> shares) : detours_(detours), shares_(std::move(shares)) {
    std::stable_sort(shares_.begin(), shares_.end(),
                     [](const Share& a, const Share& b) { return a.station < b.station; });
    for (std::size_t i = 0; i < shares_.size(); ++i)
      if (i == 0 || shares_[i].station != shares_[i - 1].station) {
        stations_.push_back(shares_[i].station);
        begin_.push_back(i);
      }
    begin_.push_back(shares_.size());
  }

  /// In the order of their numbers.
  std::span<const StationId> stations() const { return stations_; }

  /// Bytes by way of each cell, in the order of cells_of; 0 where nothing goes that way.
  /// @param number  of the receiver among stations()
  std::vector<double> by_way_of(std::size_t number) const {
    std::map<std::uint32_t, double> from_cell;
    double all = 0;
    for (std::size_t i = begin_[number]; i < begin_[number + 1]; ++i) {
      from_cell[shares_[i].cell] += shares_[i].bytes;
      all += shares_[i].bytes;
    }
    std::vector<double> out;
    for (const std::uint32_t cell : detours_.cells_of(detours_.component_of(stations_[number]))) {
      const auto from = from_cell.find(cell);
      const double left = all - (from == from_cell.end() ? 0 : from->second);
      const bool none = cell == detours_.cell_of(stations_[number]) || left <= rounding * all;
      out.push_back(none ? 0 : left);
    }
    return out;
  }

 private:
  const Detours& detours_;
  std::vector<Share> shares_;
  std::vector<StationId> stations_;
  std::vector<std::size_t> begin_;  // by station, and the end: in shares_
};

bool same_ways(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return (x == 0) == (y == 0); });
}

/// Second halves of detours: from every turn outside a station's cell to it, all it receives except from that turn's
/// cell.
void send_inward(const Detours& detours, const Stations& stations, std::vector<Share> shares, SprayFlow& flow) {
  TwinFlow to_receivers(stations, flow);
  const Receivers receivers(detours, std::move(shares));
  const std::span<const StationId> all = receivers.stations();
  for (std::size_t next = 0; next < all.size();) {
    std::vector<std::vector<double>> ways;
    for (std::size_t twin = 0; twin < leading_twins(detours, all.subspan(next)).size(); ++twin) {
      std::vector<double> own = receivers.by_way_of(next + twin);
      if (twin > 0 && !same_ways(own, ways.front())) break;
      ways.push_back(std::move(own));
    }
    to_receivers.start(all.subspan(next, ways.size()));
    const auto& cells = detours.cells_of(detours.component_of(all[next]));
    for (std::size_t way = 0; way < cells.size(); ++way) {
      std::vector<double> bytes;
      for (const std::vector<double>& own : ways) bytes.push_back(own[way]);
      for (const StationId turn : detours.turns(cells[way]))
        if (bytes.front() > 0) to_receivers.put(turn, bytes);
    }
    to_receivers.finish();
    next += ways.size();
  }
}

}  // namespace

Detours::Detours(const NetworkGraph& graph, const Stations& stations, std::span<const int> groups)
    : twin_class_(twin_classes(graph, stations, groups)) {
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
