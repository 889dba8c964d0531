// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plan_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/plan_sentences.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

namespace {

constexpr double money_chart_height = 420, name_height = 13;
constexpr std::string_view plan_style =
    ".p-bar{stroke:var(--muted,#888);stroke-width:1.2}.p-dot{fill:var(--accent,#0072b2)}.p-small{fill:var(--muted,#888)"
    "}"
    ".p-lead{stroke:var(--muted,#888);stroke-width:.7}.p-limit{stroke:#d55e00;stroke-dasharray:5 "
    "4}.p-name{font-size:12px;fill:currentColor;stroke:var(--page,#fff);stroke-width:3px;paint-order:stroke}\n";

/// Money against days, or tokens, of the best plan of each accelerator, and of the frontier.
struct MoneyChart {
  ChartText text;
  const PlanAnswer* answer = nullptr;
};

class MoneyDrawing {
 public:
  MoneyDrawing(const PlanAnswer& answer, double width)
      : answer_(answer), box_{64, 30, width - 16, money_chart_height - 44} {
    for (const auto* plans : {&answer.found.by_accelerator, &answer.found.frontier})
      for (const PurchasePlan& plan : *plans) {
        most_work_ = std::max(most_work_, work_of(plan).high);
        most_money_ = std::max(most_money_, money_of(plan, plan.figures.money.high));
        by_run_ = plan.figures.by_run;
      }
    most_work_ *= 1.05, most_money_ *= 1.05;
  }

  std::string draw() const {
    std::string out = grid() + limits();
    for (const PurchasePlan& plan : answer_.found.frontier) out += dot(plan, 3, "p-small");
    for (const PurchasePlan& plan : answer_.found.by_accelerator) out += bars(plan) + dot(plan, 5, "p-dot");
    return out + names();
  }

 private:
  double x(double work) const { return Scale(0, most_work_, box_.left, box_.right)(work); }
  double y(double money) const { return Scale(0, most_money_, box_.bottom, box_.top)(money); }
  /// Days of the run; its T tokens where those are asked for.
  Interval<double> work_of(const PurchasePlan& plan) const {
    const Interval<Seconds>& time = plan.figures.time;
    if (answer_.tokens) return {time.low.in(day), time.value.in(day), time.high.in(day)};
    const double tokens = trillion_tokens(answer_, plan);
    return {tokens * (time.value / time.high), tokens, tokens * (time.value / time.low)};
  }
  /// Money of the run where that ranks the plans, else that of the purchase at an end of the prices.
  static double money_of(const PurchasePlan& plan, Dollars bought) {
    return (plan.figures.by_run ? plan.figures.run : bought).in(dollar) / 1e6;
  }
  static double money_of(const PurchasePlan& plan) { return money_of(plan, plan.figures.money.value); }

  std::string grid() const {
    std::string out;
    const double rows = axis_step(most_money_), columns = axis_step(most_work_);
    for (double money = 0; money <= most_money_; money += rows)
      out += svg_line("grid", box_.left, y(money), box_.right, y(money)) +
             svg_label("tick", box_.left - 7, y(money) + 4, "end", fmt::format("{:g}", money));
    for (double days = 0; days <= most_work_; days += columns)
      out += svg_line("base", x(days), box_.bottom, x(days), box_.bottom + 4) +
             svg_label("tick", x(days), box_.bottom + 18, "middle", fmt::format("{:g}", days));
    return out + svg_label("axis", 4, 16, "start", by_run_ ? "the run, $ M" : "to buy, $ M") +
           svg_label("axis", (box_.left + box_.right) / 2, money_chart_height - 6, "middle",
                     answer_.tokens ? "days" : "T tokens");
  }

  std::string limits() const {
    std::string out;
    if (answer_.tokens && answer_.limits.time && answer_.limits.time->in(day) < most_work_)
      out +=
          svg_line("p-limit", x(answer_.limits.time->in(day)), box_.top, x(answer_.limits.time->in(day)), box_.bottom);
    if (answer_.limits.money && !by_run_ && answer_.limits.money->in(dollar) / 1e6 < most_money_)
      out += svg_line("p-limit", box_.left, y(answer_.limits.money->in(dollar) / 1e6), box_.right,
                      y(answer_.limits.money->in(dollar) / 1e6));
    return out;
  }

  std::string bars(const PurchasePlan& plan) const {
    const Interval<Dollars>& bought = plan.figures.money;
    const Interval<double> work = work_of(plan);
    return svg_line("p-bar", x(work.low), y(money_of(plan)), x(work.high), y(money_of(plan))) +
           svg_line("p-bar", x(work.value), y(money_of(plan, bought.low)), x(work.value),
                    y(money_of(plan, bought.high)));
  }

  std::string dot(const PurchasePlan& plan, double radius, std::string_view style) const {
    return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", style, x(work_of(plan).value),
                       y(money_of(plan)), radius);
  }

  /// Name of each accelerator, below that of a neighbour which would hide it; a line leads to what is named.
  std::string names() const {
    std::vector<const PurchasePlan*> plans;
    for (const PurchasePlan& plan : answer_.found.by_accelerator) plans.push_back(&plan);
    std::ranges::stable_sort(plans, std::ranges::greater{}, [&](const PurchasePlan* plan) { return money_of(*plan); });
    std::string out;
    double free = 0;  // from here on down no name stands
    for (const PurchasePlan* plan : plans) {
      const double at_x = x(work_of(*plan).value), at_y = y(money_of(*plan));
      const double base = std::max(at_y - 6, free);
      if (base > at_y - 6) out += svg_line("p-lead", at_x, at_y, at_x + 16, base - 4);
      out += svg_label("p-name", at_x + 18, base, "start",
                       fmt::format("{} {}{}", count_text(plan->accelerators), plan->machine.accelerator,
                                   plan->figures.lower_bound ? " (at least)" : ""));
      free = base + name_height;
    }
    return out;
  }

  const PlanAnswer& answer_;
  Rectangle box_;
  double most_work_ = 0, most_money_ = 0;
  bool by_run_ = false;
};

std::string money_svg(const MoneyChart& chart, double width) {
  return open_svg(chart.text, width, money_chart_height) + MoneyDrawing(*chart.answer, width).draw() + "</svg>\n";
}

std::string money_section(const PlanAnswer& answer) {
  if (answer.found.by_accelerator.empty()) return {};
  const std::string work = answer.tokens ? "days" : "tokens", title = "Money against " + work;
  const MoneyChart chart{{"money", title, "The best plan of each accelerator with its intervals."}, &answer};
  return html_section(title,
                      "Named: the best plan of each accelerator, with the 90 % interval of its " + work +
                          " and the ends of its prices. Small: the frontier. Dashed: the targets.",
                      both_widths(chart, money_svg));
}

}  // namespace

std::string plan_page(const PlanAnswer& answer, const std::string& command_line) {
  std::vector<std::string> sentences = purchase_sentences(answer);
  if (!answer.confirm.empty()) sentences.push_back("Next: " + answer.confirm[place_of_best(answer)]);
  const std::string title = fmt::format("{}: {}", answer.model, question_text(answer));
  std::string body =
      fmt::format("<header>\n<p class=\"kind\">What to buy</p>\n<h1>{}</h1>\n<p class=\"job\">{}</p>\n{}</header>\n",
                  html_text(title), html_text(answer.job), html_verdict(sentences, answer.found.frontier.empty()));
  body += money_section(answer);
  const ResultTable each = accelerator_table(answer);
  if (!each.rows.empty()) body += html_section(each.title, "", styled_table({"", each.columns, each.rows}, "wrap"));
  body += html_section(answer.found.frontier.empty() ? "Nearest misses" : "Frontier", "",
                       styled_table(purchase_table(answer, 0), "wrap"));
  return html_page(title, plan_style, body, repeat_footer(command_line, ""));
}

}  // namespace clusterwright
