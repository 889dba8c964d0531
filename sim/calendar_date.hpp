// SPDX-License-Identifier: Apache-2.0
/// Dates of software, prices and measurements: one spelling and one range for all files.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace clusterwright {

/// Day or month of the calendar, or no date at all.
struct CalendarDate {
  int year = 0;   ///< 0: not known
  int month = 0;  ///< from 1
  int day = 0;    ///< from 1; 0 if only the month is known

  bool known() const { return year > 0; }
  /// "2024-06" or "2024-06-15"; empty if not known.
  std::string text() const;

  auto operator<=>(const CalendarDate&) const = default;
};

/// First and last year of a date. The transformer was published in June 2017, so no step is older; no part, stack or
/// price of the catalog is announced for later than 2030, and the last year leaves room for plans beyond.
inline constexpr int first_year = 2017, last_year = 2035;

/// Date written as YYYY-MM or YYYY-MM-DD, whether or not the calendar has it.
std::optional<CalendarDate> read_date(std::string_view text);

/// Whether the calendar has the date, within the range of years.
bool exists(const CalendarDate& date);

/// Whether a text is a time in UTC such as 2026-11-21T21:04:06Z.
bool is_utc_time(std::string_view text);

/// Years from one date to another; a month without a day counts from its first. 0 if either is not known.
double years_between(const CalendarDate& from, const CalendarDate& to);

}  // namespace clusterwright
