// SPDX-License-Identifier: Apache-2.0
#include "tools/output/size_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/json_writer.hpp"
#include "tools/output/cost_output.hpp"
#include "tools/output/floor_drawing.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/plant_tables.hpp"
#include "tools/output/rack_drawing.hpp"
#include "tools/output/site_drawing.hpp"
#include "tools/output/size_charts.hpp"
#include "tools/output/size_json.hpp"
#include "tools/output/size_tables.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

std::string holds_sentence(const SitePlan& plan) {
  const auto fails = [](const SiteVerdict& verdict) { return !verdict.holds; };
  const auto failing = std::count_if(plan.verdicts.begin(), plan.verdicts.end(), fails);
  const std::size_t all = plan.verdicts.size();
  if (all == 0) return "No constraint was checked.";
  if (failing == 0 && all == 1) return "The only constraint that was checked holds.";
  if (failing == 0) return fmt::format("All {} constraints hold.", all);
  const SiteVerdict& first = *std::find_if(plan.verdicts.begin(), plan.verdicts.end(), fails);
  return fmt::format("{} of {} constraints {} not hold, first: {} ({}).", failing, all, failing == 1 ? "does" : "do",
                     first.what, first.arithmetic);
}

std::string nodes_text(int nodes) {
  return count_text(nodes) + (nodes == 1 ? " node" : " nodes");
}

std::string binding_sentence(const FloorPlan& floor) {
  if (floor.limits.empty()) return {};
  const RackLimit& binding = floor.limits.front();
  std::string text =
      fmt::format("A rack holds {}: {} ({})", nodes_text(binding.nodes), binding.name(), binding.arithmetic);
  if (floor.limits.size() > 1)
    text += fmt::format("; the next limit is {} at {}", floor.limits[1].name(), count_text(floor.limits[1].nodes));
  return text + ".";
}

std::string cost_sentence(const CostReport& cost) {
  if (cost.items.empty()) return "No part has a price.";
  std::string text = cost.rented
                         ? fmt::format("It costs {} a year to rent", opex_text(cost))
                         : fmt::format("It costs {} to buy and {} a year to run", capex_text(cost), opex_text(cost));
  if (cost.per_hour.total() > Dollars())
    text += fmt::format(": {} per accelerator and hour {}", hour_text(cost), use_text(cost));
  if (cost.energy_share > 0) text += fmt::format(", {} of it for energy", percent_text(cost.energy_share, 0));
  return text + ".";
}

std::string rent_sentence(const CostReport& cost) {
  if (!cost.rent) return {};
  const RentOrBuy& rent = *cost.rent;
  std::string text =
      fmt::format("Compared with rent at {} an hour, {} is cheaper at {} use", money_text(rent.rent_per_hour),
                  rent.buy ? "buying" : "renting", percent_text(cost.utilisation, 0));
  if (rent.break_even_utilisation)
    text += fmt::format("; the break-even is at {}", percent_text(*rent.break_even_utilisation, 0));
  return text + ".";
}

/// Up to three names, and the number of the others.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string binding_step(const FloorPlan& floor) {
  const RackLimit& binding = floor.limits[0];
  const RackLimit& next = floor.limits[1];
  return fmt::format("{} limits a rack to {}; without it {} would allow {}", binding.name(), nodes_text(binding.nodes),
                     next.name(), count_text(next.nodes));
}

}  // namespace

std::string size_title(const SizedCluster& sized) {
  return fmt::format("{} x {} in {} racks", count_text(sized.plan.accelerators), sized.accelerator,
                     count_text(static_cast<long long>(sized.plan.floor.racks.size())));
}

std::vector<std::string> size_verdicts(const SizedCluster& sized) {
  std::vector<std::string> sentences = {holds_sentence(sized.plan), binding_sentence(sized.plan.floor),
                                        cost_sentence(sized.cost), rent_sentence(sized.cost)};
  std::erase(sentences, std::string());
  return sentences;
}

std::string size_next_step(const SizedCluster& sized) {
  if (sized.step && !sized.step->fits) return "change the job: " + sized.step->remedy;
  for (const SiteVerdict& verdict : sized.plan.verdicts)
    if (!verdict.holds)
      return fmt::format("change {}: {} does not hold ({})", verdict.field, verdict.what, verdict.arithmetic);
  if (!sized.plan.uncounted.empty())
    return fmt::format("name parts for {} under cluster.fabric: without them the cost is a lower bound",
                       some_of(sized.plan.uncounted));
  if (!sized.cost.unpriced.empty())
    return fmt::format("add prices of {} to the price list: without them the cost is a lower bound",
                       some_of(sized.cost.unpriced));
  const auto& limits = sized.plan.floor.limits;
  if (limits.size() > 1 && limits[1].nodes > limits[0].nodes) return binding_step(sized.plan.floor);
  if (sized.cost.items.empty()) return "give a price list";
  return fmt::format("replace the prices of {} with your own quotes", sized.cost.price_list);
}

namespace {

/// Table without columns that a terminal has no room for; every other format shows them.
ResultTable without(ResultTable table, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys)
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (table.columns[column].key != key) continue;
      const auto offset = static_cast<std::ptrdiff_t>(column);
      table.columns.erase(table.columns.begin() + offset);
      for (auto& row : table.rows) row.erase(row.begin() + offset);
      break;
    }
  return table;
}

std::vector<ResultTable> terminal_tables(const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  std::vector<ResultTable> tables = {verdict_table(plan, true),
                                     switch_table(plan),
                                     without(cable_table(plan), {"part", "modules", "longest_routed_m"}),
                                     facility_power_table(plan),
                                     without(power_stage_table(plan), {"amperes", "output_w"}),
                                     cooling_table(plan.cooling),
                                     capex_table(sized.cost),
                                     per_hour_table(sized.cost),
                                     without(cost_assumptions_table(sized.cost), {"source"})};
  std::erase_if(tables, [](const ResultTable& table) { return table.rows.empty(); });
  return tables;
}

std::vector<ResultTable> all_tables(const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  std::vector<ResultTable> tables = {
      size_headline(sized),        priced_run_table(sized), verdict_table(plan),        rack_limit_table(plan.floor),
      floor_row_table(plan.floor), room_table(plan.floor),  switch_table(plan),         cable_table(plan),
      transceiver_table(plan),     scale_up_table(plan),    facility_power_table(plan), power_tree_table(plan),
      power_stage_table(plan),     feed_table(plan.feeds),  cooling_table(plan.cooling)};
  if (sized.storage) tables.push_back(storage_table(*sized.storage));
  for (ResultTable (*table)(const CostReport&) :
       {capex_table, opex_table, per_hour_table, cost_terms_table, cost_assumptions_table})
    tables.push_back(table(sized.cost));
  tables.push_back(purchasing_list(sized));
  std::erase_if(tables, [](const ResultTable& table) { return table.rows.empty(); });
  return tables;
}

std::string title_of(const ResultContext& context, const SizedCluster& sized) {
  return fmt::format("{} ({})", size_title(sized), context.cluster.empty() ? sized.name : context.cluster);
}

/// Tile of a text that ends in its unit: "1.23 MW".
std::string measured_tile(std::string_view name, const std::string& text, std::string_view note) {
  const std::size_t space = std::min(text.rfind(' '), text.size());
  return html_tile(name, text.substr(0, space), space < text.size() ? text.substr(space + 1) : "", note);
}

std::string machine_tiles(const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  const double area = plan.floor.length.in(meter)*plan.floor.width.in(meter);
  return html_tile("Accelerators", count_text(plan.accelerators), "",
                   fmt::format("in {} nodes, {} spare", count_text(plan.nodes), count_text(plan.spare_nodes))) +
         html_tile("Racks", count_text(static_cast<long long>(plan.floor.racks.size())), "",
                   fmt::format("on {} m\xc2\xb2, {} t", fixed_text(area, 0),
                               significant_text(plan.mass.in(1000 * kilogram), 3))) +
         measured_tile("IT power", power_text(plan.mean.it),
                       fmt::format("mean of all machines; {} rated", power_text(plan.rated.it))) +
         measured_tile("Facility", power_text(plan.mean.facility),
                       fmt::format("mean of a year, PUE {}; {} asked of the utility for the design day",
                                   fixed_text(plan.mean.pue, 3), power_text(plan.rated.facility)));
}

/// Range of a sum below its tile.
std::string range_note(const CostReport& cost, Dollars low, Dollars high, const std::string& more) {
  std::string note = fmt::format("{} to {}", money_text(low), money_text(high));
  if (cost.lower_bound()) note = "at least: some parts have no price; " + note;
  return more.empty() ? note : note + "; " + more;
}

std::string cost_tiles(const SizedCluster& sized) {
  const CostReport& cost = sized.cost;
  const auto tile = [&](const char* name, Dollars typical, Dollars low, Dollars high, const std::string& more) {
    return measured_tile(name, money_text(typical), range_note(cost, low, high, more));
  };
  std::string out;
  if (!cost.rented) out += tile("To buy", cost.capex_total, cost.low.capex_total, cost.high.capex_total, "");
  out += tile(cost.rented ? "To rent" : "To run", cost.opex_total, cost.low.opex_total, cost.high.opex_total,
              "a year " + use_text(cost));
  if (cost.per_hour.total() > Dollars())
    out += tile("Per GPU-hour", cost.per_hour.total(), cost.low.per_hour.total(), cost.high.per_hour.total(),
                use_text(cost));
  if (cost.usd_per_million_tokens)
    out += tile("Per million tokens", *cost.usd_per_million_tokens * dollar,
                cost.low.usd_per_million_tokens.value_or(0) * dollar,
                cost.high.usd_per_million_tokens.value_or(0) * dollar, use_and_goodput_text(cost));
  return out;
}

std::string head(const ResultContext& context, const SizedCluster& sized) {
  std::vector<std::string> sentences = size_verdicts(sized);
  sentences.push_back("Next: " + size_next_step(sized));
  const std::string job = context.job.empty() ? no_job_words : context.job;
  return fmt::format(
      "<header>\n<p class=\"kind\">Size</p>\n<h1>{}</h1>\n<p class=\"job\">{}. Cluster: {}.</p>\n{}<dl "
      "class=\"tiles\">\n{}{}</dl>\n</header>\n",
      html_text(size_title(sized)), html_text(job), html_text(sized.name), html_verdict(sentences, !sized.plan.holds()),
      machine_tiles(sized), cost_tiles(sized));
}

/// Table with titles over columns of facts, which terminals leave out and screen readers need.
ResultTable with_headings(ResultTable table) {
  if (!table.columns[0].title.empty()) return table;
  table.columns[0].title = "What";
  table.columns[1].title = "Value";
  return table;
}

/// Table with its name above; nothing where it has no rows.
std::string titled(const ResultTable& table) {
  if (table.rows.empty()) return {};
  return fmt::format("<h3>{}</h3>\n{}", html_text(table.title), render_html(with_headings(table)));
}

/// Section named after its only table.
std::string table_section(const ResultTable& table, std::string_view style) {
  if (table.rows.empty()) return {};
  return html_section(table.title, "", styled_table(with_headings(table), style));
}

std::string floor_section(const FloorPlan& floor) {
  if (floor.racks.empty()) return {};
  FloorChart chart{{"floor", "Floor plan", ""}, &floor};
  chart.text.description =
      fmt::format("{} racks ({}) in {} rows, in a hall of {} by {} m.",
                  count_text(static_cast<long long>(floor.racks.size())), roles_text(floor), count_text(floor.rows),
                  fixed_text(floor.length.in(meter), 1), fixed_text(floor.width.in(meter), 1));
  const bool strips = floor_drawing(floor, wide_chart).strips.size() < floor.racks.size();
  const std::string figure =
      html_figure(floor_legend(floor), both_widths(chart, floor_plan_svg),
                  fmt::format("{} Racks are drawn to scale; hover over one for its contents.{}", chart.text.description,
                              strips ? " Neighbouring racks of one role are drawn as one, with their number." : ""));
  return html_section("Floor plan", "",
                      figure + site_plan_figure(floor) + titled(room_table(floor)) + titled(rack_limit_table(floor)) +
                          titled(floor_row_table(floor)));
}

std::string elevation_section(const SitePlan& plan) {
  const std::string drawings = rack_elevations_html(plan);
  if (drawings.empty()) return {};
  return html_section("Rack elevations", "", html_figure("", drawings, rack_elevations_caption(plan)));
}

/// Sentence on the two largest branches of a tree.
std::string flow_sentence(const PowerNode& tree) {
  std::vector<PowerNode> parts = tree.parts;
  std::sort(parts.begin(), parts.end(),
            [](const PowerNode& one, const PowerNode& other) { return one.power > other.power; });
  std::string text = fmt::format("The {} supplies {}", tree.name, power_text(tree.power));
  for (std::size_t i = 0; i < std::min<std::size_t>(2, parts.size()); ++i)
    text += fmt::format("{} {} to {}", i ? " and" : ":", percent_text(parts[i].power / tree.power), parts[i].name);
  return text + ".";
}

std::string power_section(const SitePlan& plan) {
  const PowerNode& tree = plan.mean.tree;
  std::string figure;
  if (tree.power > Watts() && !tree.parts.empty()) {
    const PowerFlowChart chart{{"power", "Power flow", flow_sentence(tree)}, tree};
    figure = html_figure("", both_widths(chart, power_flow_svg),
                         chart.text.description + " Widths are to scale, at mean load.");
  }
  return html_section("Power",
                      fmt::format("Nodes draw {} on average ({}).", power_text(plan.node.mean), plan.node.source),
                      figure + titled(facility_power_table(plan)) + titled(power_tree_table(plan)) +
                          titled(power_stage_table(plan)) + titled(feed_table(plan.feeds)));
}

std::string network_section(const SitePlan& plan) {
  return html_section("Networks", "",
                      titled(switch_table(plan)) + titled(cable_table(plan)) + titled(transceiver_table(plan)) +
                          titled(scale_up_table(plan)));
}

std::string chart_figure(const AmountChart& chart) {
  return html_figure(fmt::format("<p class=\"chart-name\">{}</p>\n", html_text(chart.text.title)),
                     both_widths(chart, amount_svg), chart.text.description);
}

std::string cost_section(const CostReport& cost) {
  if (cost.capex.empty()) return {};
  std::string figures;
  if (const AmountChart chart = capex_chart(cost); !chart.bars.empty()) figures += chart_figure(chart);
  if (cost.per_hour.total() > Dollars()) figures += chart_figure(hour_chart(cost));
  return html_section("Cost", "",
                      figures + titled(capex_table(cost)) + titled(opex_table(cost)) + titled(per_hour_table(cost)) +
                          titled(cost_terms_table(cost)) + titled(cost_assumptions_table(cost)));
}

/// Sizes of the long list on a screen; on paper the common style sheet makes tables small enough.
constexpr std::string_view list_style = R"css(
h3 { margin: 26px 0 -4px; font-size: 16px; font-weight: 620; }
.chart-name { margin: 0 0 8px; font-weight: 600; }
figure + figure { margin-top: 14px; }
@media print { h3 { break-after: avoid; } }
@media screen and (min-width: 621px) { .tiles { grid-template-columns: repeat(4, 1fr); } }
@media screen {
  .bill th, .bill td { padding: 6px 8px; font-size: 13px; }
  .bill td:nth-child(3) { white-space: normal; min-width: 130px; }
  .bill td:last-child { min-width: 170px; }
}
)css";

std::string page_style() {
  return fmt::format("{}{}{}{}{}{}", list_style, floor_plan_style(), site_plan_style(), power_flow_style(),
                     amount_style(), rack_elevations_style());
}

}  // namespace

std::string size_text(const ResultContext& context, const SizedCluster& sized) {
  std::string text = printable(title_of(context, sized)) + "\n";
  if (!context.job.empty()) text += printable(context.job) + "\n";
  text += "\n" + render_text(size_headline(sized)) + "\n";
  if (const ResultTable run = priced_run_table(sized); !run.rows.empty()) text += render_text(run) + "\n";
  for (const std::string& sentence : size_verdicts(sized)) text += printable(sentence) + "\n";
  for (const ResultTable& table : terminal_tables(sized)) text += "\n" + render_text(table);
  text += "\n" + text_floor_plan(sized.plan.floor);
  return text + warnings_text(warnings_of(context.warnings, sized.plan.warnings)) +
         "\nNext: " + printable(size_next_step(sized)) +
         "\nDetails: -o bill.csv for the purchasing list, -o size.html for floor plan and charts, "
         "--patch-list cables.csv for both ends of every cable\n";
}

std::string size_markdown(const ResultContext& context, const SizedCluster& sized) {
  std::string text = fmt::format("# {}\n\n", markdown_text(title_of(context, sized)));
  if (!context.job.empty()) text += markdown_text(context.job) + "\n\n";
  for (const std::string& sentence : size_verdicts(sized)) text += markdown_text(sentence) + "\n";
  for (const ResultTable& table : all_tables(sized)) text += "\n" + render_markdown(table);
  text += "\n```\n" + text_floor_plan(sized.plan.floor) + "```\n";
  return text + warnings_markdown(warnings_of(context.warnings, sized.plan.warnings)) +
         fmt::format("\n**Next:** {}\n", markdown_text(size_next_step(sized)));
}

std::string size_csv(const SizedCluster& sized) {
  return render_csv(purchasing_list(sized));
}

std::string render_size(OutputFormat format, const ResultContext& context, const SizedCluster& sized) {
  switch (format) {
    case OutputFormat::json:
      return write_json(size_to_json(context, sized)) + "\n";
    case OutputFormat::csv:
      return size_csv(sized);
    case OutputFormat::markdown:
      return size_markdown(context, sized);
    case OutputFormat::html:
      return size_page(context, sized);
    default:
      return size_text(context, sized);
  }
}

std::string size_page(const ResultContext& context, const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  std::string body = head(context, sized) + table_section(priced_run_table(sized), "facts") +
                     table_section(verdict_table(plan), "wrap") +
                     warnings_section(warnings_of(context.warnings, sized.plan.warnings)) + floor_section(plan.floor) +
                     elevation_section(plan) + power_section(plan) +
                     table_section(cooling_table(plan.cooling), "facts") + network_section(plan);
  if (sized.storage) body += table_section(storage_table(*sized.storage), "facts");
  body += cost_section(sized.cost) + table_section(purchasing_list(sized), "bill") + inputs_section(context);
  return html_page(size_title(sized), page_style(), body, repeat_footer(context));
}

}  // namespace clusterwright
