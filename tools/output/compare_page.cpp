// SPDX-License-Identifier: Apache-2.0
#include "tools/output/compare_page.hpp"

#include <fmt/format.h>

#include "tools/output/compare_sentences.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/shift_chart.hpp"

namespace clusterwright {

namespace {

ShiftRow shift_of(const CompareAnswer& answer, std::size_t line, const Interval<double>& ratio) {
  return {letter_of(line) + "  " + answer.lines[line].option.name, ratio.low - 1, ratio.value - 1, ratio.high - 1};
}

/// Speeds of all options but the reference; or prices.
ShiftChart chart_of(const CompareAnswer& answer, bool prices) {
  const std::string over = letter_of(*reference_of(answer));
  ShiftChart chart;
  chart.text = prices ? ChartText{"price", "Price of a token against " + over, "Each option with its 90 % interval."}
                      : ChartText{"speed", "Speed against " + over, "Each option with its 90 % interval."};
  chart.axis = fmt::format("{} against {}, %", prices ? "$ a token" : "tokens a second", over);
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    if (!answer.lines[i].option.runs() || i == *reference_of(answer)) continue;
    const OptionRatio ratio = over_reference(answer, i);
    if (!prices) chart.rows.push_back(shift_of(answer, i, ratio.speed));
    if (prices && ratio.price) chart.rows.push_back(shift_of(answer, i, *ratio.price));
  }
  return chart;
}

std::string chart_section(const CompareAnswer& answer, bool prices) {
  const ShiftChart chart = chart_of(answer, prices);
  if (chart.rows.empty()) return {};
  return html_section(chart.text.title,
                      "Dots: the predicted shift. Lines: its 90 % interval; errors that both share cancel.",
                      both_widths(chart, shift_svg));
}

std::string table_section(const ResultTable& table) {
  return table.rows.empty() ? "" : html_section(table.title, "", styled_table({"", table.columns, table.rows}, "wrap"));
}

}  // namespace

std::string compare_page(const CompareAnswer& answer, const std::string& title, const std::string& command_line) {
  std::vector<std::string> sentences = compare_sentences(answer);
  if (const std::string next = next_of(answer); !next.empty()) sentences.push_back("Next: " + next);
  std::string body =
      fmt::format("<header>\n<p class=\"kind\">Options beside each other</p>\n<h1>{}</h1>\n{}</header>\n",
                  html_text(title), html_verdict(sentences, buildable(answer).empty()));
  if (reference_of(answer)) body += chart_section(answer, false) + chart_section(answer, true);
  body += table_section(compared_times(answer)) + table_section(compared_money(answer)) +
          table_section(moved_terms(answer));
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < answer.lines.size(); ++i) letters.push_back(letter_of(i));
  body += table_section(differences_table(field_differences(answer), letters, 0));
  body += warnings_section(compare_warnings(answer));
  return html_page(title, shift_style(), body, repeat_footer(command_line, ""));
}

}  // namespace clusterwright
