// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/breadth_first_routes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

namespace clusterwright {

/// Search for one batch of 64 attachments; arrays by switch, bits by attachment of the batch. From near to far: first
/// by links between groups (crossings), then by links inside them (steps), so that a bit reaches every switch first by
/// shortest paths.
template <typename Distance>
class BreadthFirstRoutes<Distance>::Search {
 public:
  explicit Search(BreadthFirstRoutes& routes)
      : routes_(routes), seen_(routes.switches_), frontier_(routes.switches_), next_(routes.switches_) {}

  /// @return whether `Distance` holds every path found
  bool run(std::uint32_t first) {
    start(first);
    for (std::size_t crossings = 0; !entering_.empty(); ++crossings) {
      across_.swap(entering_);
      entering_.clear();
      for (std::size_t steps = 0; steps < across_.size() || !reached_.empty(); ++steps) {
        enter(steps);
        turn();
        const std::size_t distance = crossings * routes_.crossing_ + steps;
        if (!active_.empty() && (distance >= unreached || steps + 1 >= routes_.crossing_)) return false;
        for (const std::uint32_t s : active_) record(first, s, static_cast<Distance>(distance));
        advance(steps);
      }
    }
    for (const std::uint32_t s : touched_) seen_[s] = 0;
    touched_.clear();
    return true;
  }

 private:
  static constexpr std::uint32_t batch = 64;

  /// Bits that come over a link between groups.
  struct Entry {
    std::uint32_t at = 0;
    std::uint64_t bits = 0;
  };

  void start(std::uint32_t first) {
    entering_.resize(1);
    const auto sets = static_cast<std::uint32_t>(routes_.attachments_.sets());
    for (std::uint32_t set = first; set < std::min(first + batch, sets); ++set)
      for (const VertexId v : routes_.attachments_.switches(Attachments::SetId(set)))
        entering_[0].push_back({routes_.number_of(v), std::uint64_t{1} << (set - first)});
  }

  void enter(std::size_t steps) {
    if (steps >= across_.size()) return;
    for (const Entry& entry : across_[steps]) reach(entry.at, entry.bits);
  }

  /// Makes the switches just reached the active ones.
  void turn() {
    for (const std::uint32_t s : reached_) {
      if (seen_[s] == 0) touched_.push_back(s);
      seen_[s] |= next_[s];
    }
    active_.swap(reached_);
    frontier_.swap(next_);
  }

  /// Goes from every active switch to its neighbours.
  void advance(std::size_t steps) {
    for (const std::uint32_t s : active_) {
      for (std::uint32_t i = routes_.begin_[s]; i < routes_.begin_[s + 1]; ++i) {
        if (routes_.length_[i] == 1)
          reach(routes_.neighbour_[i], frontier_[s]);
        else
          cross(routes_.neighbour_[i], frontier_[s], steps);
      }
      frontier_[s] = 0;
    }
    active_.clear();
  }

  void reach(std::uint32_t s, std::uint64_t bits) {
    bits &= ~seen_[s];
    if (bits == 0) return;
    if (next_[s] == 0) reached_.push_back(s);
    next_[s] |= bits;
  }

  void cross(std::uint32_t s, std::uint64_t bits, std::size_t steps) {
    bits &= ~seen_[s];
    if (bits == 0) return;
    if (steps >= entering_.size()) entering_.resize(steps + 1);
    entering_[steps].push_back({s, bits});
  }

  void record(std::uint32_t first, std::uint32_t s, Distance distance) {
    for (std::uint64_t bits = frontier_[s]; bits != 0; bits &= bits - 1) {
      const std::size_t set = first + static_cast<std::size_t>(std::countr_zero(bits));
      routes_.distance_[set * routes_.switches_ + s] = distance;
    }
  }

  BreadthFirstRoutes& routes_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint64_t> frontier_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint32_t> active_;         // with bits in frontier_
  std::vector<std::uint32_t> reached_;        // with bits in next_
  std::vector<std::uint32_t> touched_;        // with bits in seen_
  std::vector<std::vector<Entry>> across_;    // by steps: into the crossings under way
  std::vector<std::vector<Entry>> entering_;  // by steps: after one crossing more
};

template <typename Distance>
std::unique_ptr<BreadthFirstRoutes<Distance>> BreadthFirstRoutes<Distance>::make(const NetworkGraph& graph,
                                                                                 std::span<const int> groups) {
  std::unique_ptr<BreadthFirstRoutes> routes(new BreadthFirstRoutes(graph, groups));
  Search search(*routes);
  for (std::uint32_t first = 0; first < routes->attachments_.sets(); first += 64)
    if (!search.run(first)) return nullptr;
  return routes;
}

template <typename Distance>
BreadthFirstRoutes<Distance>::BreadthFirstRoutes(const NetworkGraph& graph, std::span<const int> groups)
    : endpoints_(graph.endpoints()),
      switches_(graph.switches()),
      attachments_(graph),
      begin_(graph.switches() + 1, 0),
      crossing_(groups.empty() ? unreached : static_cast<Distance>(sizeof(Distance) == 1 ? 16 : 256)),
      distance_(attachments_.sets() * graph.switches(), unreached) {
  for (std::size_t s = 0; s < switches_; ++s) {
    for (const LinkId link : graph.leaving(graph.switch_at(s))) {
      if (!graph.works(link) || graph.is_endpoint(graph.to(link))) continue;
      const auto neighbour = number_of(graph.to(link));
      link_.push_back(link);
      neighbour_.push_back(neighbour);
      length_.push_back(groups.empty() || groups[s] == groups[neighbour] ? Distance{1} : crossing_);
    }
    begin_[s + 1] = static_cast<std::uint32_t>(link_.size());
  }
  find_families(groups);
}

/// Switches of one group with the same neighbours: a shortest path to any of them enters by one of these neighbours,
/// and never passes another one of them, so all are equally far from elsewhere.
template <typename Distance>
void BreadthFirstRoutes<Distance>::find_families(std::span<const int> groups) {
  std::map<std::pair<int, std::vector<std::uint32_t>>, Attachments::SetId> first_with;
  family_.resize(attachments_.sets());
  for (const Attachments::SetId set : family_.ids()) {
    family_[set] = set;
    const std::vector<VertexId>& beside = attachments_.switches(set);
    if (beside.size() != 1) continue;
    const std::uint32_t s = number_of(beside.front());
    std::vector<std::uint32_t> near(neighbour_.begin() + begin_[s], neighbour_.begin() + begin_[s + 1]);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    family_[set] = first_with.try_emplace({groups.empty() ? 0 : groups[s], std::move(near)}, set).first->second;
  }
}

template <typename Distance>
std::uint32_t BreadthFirstRoutes<Distance>::family(VertexId to) const {
  const Attachments::SetId set = attachments_.set_of(to);
  return set.exists() ? family_[set].value : Attachments::SetId::none_value;
}

template <typename Distance>
const Distance* BreadthFirstRoutes<Distance>::row(VertexId to) const {
  const Attachments::SetId set = attachments_.set_of(to);
  return set.exists() ? distance_.data() + set.value * switches_ : nullptr;
}

template <typename Distance>
Distance BreadthFirstRoutes<Distance>::nearest(VertexId endpoint, const Distance* row) const {
  Distance nearest = unreached;
  for (const Attachments::Cable& cable : attachments_.cables(endpoint))
    nearest = std::min(nearest, row[number_of(cable.over)]);
  return nearest;
}

template <typename Distance>
int BreadthFirstRoutes<Distance>::hops(VertexId from, VertexId to) const {
  if (from == to) return 0;
  const Distance* distance = row(to);
  if (distance == nullptr) return -1;
  const bool is_endpoint = from.value < endpoints_;
  const Distance between = is_endpoint ? nearest(from, distance) : distance[number_of(from)];
  if (between == unreached) return -1;
  return between / crossing_ + between % crossing_ + (is_endpoint ? 2 : 1);
}

template <typename Distance>
void BreadthFirstRoutes<Distance>::next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const {
  const Distance* distance = row(to);
  if (at == to || distance == nullptr) return;
  if (at.value < endpoints_) {
    const Distance least = nearest(at, distance);
    for (const Attachments::Cable& cable : attachments_.cables(at))
      if (least != unreached && distance[number_of(cable.over)] == least) out.push_back(cable.up);
    return;
  }
  const std::uint32_t s = number_of(at);
  if (distance[s] == unreached) return;
  if (distance[s] == 0) {
    for (const Attachments::Cable& cable : attachments_.cables(to))
      if (cable.over == at) out.push_back(opposite(cable.up));
    return;
  }
  if (distance[s] == 1 && enter_from(s, to, out)) return;
  for (std::uint32_t i = begin_[s]; i < begin_[s + 1]; ++i)
    if (distance[neighbour_[i]] + length_[i] == distance[s]) out.push_back(link_[i]);
}

/// The same from the other side, where the only switch of the destination has fewer links: a spine has thousands.
template <typename Distance>
bool BreadthFirstRoutes<Distance>::enter_from(std::uint32_t s, VertexId to, std::vector<LinkId>& out) const {
  const std::vector<VertexId>& beside = attachments_.switches(attachments_.set_of(to));
  if (beside.size() != 1) return false;
  const std::uint32_t last = number_of(beside.front());
  if (begin_[last + 1] - begin_[last] >= begin_[s + 1] - begin_[s]) return false;
  for (std::uint32_t i = begin_[last]; i < begin_[last + 1]; ++i)
    if (neighbour_[i] == s && length_[i] == 1) out.push_back(opposite(link_[i]));
  return true;
}

template class BreadthFirstRoutes<std::uint8_t>;
template class BreadthFirstRoutes<std::uint16_t>;

}  // namespace clusterwright
