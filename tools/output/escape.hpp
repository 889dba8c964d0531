// SPDX-License-Identifier: Apache-2.0
/// Text on its way out: names from files end up in terminals, CSV, Markdown and HTML, and must stay text there.
#pragma once

#include <string>
#include <string_view>

namespace clusterwright {

/// Without control characters (also U+0080..U+009F and bidirectional overrides) and with invalid UTF-8 replaced.
std::string printable(std::string_view text);

/// Columns that the text takes in a terminal: combining marks none, East Asian wide characters and emoji two.
std::size_t display_width(std::string_view text);

/// One CSV field (RFC 4180). A field that a spreadsheet would take for a formula gets a leading '.
std::string csv_field(std::string_view text);

/// For a Markdown table cell or paragraph.
std::string markdown_text(std::string_view text);

/// For HTML and SVG, element content and quoted attributes alike.
std::string html_text(std::string_view text);

}  // namespace clusterwright
