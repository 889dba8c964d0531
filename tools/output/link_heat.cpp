// SPDX-License-Identifier: Apache-2.0
#include "tools/output/link_heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "sim/plain_number.hpp"
#include "tools/output/network_picture.hpp"
#include "tools/output/output_text.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

std::size_t heat_class(double utilisation) {
  if (utilisation <= 0) return 0;
  const auto above = std::ranges::upper_bound(heat_bounds, utilisation);
  return 1 + static_cast<std::size_t>(above - heat_bounds.begin());
}

std::string heat_class_name(std::size_t heat_class) {
  const auto percent = [](double share) { return fmt::format("{:.0f}", 100 * share); };
  if (heat_class == 0) return "idle";
  if (heat_class == 1) return fmt::format("below {} %", percent(heat_bounds.front()));
  if (heat_class + 1 == heat_class_count) return fmt::format("from {} %", percent(heat_bounds.back()));
  return fmt::format("{} to {} %", percent(heat_bounds[heat_class - 2]), percent(heat_bounds[heat_class - 1]));
}

std::string_view heat_colour(std::size_t heat_class) {
  // Grey for idle; then lightness falls with each class, from yellow over green to dark blue: ColorBrewer's YlGnBu.
  static constexpr std::array<std::string_view, heat_class_count> colours = {
      "#d9dce1", "#ffffd9", "#edf8b1", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#0c2c84"};
  return colours[heat_class];
}

LinkHeat::LinkHeat(const Cluster& cluster, std::map<Stream, LinkLoads> bytes, Seconds step_time)
    : cluster_(cluster),
      graph_(cluster.network().graph),
      step_time_(step_time),
      streams_(std::move(bytes)),
      total_(graph_.links(), 0.0) {
  for (const auto& [stream, loads] : streams_)
    for (const LinkId link : loads.ids()) total_[link] += loads[link];
  std::map<std::tuple<int, std::size_t, LinkWay>, HeatTier> tiers;
  for (const LinkId link : graph_.link_ids()) {
    const int upper = std::max(level(graph_.from(link)), level(graph_.to(link)));
    HeatTier& tier = tiers[{upper, graph_.kind(link), way(link)}];
    tier.links.push_back(link);
    tier.level = upper;
  }
  for (auto& [key, tier] : tiers) {
    tier.kind = graph_.link_kinds()[std::get<1>(key)].name;
    tier.way = std::get<2>(key);
    tiers_.push_back(std::move(tier));
  }
}

double LinkHeat::utilisation(LinkId link) const {
  const double capacity = graph_.capacity(link).in(byte_per_second)*step_time_.in(second);
  return capacity > 0 ? total_[link] / capacity : 0;
}

int LinkHeat::level(VertexId v) const {
  if (graph_.is_endpoint(v)) return -1;
  int level = 0;
  for (const SwitchTier& tier : graph_.tiers()) {
    if (v.value < tier.first.value + tier.count) return level;
    ++level;
  }
  return level;
}

LinkWay LinkHeat::way(LinkId link) const {
  const int from = level(graph_.from(link)), to = level(graph_.to(link));
  if (from == to) return LinkWay::across;
  return from < to ? LinkWay::up : LinkWay::down;
}

double LinkHeat::sent(Stream stream) const {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return 0;
  double sum = 0;
  for (const VertexId nic : graph_.endpoint_ids())
    for (const LinkId link : graph_.leaving(nic)) sum += found->second[link];
  return sum;
}

double LinkHeat::sent() const {
  double sum = 0;
  for (const auto& [stream, loads] : streams_) sum += sent(stream);
  return sum;
}

std::vector<LinkId> LinkHeat::busiest(std::size_t most) const {
  std::vector<std::pair<double, LinkId>> order;
  for (const LinkId link : graph_.link_ids())
    if (total_[link] > 0) order.emplace_back(-utilisation(link), link);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end());
  std::vector<LinkId> out;
  for (auto it = order.begin(); it != end; ++it) out.push_back(it->second);
  return out;
}

std::vector<LinkHeat::Alike> LinkHeat::busiest_alike(std::size_t most) const {
  std::vector<Alike> out;
  std::map<std::tuple<std::size_t, LinkWay, long long, std::string>, std::size_t> known;
  for (const LinkId link : busiest(graph_.links())) {
    constexpr double resolution = 1e4;
    std::string streams = mixture({link});
    const auto key =
        std::make_tuple(graph_.kind(link), way(link), std::llround(resolution * utilisation(link)), streams);
    const auto [entry, fresh] = known.try_emplace(key, out.size());
    if (!fresh) {
      ++out[entry->second].count;
      continue;
    }
    if (out.size() == most) break;
    out.push_back({link, 1, std::move(streams)});
  }
  return out;
}

double LinkHeat::mean(const HeatTier& tier) const {
  double bytes = 0, capacity = 0;
  for (const LinkId link : tier.links) {
    bytes += total_[link];
    capacity += graph_.capacity(link).in(byte_per_second)*step_time_.in(second);
  }
  return capacity > 0 ? bytes / capacity : 0;
}

double LinkHeat::peak(const std::vector<LinkId>& links) const {
  double peak = 0;
  for (const LinkId link : links) peak = std::max(peak, utilisation(link));
  return peak;
}

std::string LinkHeat::mixture(const std::vector<LinkId>& links) const {
  double all = 0;
  std::vector<std::pair<double, std::string_view>> parts;
  for (const auto& [stream, loads] : streams_) {
    double bytes = 0;
    for (const LinkId link : links) bytes += loads[link];
    parts.emplace_back(bytes, stream_names[static_cast<std::size_t>(stream)]);
    all += bytes;
  }
  std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
  std::string text;
  constexpr double least = 0.005;
  for (const auto& [bytes, name] : parts)
    if (all > 0 && bytes >= least * all)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent_text(bytes / all, 0));
  return text;
}

std::string heat_csv(const LinkHeat& heat) {
  const NetworkGraph& graph = heat.graph();
  std::string out = "from,to,tier,way,capacity_gbit_per_s,bytes,utilisation";
  for (const auto& [stream, loads] : heat.streams()) {
    std::string name(stream_names[static_cast<std::size_t>(stream)]);
    std::ranges::replace(name, ' ', '_');
    out += ",bytes_" + name;
  }
  out += "\r\n";
  for (const LinkId link : graph.link_ids()) {
    out += fmt::format("{},{},{},{},{},{},{}", csv_field(graph.name(graph.from(link))),
                       csv_field(graph.name(graph.to(link))), csv_field(graph.link_kinds()[graph.kind(link)].name),
                       link_way_names[static_cast<std::size_t>(heat.way(link))],
                       exact_text(graph.capacity(link).in(gigabit_per_second)), exact_text(heat.bytes(link)),
                       exact_text(heat.utilisation(link)));
    for (const auto& [stream, loads] : heat.streams()) out += "," + exact_text(loads[link]);
    out += "\r\n";
  }
  return out;
}

std::string heat_graphviz(const LinkHeat& heat) {
  const auto ink = [&](const std::vector<LinkId>& upwards) {
    std::vector<LinkId> back;
    for (const LinkId link : upwards) back.push_back(opposite(link));
    const double up = heat.peak(upwards), down = heat.peak(back);
    // Light colours cannot be seen as lines.
    constexpr std::size_t faintest = 3;
    const std::size_t shown = heat_class(std::max(up, down));
    const std::string colour(shown == 0 ? "#c8c8c8" : heat_colour(std::max(shown, faintest)));
    const bool across = heat.way(upwards.front()) == LinkWay::across;
    return EdgeInk{fmt::format(fmt::runtime(across ? "there {}, back {}" : "up {}, down {}"), percent_text(up),
                               percent_text(down)),
                   colour, 1 + 0.6 * static_cast<double>(shown)};
  };
  Picture picture = network_picture(heat.cluster(), &heat.graph(), {most_heat_boxes, most_heat_lines}, ink);
  picture.title +=
      fmt::format(": busiest cable of each line over a step of {} s", significant_text(heat.step_time().in(second)));
  return graphviz_text(picture);
}

}  // namespace clusterwright
