// SPDX-License-Identifier: Apache-2.0
#include "tools/output/html_page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "sim/json_writer.hpp"
#include "tools/build_facts.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"

namespace clusterwright {

std::string html_page(std::string_view title, std::string_view more_style, const std::string& body,
                      const std::string& footer) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light dark\">\n"
      "<title>{} - clusterwright</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n{}</body>\n"
      "</html>\n",
      html_text(title), html_style(), more_style, body, footer);
}

std::string html_section(std::string_view heading, std::string_view lead, const std::string& body) {
  const std::string below = lead.empty() ? std::string() : fmt::format("<p class=\"lead\">{}</p>\n", html_text(lead));
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n", html_text(heading), below, body);
}

std::string html_tile(std::string_view name, std::string_view value, std::string_view unit, std::string_view note) {
  return fmt::format(
      "<div class=\"tile\"><dt>{}</dt><dd class=\"figure\">{} <small>{}</small></dd><dd "
      "class=\"below\">{}</dd></div>\n",
      html_text(name), html_text(value), html_text(unit), html_text(note));
}

std::string under_class(std::string svg, std::string_view name) {
  return svg.replace(svg.find("\"chart\""), 7, fmt::format("\"chart {}\"", name));
}

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
  return html_section("Inputs", "Files that the result depends on, with their fingerprints.",
                      styled_table(inputs_table(context.inputs), "files") + scenario);
}

std::string made_by() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) now = static_cast<std::time_t>(std::atoll(epoch));
  const BuildFacts& facts = build_facts();
  const std::string commit = facts.commit.empty() ? "" : fmt::format(", commit {}", facts.commit.substr(0, 12));
  return fmt::format("clusterwright {}{}, {:%Y-%m-%d}", facts.version, commit, fmt::gmtime(now));
}

std::string repeat_footer(const std::string& command_line, const std::string& more) {
  return fmt::format("<footer>\n<p>{}{}. Repeat with:</p>\n<p><code>{}</code></p>\n</footer>\n", html_text(made_by()),
                     html_text(more.empty() ? "" : ", " + more), html_text(command_line));
}

std::string repeat_footer(const ResultContext& context) {
  return repeat_footer(context.command_line, fmt::format("seed {}", context.seed));
}

}  // namespace clusterwright
