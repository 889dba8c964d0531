// SPDX-License-Identifier: Apache-2.0
/// Text on its way out: numbers for people, and names from files that must stay text in terminals, CSV, Markdown and
/// HTML.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Text without control characters (also U+0080..U+009F and bidirectional overrides), with invalid UTF-8 replaced.
std::string printable(std::string_view text);

/// Columns that the text takes in a terminal: combining marks none, East Asian wide characters and emoji two.
std::size_t display_width(std::string_view text);

/// One CSV field (RFC 4180). A field that a spreadsheet would take for a formula gets a leading '.
std::string csv_field(std::string_view text);

/// Text escaped for a Markdown table cell or paragraph.
std::string markdown_text(std::string_view text);

/// Text escaped for HTML and SVG: element content and quoted attributes.
std::string html_text(std::string_view text);

/// A fixed number of digits behind the point, thousands grouped: 1,234,567.8.
std::string fixed_text(double value, int decimals);

/// About `digits` significant digits, never in powers of ten, thousands grouped: 0.0312, 4.57, 1,235.
std::string significant_text(double value, int digits = 4);

/// 16,384.
std::string count_text(long long value);

/// 12.3 %.
std::string percent_text(double share, int decimals = 1);

/// The shortest text that reads back as the same number, for machines.
std::string exact_text(double value);

/// "1.23 MW", "812 kW", "1.72 kW", "98 W".
std::string power_text(Watts power);
/// "$43.2 M", "$25,000", "$2.31".
std::string money_text(Dollars money);

/// "0-3, 6"; empty for none.
std::string ranges_text(const std::set<int>& numbers);

}  // namespace clusterwright
