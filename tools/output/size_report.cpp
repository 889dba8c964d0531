#include "tools/output/size_report.hpp"

#include <fmt/format.h>

#include <vector>

#include "sim/json_writer.hpp"
#include "tools/output/escape.hpp"
#include "tools/output/size_cost_tables.hpp"
#include "tools/output/size_json.hpp"
#include "tools/output/size_page.hpp"
#include "tools/output/size_sentences.hpp"
#include "tools/output/size_tables.hpp"
#include "tools/output/text_floor_plan.hpp"

namespace clusterwright {

namespace {

/// Columns that a terminal has no room for; every other format shows them.
ResultTable without(ResultTable table, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].key != key) continue;
      const auto offset = static_cast<std::ptrdiff_t>(c);
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
                                     per_hour_table(sized.cost)};
  std::erase_if(tables, [](const ResultTable& table) { return table.rows.empty(); });
  return tables;
}

std::vector<ResultTable> all_tables(const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  std::vector<ResultTable> tables = {size_headline(sized),        verdict_table(plan),     rack_limit_table(plan.floor),
                                     floor_row_table(plan.floor), switch_table(plan),      cable_table(plan),
                                     transceiver_table(plan),     scale_up_table(plan),    facility_power_table(plan),
                                     power_tree_table(plan),      power_stage_table(plan), feed_table(plan.feeds),
                                     cooling_table(plan.cooling)};
  if (sized.storage) tables.push_back(storage_table(*sized.storage));
  for (ResultTable (*table)(const CostReport&) : {capex_table, opex_table, per_hour_table, cost_terms_table})
    tables.push_back(table(sized.cost));
  tables.push_back(purchasing_list(sized));
  std::erase_if(tables, [](const ResultTable& table) { return table.rows.empty(); });
  return tables;
}

std::string title_of(const ResultContext& context, const SizedCluster& sized) {
  return fmt::format("{} ({})", size_title(sized), context.cluster.empty() ? sized.name : context.cluster);
}

}  // namespace

std::string size_text(const ResultContext& context, const SizedCluster& sized) {
  std::string text = printable(title_of(context, sized)) + "\n";
  if (!context.job.empty()) text += printable(context.job) + "\n";
  text += "\n" + render_text(size_headline(sized)) + "\n";
  for (const std::string& sentence : size_verdicts(sized)) text += printable(sentence) + "\n";
  for (const ResultTable& table : terminal_tables(sized)) text += "\n" + render_text(table);
  text += "\n" + text_floor_plan(sized.plan.floor);
  for (const std::string& warning : sized.plan.warnings) text += "\nwarning: " + printable(warning);
  if (!sized.plan.warnings.empty()) text += "\n";
  return text + "\nNext: " + printable(size_next_step(sized)) +
         "\nDetails: -o bill.csv for the purchasing list, -o size.html for floor plan and charts\n";
}

std::string size_markdown(const ResultContext& context, const SizedCluster& sized) {
  std::string text = fmt::format("# {}\n\n", markdown_text(title_of(context, sized)));
  if (!context.job.empty()) text += markdown_text(context.job) + "\n\n";
  for (const std::string& sentence : size_verdicts(sized)) text += markdown_text(sentence) + "\n";
  for (const ResultTable& table : all_tables(sized)) text += "\n" + render_markdown(table);
  text += "\n```\n" + text_floor_plan(sized.plan.floor) + "```\n";
  if (!sized.plan.warnings.empty()) text += "\n";
  for (const std::string& warning : sized.plan.warnings) text += fmt::format("- warning: {}\n", markdown_text(warning));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(size_next_step(sized)));
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

}  // namespace clusterwright
