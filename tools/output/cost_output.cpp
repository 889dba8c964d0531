// SPDX-License-Identifier: Apache-2.0
#include "tools/output/cost_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/output/output_text.hpp"
#include "tools/output/training_run_output.hpp"

namespace clusterwright {

namespace {

/// Named amounts, typical and at both ends of the range of prices, and their total in the last line.
struct Amounts {
  std::vector<CostShare> typical, low, high;
};

Dollars total_of(const std::vector<CostShare>& shares) {
  Dollars sum;
  for (const CostShare& share : shares) sum += share.amount;
  return sum;
}

Dollars amount_of(const std::vector<CostShare>& shares, const std::string& name) {
  for (const CostShare& share : shares)
    if (share.name == name) return share.amount;
  return {};
}

Column dollars(const char* key, const char* title, int decimals) {
  return {key, title, "$", 1, decimals};
}

ResultTable share_table(std::string title, int decimals, const Amounts& amounts) {
  ResultTable table{std::move(title), {words_column("what", "What"), dollars("usd", "Amount", decimals)}, {}};
  const bool ranged = !amounts.low.empty();
  if (ranged) table.columns.push_back(dollars("usd_low", "Prices low", decimals));
  if (ranged) table.columns.push_back(dollars("usd_high", "Prices high", decimals));
  table.columns.push_back(percent_column("share", "Share"));
  const Dollars total = total_of(amounts.typical);
  const auto add = [&](const std::string& name, Dollars typical, Dollars low, Dollars high) {
    std::vector<Cell> row = {name, typical.in(dollar)};
    if (ranged) row.insert(row.end(), {low.in(dollar), high.in(dollar)});
    row.push_back(total > Dollars() ? Cell(typical / total) : Cell());
    table.rows.push_back(std::move(row));
  };
  for (const CostShare& share : amounts.typical)
    if (share.amount != Dollars())
      add(share.name, share.amount, amount_of(amounts.low, share.name), amount_of(amounts.high, share.name));
  add("total", total, total_of(amounts.low), total_of(amounts.high));
  return table;
}

std::vector<CostShare> parts_of(const CostPerHour& each) {
  return {{"capital", each.capital}, {"operations", each.operations}, {"energy", each.energy}};
}

std::vector<Cell> bill_cells(const std::string& chapter, const BillItem& item) {
  return {chapter,
          item.part,
          item.use.empty() ? Cell() : Cell(item.use),
          std::int64_t{item.count},
          item.length ? Cell(item.length->in(meter)) : Cell(),
          item.rated_each > Watts() ? Cell(item.rated_each.in(watt)) : Cell(),
          item.mass_each > Kilograms() ? Cell(item.mass_each.in(kilogram)) : Cell()};
}

std::string bill_chapter(const BillItem& item) {
  return std::string(bill_chapter_names[static_cast<std::size_t>(item.chapter)]);
}

std::string rent_text(const RentOrBuy& rent) {
  return rent.break_even_utilisation ? percent_text(*rent.break_even_utilisation) : "never";
}

}  // namespace

ResultTable capex_table(const CostReport& cost) {
  const std::string_view bound = cost.lower_bound() ? ", a lower bound" : "";
  return share_table(fmt::format("To buy{}", bound), 0, {cost.capex, cost.low.capex, cost.high.capex});
}

ResultTable opex_table(const CostReport& cost) {
  return share_table(fmt::format("To run for a year, {}", use_text(cost)), 0,
                     {cost.opex, cost.low.opex, cost.high.opex});
}

ResultTable per_hour_table(const CostReport& cost) {
  return share_table(
      fmt::format("One accelerator for an hour, {}{}", use_text(cost), cost.lower_bound() ? ", a lower bound" : ""), 3,
      {parts_of(cost.per_hour), parts_of(cost.low.per_hour), parts_of(cost.high.per_hour)});
}

ResultTable cost_assumptions_table(const CostReport& cost) {
  ResultTable table{"Assumptions of money",
                    {words_column("what", "What"), words_column("value", "Value"), words_column("source", "Source")},
                    {}};
  for (const CostTerm& term : cost.terms) table.rows.push_back({term.name, term.value, term.source});
  return table;
}

ResultTable cost_terms_table(const CostReport& cost) {
  ResultTable table{"Terms", {words_column("what", ""), words_column("value", "")}, {}};
  const auto add = [&](std::string_view name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  if (cost.usd_per_million_tokens)
    add("Per million tokens", fmt::format("{} {}", tokens_text(cost), use_and_goodput_text(cost)));
  if (cost.rent) {
    add("Rent", money_text(cost.rent->rent_per_hour) + " an hour");
    add("Break-even utilisation", rent_text(*cost.rent));
    if (cost.rent->break_even_months)
      add("Rent exceeds the price after", significant_text(*cost.rent->break_even_months, 3) + " months");
    add("Cheaper", cost.rent->buy ? "to buy" : "to rent");
  }
  if (!cost.unpriced.empty()) add("Without a price", fmt::format("{}", fmt::join(cost.unpriced, ", ")));
  return table;
}

ResultTable purchasing_list(const SizedCluster& sized) {
  ResultTable table{"Purchasing list",
                    {words_column("chapter", "Chapter"),
                     words_column("part", "Part"),
                     words_column("use", "Use"),
                     {"count", "Count", ""},
                     {"length_m", "Length", "m", 1, 1},
                     {"rated_w_each", "Rated, each", "W", 1, 0},
                     {"mass_kg_each", "Mass, each", "kg", 1, 1},
                     {"price_each_usd", "Each", "$", 1, 0},
                     {"price_total_usd", "Total", "$", 1, 0},
                     words_column("price_source", "Source of the price")},
                    {}};
  for (const PricedItem& item : sized.cost.items) {
    std::vector<Cell> row = bill_cells(bill_chapter(item.item), item.item);
    row.push_back(item.each ? Cell(item.each->in(dollar)) : Cell());
    row.push_back(item.each ? Cell(item.total().in(dollar)) : Cell());
    row.push_back(item.source.empty() ? Cell() : Cell(item.source));
    table.rows.push_back(std::move(row));
  }
  if (!sized.cost.items.empty()) return table;
  for (const BillItem& item : sized.plan.bill) {
    table.rows.push_back(bill_cells(bill_chapter(item), item));
    table.rows.back().resize(table.columns.size());
  }
  return table;
}

std::string sum_text(const CostReport& cost, Dollars typical, Dollars low, Dollars high) {
  std::string text = (cost.lower_bound() ? "at least " : "") + money_text(typical);
  if (low < typical || typical < high) text += fmt::format(" ({} to {})", money_text(low), money_text(high));
  return text;
}

std::string capex_text(const CostReport& cost) {
  return sum_text(cost, cost.capex_total, cost.low.capex_total, cost.high.capex_total);
}

std::string opex_text(const CostReport& cost) {
  return sum_text(cost, cost.opex_total, cost.low.opex_total, cost.high.opex_total);
}

std::string hour_text(const CostReport& cost) {
  return sum_text(cost, cost.per_hour.total(), cost.low.per_hour.total(), cost.high.per_hour.total());
}

std::string tokens_text(const CostReport& cost) {
  const auto price = [](const CostSums& sums) { return sums.usd_per_million_tokens.value_or(0) * dollar; };
  return sum_text(cost, *cost.usd_per_million_tokens * dollar, price(cost.low), price(cost.high));
}

std::string carbon_text(const CostReport& cost) {
  const auto tonnes = [](const std::optional<CarbonUse>& carbon) {
    return significant_text(carbon ? carbon->tonnes_per_year : 0, 3);
  };
  std::string text = tonnes(cost.carbon) + " t CO2e a year";
  if (tonnes(cost.low.carbon) != tonnes(cost.high.carbon))
    text += fmt::format(" ({} to {})", tonnes(cost.low.carbon), tonnes(cost.high.carbon));
  text += fmt::format(", {} kg per GPU-hour", significant_text(cost.carbon->kg_per_accelerator_hour, 3));
  if (cost.carbon->kg_per_million_tokens)
    text += fmt::format(", {} kg per million tokens", significant_text(*cost.carbon->kg_per_million_tokens, 3));
  return text + "; electricity only";
}

std::string range_words(const CostReport& cost) {
  std::string text = "all prices at their low end to all at their high end";
  if (cost.without_range > 0 && cost.capex_total > Dollars())
    text += fmt::format("; {} of the price to buy has no range", percent_text(cost.without_range, 0));
  return text;
}

AmountChart capex_chart(const CostReport& cost) {
  AmountChart chart{{"capex", "Cost to buy", ""}, {}};
  for (const CostShare& share : cost.capex)
    if (share.amount > Dollars())
      chart.bars.push_back(
          {share.name,
           fmt::format("{}, {}", money_text(share.amount), percent_text(share.amount / cost.capex_total, 1)),
           share.amount.in(dollar)});
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [](const AmountBar& one, const AmountBar& other) { return one.amount > other.amount; });
  if (!chart.bars.empty())
    chart.text.description = fmt::format("The largest part of {} is {}: {}.", money_text(cost.capex_total),
                                         chart.bars.front().label, chart.bars.front().value);
  return chart;
}

AmountChart hour_chart(const CostReport& cost) {
  AmountChart chart{{"hour", "One accelerator for an hour", ""}, {}};
  double before = 0;
  for (const auto& [name, money] :
       {std::pair("capital", cost.per_hour.capital), std::pair("operations", cost.per_hour.operations),
        std::pair("energy", cost.per_hour.energy)}) {
    chart.bars.push_back({name, money_text(money), money.in(dollar), before});
    before += money.in(dollar);
  }
  chart.bars.push_back({"total", money_text(cost.per_hour.total()), before, 0, "a-total"});
  if (cost.rent)
    chart.bars.push_back(
        {"rent", money_text(cost.rent->rent_per_hour), cost.rent->rent_per_hour.in(dollar), 0, "a-other"});
  chart.text.description =
      fmt::format("One accelerator costs {} an hour {}, {} of it capital.", money_text(cost.per_hour.total()),
                  use_text(cost), money_text(cost.per_hour.capital));
  return chart;
}

}  // namespace clusterwright
