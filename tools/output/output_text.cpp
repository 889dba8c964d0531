// SPDX-License-Identifier: Apache-2.0
#include "tools/output/output_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace clusterwright {

namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point at the start of `text`; overlong forms, surrogates and torn sequences are not valid.
CodePoint decode(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  static constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0u) != 0x80) return {};
    value = value << 6 | (at(i) & 0x3fu);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes, true};
}

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};

template <std::size_t N>
bool in_any(const std::array<Span, N>& spans, std::uint32_t value) {
  return std::any_of(spans.begin(), spans.end(), [&](Span s) { return value >= s.first && value <= s.last; });
}

/// Characters that steer a terminal or turn text round.
bool is_control(std::uint32_t value) {
  static constexpr std::array<Span, 5> controls = {
      {{0, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}};
  return in_any(controls, value);
}

std::size_t width_of(std::uint32_t value) {
  static constexpr std::array<Span, 8> marks = {{{0x300, 0x36f},
                                                 {0x483, 0x489},
                                                 {0x591, 0x5bd},
                                                 {0x1ab0, 0x1aff},
                                                 {0x1dc0, 0x1dff},
                                                 {0x200b, 0x200d},
                                                 {0x20d0, 0x20ff},
                                                 {0xfe00, 0xfe2f}}};
  static constexpr std::array<Span, 9> wide = {{{0x1100, 0x115f},
                                                {0x2e80, 0x303e},
                                                {0x3041, 0xa4cf},
                                                {0xac00, 0xd7a3},
                                                {0xf900, 0xfaff},
                                                {0xfe30, 0xfe6f},
                                                {0xff00, 0xff60},
                                                {0x1f300, 0x1faff},
                                                {0x20000, 0x3fffd}}};
  if (in_any(marks, value)) return 0;
  return in_any(wide, value) ? 2 : 1;
}

bool is_number(std::string_view text) {
  double ignored = 0;
  const std::size_t sign = text.starts_with('+') ? 1 : 0;
  const auto [rest, error] = std::from_chars(text.data() + sign, text.data() + text.size(), ignored);
  return error == std::errc() && rest == text.data() + text.size();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (!c.valid) {
      out += "\xef\xbf\xbd";  // U+FFFD
    } else if (c.value == '\t' || c.value == '\n' || c.value == '\r') {
      out += ' ';
    } else if (!is_control(c.value)) {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    width += c.valid ? width_of(c.value) : 1;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string csv_field(std::string_view text) {
  std::string clean = printable(text);
  const bool formula = !clean.empty() && std::string_view("=+-@").find(clean[0]) != std::string_view::npos;
  if (formula && !is_number(clean)) clean.insert(0, "'");
  if (clean.find_first_of(",\"") == std::string::npos && !clean.starts_with(' ') && !clean.ends_with(' ')) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|#!~>").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

/// Commas between groups of three digits before the point.
std::string grouped(std::string text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > begin + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.starts_with('-')) text.erase(0, 1);  // -0.00
  return grouped(std::move(text));
}

std::string significant_text(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fixed_text(value, 0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fixed_text(value, std::clamp(digits - 1 - magnitude, 0, 12));
}

std::string count_text(long long value) {
  return grouped(std::to_string(value));
}

std::string percent_text(double share, int decimals) {
  return fixed_text(100 * share, decimals) + " %";
}

std::string exact_text(double value) {
  return fmt::format("{}", value);
}

std::string power_text(Watts power) {
  if (power >= megawatt) return significant_text(power.in(megawatt), 3) + " MW";
  if (power >= kilowatt) return significant_text(power.in(kilowatt), 3) + " kW";
  return significant_text(power.in(watt), 3) + " W";
}

std::string money_text(Dollars money) {
  const double usd = money.in(dollar);
  const std::string sign = usd < 0 ? "-$" : "$";
  const double size = std::abs(usd);
  if (size >= 1e9) return sign + significant_text(size / 1e9, 3) + " bn";
  if (size >= 1e6) return sign + significant_text(size / 1e6, 3) + " M";
  return sign + fixed_text(size, size >= 1000 || size == 0 ? 0 : 2);
}

std::string ranges_text(const std::set<int>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int first = *at;
    int last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

}  // namespace clusterwright
