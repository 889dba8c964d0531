// SPDX-License-Identifier: Apache-2.0
/// Self-contained HTML pages, and the sections that several of them have.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Style sheet of reports, report.css: light, dark and print from one set of custom properties, without any address.
///
/// Colours of causes follow Okabe and Ito (distinct for every common kind of colour blindness), in four families:
/// computing is blue, communication warm, waiting green, the host and the power limit grey.
std::string_view html_style();

inline constexpr double wide_chart = 1000;
inline constexpr double narrow_chart = 352;

/// @param body, footer  HTML
/// @param more_style    behind the common style sheet
std::string html_page(std::string_view title, std::string_view more_style, const std::string& body,
                      const std::string& footer);

/// @param lead  one sentence below the heading; may be empty
/// @param body  HTML
std::string html_section(std::string_view heading, std::string_view lead, const std::string& body);

/// One large figure with its name above and a note below; for a list of class "tiles".
std::string html_tile(std::string_view name, std::string_view value, std::string_view unit, std::string_view note);

/// A chart's drawing under the class that the style sheet shows on wide or on narrow screens.
std::string under_class(std::string svg, std::string_view name);

/// Drawings of one chart for wide and for narrow screens.
template <class Chart>
std::string both_widths(Chart chart, std::string (*draw)(const Chart&, double)) {
  std::string out;
  const std::string id = chart.text.id;
  for (const auto& [name, width] : {std::pair("wide", wide_chart), std::pair("narrow", narrow_chart)}) {
    chart.text.id = id + "-" + name;
    out += under_class(draw(chart, width), name);
  }
  return out;
}

/// @param above, charts  HTML
std::string html_figure(const std::string& above, const std::string& charts, std::string_view caption);

/// A table under a class of the style sheet: "wrap" for long texts, "files" for names and fingerprints.
std::string styled_table(const ResultTable& table, std::string_view style);

/// Sentences at the top of a page; the last one names the next step.
/// @param bad  the first one is bad news
std::string html_verdict(const std::vector<std::string>& sentences, bool bad);

/// Files with fingerprints, and the effective scenario.
std::string inputs_section(const ResultContext& context);

/// "clusterwright 0.1.0, commit 0123456789ab, 2026-11-23": program and day of a page. The day is that of
/// SOURCE_DATE_EPOCH where the environment has it, so that pages can be repeated byte by byte.
std::string made_by();

/// Program, day and the command to repeat. @param more  behind the day: "seed 3"; may be empty
std::string repeat_footer(const std::string& command_line, const std::string& more);
std::string repeat_footer(const ResultContext& context);

}  // namespace clusterwright
