// SPDX-License-Identifier: Apache-2.0
#include "tools/output/html_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/json_writer.hpp"
#include "tools/build_facts.hpp"
#include "tools/output/escape.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/prediction_tables.hpp"

namespace clusterwright {

namespace {

/// Keeps a per cent sign on the line of its number.
std::string unbroken(std::string text) {
  for (std::size_t at = text.find(" %"); at != std::string::npos; at = text.find(" %", at))
    text.replace(at, 1, "&nbsp;");
  return text;
}

/// Escaped, with the line breaks kept.
std::string html_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += html_text(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string html_figure(const std::string& above, const std::string& charts, std::string_view caption) {
  return fmt::format("<figure>\n{}{}<figcaption>{}</figcaption>\n</figure>\n", above, charts, html_text(caption));
}

std::string styled_table(const ResultTable& table, std::string_view style) {
  return fmt::format("<div class=\"{}\">\n{}</div>\n", style, render_html(table));
}

std::string html_verdict(const std::vector<std::string>& sentences, bool bad) {
  std::string list;
  for (const std::string& sentence : sentences) list += fmt::format("<li>{}</li>\n", unbroken(html_text(sentence)));
  return fmt::format("<ul class=\"verdict{}\">\n{}</ul>\n", bad ? " no" : "", list);
}

std::string inputs_section(const ResultContext& context) {
  const std::string scenario =
      fmt::format("<details>\n<summary>The effective scenario</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n",
                  html_lines(write_json(context.scenario)));
  return html_section("Inputs", "Files that the answer depends on, with their fingerprints.",
                      styled_table(inputs_table(context.inputs), "files") + scenario);
}

std::string repeat_footer(const ResultContext& context) {
  return fmt::format("<footer>\n<p>clusterwright {}, seed {}. Repeat with:</p>\n<p><code>{}</code></p>\n</footer>\n",
                     html_text(build_facts().version), context.seed, html_text(context.command_line));
}

}  // namespace clusterwright
