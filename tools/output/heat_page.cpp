// SPDX-License-Identifier: Apache-2.0
#include "tools/output/heat_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/output/heat_drawing.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_cells = 1024;
constexpr std::size_t shown_busiest = 20;

/// "leaf to spine", "spine to leaf", "between routers".
std::string tier_heading(const LinkHeat& heat, const HeatTier& tier) {
  const NetworkGraph& graph = heat.graph();
  const auto name = [&](VertexId v) {
    if (graph.is_endpoint(v)) return std::string("node");
    const std::string whole = graph.name(v);
    return whole.substr(0, whole.rfind(' '));
  };
  const LinkId first = tier.links.front();
  const std::string ends = fmt::format("{} to {}", name(graph.from(first)), name(graph.to(first)));
  return tier.way == LinkWay::across || tier.kind.find(name(graph.from(first))) == std::string::npos
             ? fmt::format("{} ({})", ends, tier.kind)
             : ends;
}

/// "26.2 GB", "448.9 TB".
std::string bytes_text(double bytes) {
  const bool large = bytes >= 1e13;
  return significant_text(bytes / (large ? 1e12 : 1e9)) + (large ? " TB" : " GB");
}

/// Cells of a tier: nodes or switches at the lower ends of its links, in order, several in one beyond most_cells.
class CellMaker {
 public:
  CellMaker(const LinkHeat& heat, const HeatTier& tier) : heat_(heat), graph_(heat.graph()) {
    for (const LinkId link : tier.links) links_[unit(tier, link)].push_back(link);
    each_ = (links_.size() + most_cells - 1) / most_cells;
  }

  std::vector<HeatCell> cells() const {
    std::vector<HeatCell> out;
    auto it = links_.begin();
    while (it != links_.end()) {
      const std::size_t first = it->first;
      std::size_t last = first;
      std::vector<LinkId> links;
      for (std::size_t i = 0; i < each_ && it != links_.end(); ++i, ++it) {
        last = it->first;
        links.insert(links.end(), it->second.begin(), it->second.end());
      }
      out.push_back(cell(first, last, links));
    }
    return out;
  }

  std::string words() const {
    const std::string units = fmt::format("{} {}", count_text(static_cast<long long>(links_.size())),
                                          links_.size() == 1 ? name(links_.begin()->first) : plural());
    return each_ == 1 ? units : fmt::format("{}, {} in a cell", units, each_);
  }

 private:
  std::size_t unit(const HeatTier& tier, LinkId link) const {
    const VertexId lower = tier.way == LinkWay::down ? graph_.to(link) : graph_.from(link);
    return graph_.is_endpoint(lower) ? graph_.node_of(lower).value : lower.value;
  }
  bool is_node(std::size_t unit) const { return unit < static_cast<std::size_t>(graph_.nodes()) && of_nodes(); }
  bool of_nodes() const {
    const LinkId link = links_.begin()->second.front();
    return graph_.is_endpoint(graph_.from(link)) || graph_.is_endpoint(graph_.to(link));
  }
  std::string name(std::size_t unit) const {
    return is_node(unit) ? fmt::format("node {}", unit) : graph_.name(VertexId(unit));
  }
  std::string plural() const {
    const std::string whole = name(links_.begin()->first);
    const std::string one = whole.substr(0, whole.rfind(' '));
    return one == "leaf" ? "leaves" : one.ends_with("ch") ? one + "es" : one + "s";
  }

  HeatCell cell(std::size_t first, std::size_t last, const std::vector<LinkId>& links) const {
    const double peak = heat_.peak(links);
    const std::string who = first == last ? name(first) : fmt::format("{} to {}", name(first), name(last));
    const std::string streams = heat_.mixture(links);
    return {fmt::format("{}: busiest of {} {}{}{}", who, count_text(static_cast<long long>(links.size())),
                        percent_text(peak), streams.empty() ? "" : "; ", streams),
            peak};
  }

  const LinkHeat& heat_;
  const NetworkGraph& graph_;
  std::map<std::size_t, std::vector<LinkId>> links_;  // by node, or vertex of a switch
  std::size_t each_ = 1;
};

HeatChart heat_chart(const LinkHeat& heat) {
  HeatChart chart;
  chart.text = {"heat", "Utilisation of the links by tier", ""};
  for (const HeatTier& tier : heat.tiers()) {
    const CellMaker cells(heat, tier);
    chart.panels.push_back({tier_heading(heat, tier),
                            fmt::format("{}; mean {}, busiest {}", cells.words(), percent_text(heat.mean(tier)),
                                        percent_text(heat.peak(tier.links))),
                            cells.cells(), 2 * tier.level + (tier.way == LinkWay::across ? 1 : 0)});
  }
  chart.text.description =
      "Each cell is a node or switch; its colour is the utilisation of its busiest link in that direction. The table "
      "below has the numbers.";
  return chart;
}

HeatHistogramChart histogram_chart(const LinkHeat& heat) {
  HeatHistogramChart chart;
  chart.text = {"heat-histogram", "Number of links by utilisation", "One panel for each tier and direction."};
  for (const HeatTier& tier : heat.tiers()) {
    HeatHistogram& panel = chart.panels.emplace_back();
    panel.heading =
        fmt::format("{}: {} links", tier_heading(heat, tier), count_text(static_cast<long long>(tier.links.size())));
    for (const LinkId link : tier.links) ++panel.links[heat_class(heat.utilisation(link))];
  }
  return chart;
}

std::string routing_words(const Cluster& cluster) {
  const PathPolicy& policy = cluster.network().policy;
  const std::string open = cluster.spec.fabric.routing ? "" : " (the fabric states no routing)";
  switch (policy.routing) {
    case Routing::spray:
      return "spread evenly over all shortest paths" + open;
    case Routing::hash:
      return fmt::format("with {} hashed flows for each pair of NICs", policy.queue_pairs) + open;
    case Routing::valiant:
      return "by way of other groups (Valiant)" + open;
    case Routing::adaptive:
      break;
  }
  return "with adaptive routing" + open;
}

std::vector<std::string> heat_sentences(const LinkHeat& heat) {
  const std::vector<LinkId> first = heat.busiest(1);
  if (first.empty()) return {"The step sends nothing between nodes: all links of the network stay idle."};
  const LinkId link = first.front();
  std::vector<std::string> out;
  out.push_back(fmt::format("The busiest link carries {} of what it could in a step: {} ({}).",
                            percent_text(heat.utilisation(link)), heat.graph().link_name(link), heat.mixture({link})));
  out.push_back(fmt::format("A step of {} s sends {} between nodes, {}.", significant_text(heat.step_time().in(second)),
                            bytes_text(heat.sent()), routing_words(heat.cluster())));
  if (heat.utilisation(link) > 1.001)
    out.emplace_back(
        "The step is too short for these bytes: steps count the rails of a tapered tier as one bundle, and here they "
        "carry "
        "unequal traffic (docs/decisions/0014-one-network.md).");
  out.emplace_back(
      "These are means over the step. A link at 10 % may be full for a tenth of the step while others wait for it: the "
      "timeline (run --timeline) shows when.");
  return out;
}

}  // namespace

ResultTable heat_tier_table(const LinkHeat& heat) {
  ResultTable table{"Utilisation by tier",
                    {words_column("tier", "Links"),
                     {"links", "Number", ""},
                     {"used", "In use", ""},
                     {"capacity_gbit_per_s", "Each", "Gbit/s"},
                     percent_column("mean", "Mean"),
                     percent_column("busiest", "Busiest"),
                     {"bytes", "Carried", "GB", 1e-9},
                     words_column("streams", "Streams by bytes")},
                    {}};
  for (const HeatTier& tier : heat.tiers()) {
    double bytes = 0;
    int used = 0;
    BytesPerSecond fastest;
    for (const LinkId link : tier.links) {
      bytes += heat.bytes(link);
      used += heat.bytes(link) > 0;
      fastest = std::max(fastest, heat.graph().capacity(link));
    }
    table.rows.push_back({tier_heading(heat, tier), static_cast<std::int64_t>(tier.links.size()), used,
                          fastest.in(gigabit_per_second), heat.mean(tier), heat.peak(tier.links), bytes,
                          heat.mixture(tier.links)});
  }
  return table;
}

ResultTable busiest_links_table(const LinkHeat& heat, std::size_t most) {
  ResultTable table{"Busiest links",
                    {words_column("link", "Link"),
                     {"alike", "Alike", "links"},
                     {"capacity_gbit_per_s", "Capacity", "Gbit/s"},
                     percent_column("utilisation", "Utilisation"),
                     {"bytes", "Carries", "GB", 1e-9},
                     percent_column("share", "Of all bytes sent"),
                     words_column("streams", "Streams by bytes")},
                    {}};
  table.columns[5].decimals = 3;
  const double sent = heat.sent();
  for (const LinkHeat::Alike& alike : heat.busiest_alike(most)) {
    const LinkId link = alike.first;
    table.rows.push_back({heat.graph().link_name(link), alike.count, heat.graph().capacity(link).in(gigabit_per_second),
                          heat.utilisation(link), heat.bytes(link), heat.bytes(link) / sent, alike.mixture});
  }
  return table;
}

ResultTable heat_stream_table(const LinkHeat& heat) {
  ResultTable table{"Traffic by stream",
                    {words_column("stream", "Stream"),
                     {"bytes", "Sent by NICs", "GB", 1e-9},
                     percent_column("share", "Share"),
                     words_column("link", "Busiest link under it"),
                     percent_column("utilisation", "By it alone")},
                    {}};
  const double sent = heat.sent();
  for (const auto& [stream, loads] : heat.streams()) {
    double peak = 0;
    LinkId busiest(0);
    for (const LinkId link : loads.ids()) {
      const double own = heat.bytes(link) > 0 ? heat.utilisation(link) * loads[link] / heat.bytes(link) : 0;
      if (own > peak) peak = own, busiest = link;
    }
    table.rows.push_back({stream_names[static_cast<std::size_t>(stream)], heat.sent(stream), heat.sent(stream) / sent,
                          heat.graph().link_name(busiest), peak});
  }
  return table;
}

std::string heat_page(const ResultContext& context, const StepPrediction& step, const LinkHeat& heat) {
  const std::string title =
      fmt::format("{} on {} \xc3\x97 {}", context.transformer, count_text(step.accelerators), context.accelerator);
  std::string body = fmt::format(
      "<header>\n<p class=\"kind\">Heat of the links</p>\n<h1>{}</h1>\n<p class=\"job\">{}; {}</p>\n{}</header>\n",
      html_text(title), html_text(context.cluster), html_text(context.job), html_verdict(heat_sentences(heat), false));
  const HeatChart chart = heat_chart(heat);
  body += html_section("By tier", "Nodes at the bottom; towards the top of the network on the left, back on the right.",
                       html_figure(heat_legend(), both_widths(chart, heat_svg), chart.text.description) +
                           styled_table(heat_tier_table(heat), "links"));
  body +=
      html_section("Busiest links", "Links of one tier that carry the same are one row, named by the first of them.",
                   styled_table(busiest_links_table(heat, shown_busiest), "links"));
  body += html_section("Spread of utilisation", "A narrow spread is even traffic; a tail to the right is a hot spot.",
                       html_figure("", both_widths(histogram_chart(heat), heat_histograms_svg),
                                   "Number of links by utilisation over the step."));
  body += html_section("Streams", "Collectives count as rings and exchanges; storage and pooled memory are left out.",
                       render_html(heat_stream_table(heat)));
  return html_page("Heat of the links: " + title, heat_style(), body + inputs_section(context), repeat_footer(context));
}

}  // namespace clusterwright
