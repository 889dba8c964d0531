// SPDX-License-Identifier: Apache-2.0
#include "sim/calendar_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace clusterwright {

namespace {

/// Whether a text has digits where `form` has a 'd', and the letters of `form` elsewhere.
bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char f) { return f == 'd' ? c >= '0' && c <= '9' : c == f; });
}

/// @pre digits only
int number(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) value = 10 * value + (digit - '0');
  return value;
}

constexpr int days_of_longest_month = 31;

}  // namespace

std::string CalendarDate::text() const {
  if (!known()) return {};
  return day > 0 ? fmt::format("{:04}-{:02}-{:02}", year, month, day) : fmt::format("{:04}-{:02}", year, month);
}

std::optional<CalendarDate> read_date(std::string_view text) {
  const bool with_day = has_form(text, "dddd-dd-dd");
  if (!with_day && !has_form(text, "dddd-dd")) return {};
  // A day 00 must not read as a month without a day.
  if (with_day && number(text.substr(8)) == 0) return CalendarDate{number(text.substr(0, 4)), 0, 0};
  return CalendarDate{number(text.substr(0, 4)), number(text.substr(5, 2)), with_day ? number(text.substr(8)) : 0};
}

bool exists(const CalendarDate& date) {
  if (date.year < first_year || date.year > last_year) return false;
  const std::chrono::month month(static_cast<unsigned>(date.month));
  const std::chrono::day first(static_cast<unsigned>(std::max(1, date.day)));
  return std::chrono::year_month_day(std::chrono::year(date.year), month, first).ok();
}

bool is_utc_time(std::string_view text) {
  if (!has_form(text, "dddd-dd-ddTdd:dd:ddZ")) return false;
  const auto date = read_date(text.substr(0, 10));
  return exists(*date) && number(text.substr(11, 2)) < 24 && number(text.substr(14, 2)) < 60 &&
         number(text.substr(17, 2)) <= 60;  // a leap second is 60
}

double years_between(const CalendarDate& from, const CalendarDate& to) {
  if (!from.known() || !to.known()) return 0;
  const auto months = [](const CalendarDate& date) {
    const double since_first = std::max(0, date.day - 1) / static_cast<double>(days_of_longest_month);
    return 12 * date.year + date.month + since_first;
  };
  return (months(to) - months(from)) / 12;
}

}  // namespace clusterwright
