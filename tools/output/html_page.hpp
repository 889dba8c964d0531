// SPDX-License-Identifier: Apache-2.0
/// The frame of a report: one self-contained page. No script, no request; what is passed as text gets escaped.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace clusterwright {

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

/// The same chart for wide and for narrow screens.
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

}  // namespace clusterwright
