// SPDX-License-Identifier: Apache-2.0
#include "tools/output/svg_parts.hpp"

#include <fmt/format.h>

#include "tools/output/escape.hpp"

namespace clusterwright {

std::string open_svg(const ChartText& text, double width, double height) {
  return fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
      "width=\"{1:.0f}\" height=\"{2:.0f}\">\n<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n",
      text.id, width, height, html_text(text.title), html_text(text.description));
}

std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                     x2, y2);
}

std::string svg_label(std::string_view style, double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y, anchor,
                     html_text(text));
}

}  // namespace clusterwright
