// SPDX-License-Identifier: Apache-2.0
#include "tools/output/sensitivity_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/prediction/step_sensitivity.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/shift_chart.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

constexpr double no_effect = 5e-4;  // of tokens per second

Cell share_cell(const std::optional<double>& share) {
  return share ? Cell(*share) : Cell();
}

Cell money_cell(const std::optional<Dollars>& money) {
  return money ? Cell(money->in(dollar)) : Cell();
}

/// Tokens per second over price, in percent of gain per million dollars.
std::optional<double> gain_per_million(const ResourceWorth& one) {
  if (!one.more || !one.cost || *one.cost <= Dollars{}) return {};
  return *one.more / (one.cost->in(dollar) / 1e6);
}

std::string millions_text(Dollars money) {
  return fmt::format("${} M", significant_text(money.in(dollar) / 1e6, 3));
}

std::string sign_text(double share) {
  return (share > 0 ? "+" : "") + percent_text(share, 2);
}

bool has_worth(const SensitivityAnswer& answer) {
  return std::ranges::any_of(answer.worths.resources, [](const ResourceWorth& one) { return one.worth.has_value(); });
}

}  // namespace

std::string sensitivity_title(const SensitivityAnswer& answer) {
  return fmt::format("{} on {} x {} ({}): what 10 % more of each resource does", answer.context.transformer,
                     count_text(answer.option.step->accelerators), answer.context.accelerator, answer.context.cluster);
}

ResultTable resource_table(const SensitivityAnswer& answer) {
  ResultTable table{"Tokens per second, and money",
                    {words_column("resource", "Resource"),
                     {"less", "10 % less", "%", 100, 2},
                     {"more", "10 % more", "%", 100, 2},
                     {"worth_usd", "Worth", "$ M", 1e-6, 2},
                     {"cost_usd", "Costs", "$ M", 1e-6, 2},
                     {"gain_per_million_usd", "Gain per $ M", "%", 100, 3},
                     {"power_kw", "Takes", "kW", 1, 1}},
                    {}};
  for (const ResourceWorth& one : answer.worths.resources) {
    const std::optional<double> each = gain_per_million(one);
    table.rows.push_back({one.resource, share_cell(one.less), share_cell(one.more), money_cell(one.worth),
                          money_cell(one.cost), share_cell(each), one.power ? Cell(one.power->in(kilowatt)) : Cell()});
  }
  if (!has_worth(answer)) {
    table.columns.resize(3);
    for (auto& row : table.rows) row.resize(3);
  }
  return table;
}

ResultTable price_table(const SensitivityAnswer& answer) {
  ResultTable table{
      "Price of a token",
      {words_column("term", "Term"), {"less", "10 % less", "%", 100, 2}, {"more", "10 % more", "%", 100, 2}},
      {}};
  for (const PriceSensitivity& one : answer.prices) table.rows.push_back({one.term, one.less, one.more});
  return table;
}

namespace {

/// The largest gain of one kind of resource, where it is one.
std::string most_useful(const SensitivityAnswer& answer, bool of_part, std::string_view lead) {
  const ResourceWorth* best = nullptr;
  for (const ResourceWorth& one : answer.worths.resources)
    if (one.of_part == of_part && one.resource != "accelerators" && one.more.value_or(0) > no_effect)
      if (!best || *one.more > *best->more) best = &one;
  if (!best) return {};
  std::string text = fmt::format("{}: {}: {} gives {} tokens/s", lead, best->resource,
                                 best->resource == limit_up_to_rating ? "more" : "10 % more", sign_text(*best->more));
  if (best->worth) text += fmt::format(", worth {} at most", millions_text(*best->worth));
  return text + ".";
}

/// A limit at the rating, of which nobody can set more.
std::string rating_sentence(const SensitivityAnswer& answer) {
  const auto limit = std::ranges::find_if(answer.worths.resources, is_power_limit);
  if (limit == answer.worths.resources.end() || limit->more) return {};
  const std::string saved = limit->power ? fmt::format(" 10 % less saves {} kW, mean of a year.",
                                                       significant_text(limit->power->in(kilowatt), 3))
                                         : "";
  return "The power limit is the rating of the accelerator, and no more can be set." + saved;
}

/// Resources that cost more than they are worth, and those that pay.
std::string pay_sentence(const SensitivityAnswer& answer) {
  std::vector<std::string> out;
  for (const ResourceWorth& one : answer.worths.resources)
    if (one.cost && one.worth && one.estimated)
      out.push_back(fmt::format("{} {} (worth {}, about {})", one.resource,
                                *one.worth > *one.cost ? "pays" : "does not pay", millions_text(*one.worth),
                                millions_text(*one.cost)));
  return out.empty() ? "" : fmt::format("10 % more {}.", fmt::join(out, "; "));
}

std::string useless_sentence(const SensitivityAnswer& answer) {
  std::vector<std::string> none;
  for (const ResourceWorth& one : answer.worths.resources)
    if (one.more && std::abs(*one.more) < no_effect && one.less && std::abs(*one.less) < no_effect)
      none.push_back(one.resource);
  return none.empty() ? "" : fmt::format("Neither 10 % more nor less of these changes it: {}.", fmt::join(none, ", "));
}

}  // namespace

std::vector<std::string> sensitivity_sentences(const SensitivityAnswer& answer) {
  std::vector<std::string> out;
  for (std::string sentence : {most_useful(answer, false, "Most useful beside more accelerators"),
                               most_useful(answer, true, "Most useful in another accelerator"), pay_sentence(answer),
                               rating_sentence(answer), useless_sentence(answer)})
    if (!sentence.empty()) out.push_back(std::move(sentence));
  if (!answer.worths.no_larger.empty())
    out.push_back(fmt::format("More accelerators are not priced: {}.", answer.worths.no_larger));
  if (has_worth(answer))
    out.push_back(
        "Worth: what more nodes for the same gain would cost to buy. Costs: 10 % of what the network or the storage "
        "costs now; accelerators as planned, with their racks and power. A part of an accelerator has no price of its "
        "own.");
  else
    out.push_back(answer.option.sized ? "No worth is given: the price list leaves parts of this cluster out."
                                      : "No prices: " + answer.option.reason + ".");
  return out;
}

JsonValue sensitivity_to_json(const SensitivityAnswer& answer) {
  JsonValue document = result_header("sensitivity", answer.context.seed, answer.context.inputs);
  const auto number = [](const auto& value, auto unit) { return value ? JsonValue(value->in(unit)) : JsonValue(); };
  JsonValue resources = JsonValue::list(), prices = JsonValue::list();
  for (const ResourceWorth& one : answer.worths.resources)
    resources.push_back(JsonValue::object({{"resource", one.resource},
                                           {"less", one.less ? JsonValue(*one.less) : JsonValue()},
                                           {"more", one.more ? JsonValue(*one.more) : JsonValue()},
                                           {"worth_usd", number(one.worth, dollar)},
                                           {"cost_usd", number(one.cost, dollar)},
                                           {"cost_is_estimated", one.estimated},
                                           {"power_kw", number(one.power, kilowatt)}}));
  for (const PriceSensitivity& one : answer.prices)
    prices.push_back(JsonValue::object({{"term", one.term}, {"less", one.less}, {"more", one.more}}));
  document.set("scenario", answer.context.scenario);
  document.set("change", 0.1);
  document.set("tokens_per_s", answer.option.step->tokens_per_second);
  document.set("resources", std::move(resources));
  document.set("prices", std::move(prices));
  document.set("warnings", warnings_json(warnings_of(answer.context.warnings, answer.option.step->warnings)));
  return document;
}

namespace {

std::string tornado(const ResultTable& table, ShiftChart chart, std::string_view lead) {
  if (chart.rows.empty()) return {};
  chart.mark = ShiftMark::bars;
  return html_section(chart.text.title, lead,
                      both_widths(chart, shift_svg) + styled_table({"", table.columns, table.rows}, "wrap"));
}

}  // namespace

std::string sensitivity_page(const SensitivityAnswer& answer) {
  const std::string title = sensitivity_title(answer);
  std::vector<std::string> sentences = sensitivity_sentences(answer);
  sentences.push_back("Next: " + answer.next);
  std::string body = fmt::format(
      "<header>\n<p class=\"kind\">Sensitivity</p>\n<h1>{}</h1>\n<p class=\"job\">{}</p>\n"
      "{}</header>\n",
      html_text(title), html_text(answer.context.job), html_verdict(sentences, false));
  ShiftChart resources{{"resources", "Tokens per second", "Change with 10 % less and more of each resource."},
                       {},
                       "change of tokens a second, %",
                       {}};
  for (const ResourceWorth& one : answer.worths.resources)
    resources.rows.push_back({one.resource, one.less.value_or(0), 0, one.more.value_or(0)});
  ShiftChart prices{{"prices", "Price of a token", "Change with 10 % less and more of each price and term."},
                    {},
                    "change of the price of a token, %",
                    {}};
  for (const PriceSensitivity& one : answer.prices) prices.rows.push_back({one.term, one.less, 0, one.more});
  body += tornado(resource_table(answer), resources, "Blue: 10 % more of it. Orange: 10 % less. The layout stays.");
  body += tornado(price_table(answer), prices, "Blue: 10 % more of it. Orange: 10 % less. The step stays.");
  body += warnings_section(warnings_of(answer.context.warnings, answer.option.step->warnings));
  return html_page(title, shift_style(), body + inputs_section(answer.context), repeat_footer(answer.context));
}

}  // namespace clusterwright
