// SPDX-License-Identifier: Apache-2.0
#include "tools/typed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

namespace clusterwright {

namespace {

struct Unit {
  std::string_view name;
  double scale;
};

constexpr std::array<Unit, 5> decimal_prefixes = {{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
constexpr std::array<Unit, 4> binary_prefixes = {
    {{"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0}}};
constexpr std::array<Unit, 4> power_units = {{{"W", 1}, {"kW", 1e3}, {"MW", 1e6}, {"GW", 1e9}}};
constexpr std::array<Unit, 8> time_units = {
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"y", 31557600}}};

constexpr std::string_view count_help =
    "write a number (8), a list (8,16,32) or a range (8..64 doubles; 8..16384x2; 8..64+8)";
constexpr std::string_view byte_help =
    "write 8, 8k, 8GB or 8GiB (B: bytes, b: bits; k, M, G and T of 1000; Ki, Mi, Gi and Ti of 1024)";
constexpr std::string_view power_help = "write a number with W, kW, MW or GW, for example 20MW";
constexpr std::string_view time_help = "write a number with ns, us, ms, s, min, h, d or y, for example 90d";

/// Units of a quantity, and the form of a number without a unit.
using UnitScale = std::optional<double> (*)(std::string_view unit);

std::optional<double> prefix_scale(std::string_view prefix) {
  for (const Unit& unit : decimal_prefixes)
    if (unit.name == prefix) return unit.scale;
  for (const Unit& unit : binary_prefixes)
    if (unit.name == prefix) return unit.scale;
  if (prefix == "K") return 1e3;
  return {};
}

std::optional<double> byte_scale(std::string_view unit) {
  double whole = 1;
  if (unit.ends_with('B') || unit.ends_with('b')) {
    whole = unit.back() == 'B' ? 1 : 0.125;
    unit.remove_suffix(1);
  }
  const auto scale = prefix_scale(unit);
  return scale ? std::optional(*scale * whole) : std::nullopt;
}

/// Units of message sizes, which nccl-tests counts in powers of 1024.
std::optional<double> message_scale(std::string_view unit) {
  if (unit.ends_with('B')) unit.remove_suffix(1);
  if (unit == "K" || unit == "k") return 1024.0;
  if (unit == "M" || unit == "G" || unit == "T") return byte_scale(std::string(unit) + "i");
  return byte_scale(unit);
}

template <std::size_t N>
std::optional<double> named_scale(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.scale;
  return {};
}

/// Part of what was typed, so that an error underlines just that.
class Cursor {
 public:
  Cursor(const TypedText& typed, std::string_view help)
      : source_(std::make_shared<const SourceText>(typed.option, typed.text)), help_(help), end_(typed.text.size()) {}

  std::string_view text() const { return source_->text().substr(begin_, end_ - begin_); }

  Cursor part(std::size_t begin, std::size_t length) const {
    Cursor inner = *this;
    inner.begin_ = begin_ + begin;
    inner.end_ = std::min(inner.begin_ + length, end_);
    return inner;
  }

  [[noreturn]] void refuse(const std::string& message, const std::string& underline = {}) const {
    const Place place{source_, begin_, std::max<std::size_t>(1, end_ - begin_), ""};
    throw ConfigError({"E0403", message, {place}, underline, std::string(help_)});
  }

 private:
  std::shared_ptr<const SourceText> source_;
  std::string_view help_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

double parse_scaled(const Cursor& cursor, UnitScale scale_of) {
  const std::string_view text = cursor.text();
  if (text.empty()) cursor.refuse("a number is missing");
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto used = static_cast<std::size_t>(rest - text.data());
  if (error == std::errc::result_out_of_range) cursor.refuse(fmt::format("\"{}\" is too large", text));
  if (error != std::errc() || !std::isfinite(number))
    cursor.refuse(fmt::format("\"{}\" does not begin with a number", text));
  const auto scale = scale_of(text.substr(used));
  if (!scale) {
    const std::string unit(text.substr(used));
    cursor.part(used, text.size())
        .refuse(unit.empty() ? fmt::format("\"{}\" has no unit", text) : fmt::format("unknown unit \"{}\"", unit));
  }
  return number * *scale;
}

double parse_whole(const Cursor& cursor, UnitScale scale_of, double largest) {
  const double number = parse_scaled(cursor, scale_of);
  if (number < 1) cursor.refuse(fmt::format("must be >= 1 (got {})", cursor.text()));
  if (number != std::floor(number)) cursor.refuse(fmt::format("must be a whole number (got {})", cursor.text()));
  if (number > largest) cursor.refuse(fmt::format("must be <= {} (got {})", largest, cursor.text()));
  return number;
}

struct Series {
  UnitScale scale_of;
  double largest;
};

/// "FIRST..LAST", "FIRST..LASTxFACTOR" or "FIRST..LAST+STEP".
std::vector<double> parse_range(const Cursor& range, std::size_t dots, const Series& series) {
  const std::string_view text = range.text();
  const std::size_t last_at = dots + 2;
  const std::size_t sign = text.find_first_of("x*+", last_at);
  const std::size_t last_end = std::min(sign, text.size());
  const double first = parse_whole(range.part(0, dots), series.scale_of, series.largest);
  const double last = parse_whole(range.part(last_at, last_end - last_at), series.scale_of, series.largest);
  if (last < first) range.refuse("the end of the range is below its start");
  const bool adds = sign != std::string_view::npos && text[sign] == '+';
  double step = 2;
  if (sign != std::string_view::npos) {
    const Cursor written = range.part(sign + 1, text.size());
    step = adds ? parse_whole(written, series.scale_of, series.largest) : parse_scaled(written, prefix_scale);
    if (!adds && !(step > 1)) written.refuse(fmt::format("a factor must be > 1 (got {})", written.text()));
  }
  std::vector<double> values;
  for (double value = first; value <= last * (1 + 1e-12); value = adds ? value + step : value * step) {
    const double whole = std::round(value);
    if (values.empty() || whole > values.back()) values.push_back(std::min(whole, last));
    if (values.size() > max_range_points) range.refuse(fmt::format("has more than {} points", max_range_points));
  }
  return values;
}

std::vector<double> parse_series(const TypedText& typed, std::string_view help, const Series& series) {
  const Cursor all(typed, help);
  std::vector<double> values;
  std::size_t begin = 0;
  while (begin <= typed.text.size()) {
    const std::size_t comma = std::min(typed.text.find(',', begin), typed.text.size());
    const Cursor item = all.part(begin, comma - begin);
    const std::size_t dots = item.text().find("..");
    if (dots == std::string_view::npos) {
      values.push_back(parse_whole(item, series.scale_of, series.largest));
    } else {
      const auto range = parse_range(item, dots, series);
      values.insert(values.end(), range.begin(), range.end());
    }
    if (values.size() > max_range_points) all.refuse(fmt::format("has more than {} points", max_range_points));
    begin = comma + 1;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

constexpr double largest_count = std::numeric_limits<int>::max();

}  // namespace

int parse_count(const TypedText& typed) {
  return static_cast<int>(
      parse_whole(Cursor(typed, "write a whole number, for example 8 or 16k"), prefix_scale, largest_count));
}

int parse_count(const TypedText& typed, int most, const std::string& why) {
  const int count = parse_count(typed);
  if (count <= most) return count;
  const auto source = std::make_shared<const SourceText>(typed.option, typed.text);
  throw ConfigError({"E0403",
                     fmt::format("{} is more than the {} that {} allows", count, most, typed.option),
                     {Place{source, 0, typed.text.size(), ""}},
                     "",
                     why});
}

int parse_threads(const std::string& text) {
  return parse_count({"--threads", text}, most_threads, "leave the option out to use every core");
}

std::vector<int> parse_counts(const TypedText& typed) {
  std::vector<int> counts;
  for (const double value : parse_series(typed, count_help, {prefix_scale, largest_count}))
    counts.push_back(static_cast<int>(value));
  return counts;
}

Bytes parse_bytes(const TypedText& typed) {
  const Cursor cursor(typed, byte_help);
  const double bytes = parse_scaled(cursor, byte_scale);
  if (bytes < 0) cursor.refuse(fmt::format("must be >= 0 (got {})", typed.text));
  return bytes * byte;
}

std::vector<Bytes> parse_byte_sizes(const TypedText& typed) {
  std::vector<Bytes> sizes;
  for (const double value : parse_series(typed, byte_help, {byte_scale, 1e18})) sizes.push_back(value * byte);
  return sizes;
}

std::vector<Bytes> parse_message_sizes(const TypedText& typed) {
  constexpr std::string_view help = "write 8, 64k, 1G, 8..8Gx2 or 1M,64M (k, M, G and T of 1024, as in nccl-tests)";
  std::vector<Bytes> sizes;
  for (const double value : parse_series(typed, help, {message_scale, 1e18})) sizes.push_back(value * byte);
  return sizes;
}

double parse_share(const TypedText& typed) {
  const Cursor cursor(typed, "write a number >= 0, for example 0.15");
  const double value =
      parse_scaled(cursor, [](std::string_view unit) { return unit.empty() ? std::optional(1.0) : std::nullopt; });
  if (value < 0) cursor.refuse(fmt::format("must be >= 0 (got {})", typed.text));
  return value;
}

double parse_percentage(const TypedText& typed) {
  const bool percent = typed.text.ends_with('%');
  const std::string number = typed.text.substr(0, typed.text.size() - (percent ? 1 : 0));
  return parse_share({typed.option, number}) / (percent ? 100 : 1);
}

std::vector<std::string> parse_words(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');)
    if (!part.empty() && std::ranges::find(out, part) == out.end()) out.push_back(part);
  return out;
}

std::vector<double> parse_caps(const TypedText& typed) {
  std::vector<double> shares;
  std::istringstream parts(typed.text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::string_view digits = part;
    if (digits.ends_with('%')) digits.remove_suffix(1);
    double percent = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
    if (error != std::errc() || rest != digits.data() + digits.size() || !(percent > 0) || percent > 100)
      throw option_error(typed.option, typed.text, fmt::format("\"{}\" is no share of the rating", part),
                         "percent above 0 and up to 100, with commas: 100,80,60");
    shares.push_back(percent / 100);
  }
  std::ranges::sort(shares, std::greater());
  shares.erase(std::ranges::unique(shares).begin(), shares.end());
  return shares;
}

Watts parse_power(const TypedText& typed) {
  const Cursor cursor(typed, power_help);
  const double watts = parse_scaled(cursor, [](std::string_view unit) { return named_scale(power_units, unit); });
  if (!(watts > 0)) cursor.refuse(fmt::format("must be > 0 (got {})", typed.text));
  return watts * watt;
}

double parse_amount(const TypedText& typed) {
  static constexpr std::array<Unit, 6> amounts = {
      {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"B", 1e9}, {"T", 1e12}}};
  const TypedText plain{typed.option, typed.text.substr(typed.text.starts_with('$') ? 1 : 0)};
  const Cursor cursor(plain, "write a number with k, M, B or T: 15T, 150M");
  const double amount = parse_scaled(cursor, [](std::string_view unit) { return named_scale(amounts, unit); });
  if (!(amount > 0)) cursor.refuse(fmt::format("must be > 0 (got {})", typed.text));
  return amount;
}

Seconds parse_duration(const TypedText& typed) {
  const Cursor cursor(typed, time_help);
  const double seconds = parse_scaled(cursor, [](std::string_view unit) { return named_scale(time_units, unit); });
  if (!(seconds > 0)) cursor.refuse(fmt::format("must be > 0 (got {})", typed.text));
  return seconds * second;
}

std::uint64_t parse_seed(const TypedText& typed) {
  const Cursor cursor(typed, "write a whole number >= 0");
  std::uint64_t seed = 0;
  const char* const end = typed.text.data() + typed.text.size();
  const auto [rest, error] = std::from_chars(typed.text.data(), end, seed);
  if (error != std::errc() || rest != end ||
      seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    cursor.refuse(fmt::format("\"{}\" is not a whole number from 0 to 2^63 - 1", typed.text));
  return seed;
}

namespace {

Place whole(const std::string& name, const std::string& text) {
  return {std::make_shared<const SourceText>(name, text), 0, std::max<std::size_t>(1, text.size()), ""};
}

/// Word in the quotes that a shell needs.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

TypedWords::TypedWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!text_.empty()) text_ += ' ';
    begin_.push_back(text_.size());
    text_ += quoted(word);
    length_.push_back(text_.size() - begin_.back());
  }
}

ConfigError TypedWords::error(std::size_t index, const std::string& message, const std::string& help) const {
  const bool inside = index < begin_.size();
  Place place = whole("command line", text_ + (inside ? "" : " "));
  place.offset = inside ? begin_[index] : text_.size() + 1;
  place.length = inside ? length_[index] : 1;
  return ConfigError({"E0404", message, {place}, "", help});
}

ConfigError option_error(const std::string& option, const std::string& value, const std::string& message,
                         const std::string& help) {
  return ConfigError({"E0404", message, {whole(option, value)}, "", help});
}

std::size_t parse_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
  const auto at = std::find(allowed.begin(), allowed.end(), value);
  if (at != allowed.end()) return static_cast<std::size_t>(at - allowed.begin());
  const std::string near = did_you_mean(value, allowed);
  const std::string list = fmt::format("one of: {}", fmt::join(allowed, ", "));
  throw option_error(option, value, fmt::format("unknown value \"{}\"", value),
                     near.empty() ? list : near + "   (" + list + ")");
}

}  // namespace clusterwright
