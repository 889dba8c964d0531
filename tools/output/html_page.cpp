// SPDX-License-Identifier: Apache-2.0
#include "tools/output/html_page.hpp"

#include <fmt/format.h>

#include "tools/output/escape.hpp"
#include "tools/output/html_style.hpp"

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

}  // namespace clusterwright
