// SPDX-License-Identifier: Apache-2.0
#include "sim/calendar_date.hpp"

#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

struct Dated {
  CalendarDate since;
  CalendarDate until;
};

const Record<Dated>& record(const Dated*) {
  static const auto table = Record<Dated>("dated", "Something with dates")
                                .required("since", &Dated::since, {.help = "first date"})
                                .optional("until", &Dated::until, {.help = "last date"});
  return table;
}

/// Code of the error that the text of `since` gives; empty if it is a date.
std::string refused(const std::string& since) {
  try {
    decode_record<Dated>(read_json(std::make_shared<const SourceText>("d.json", "{\"since\": \"" + since + "\"}")));
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics()[0].places[0].pointer == "/since");
    return error.diagnostics()[0].code;
  }
  return {};
}

}  // namespace

TEST_CASE("a date is a month or a day of the calendar from 2017 to 2035", "[sim][dates]") {
  for (const char* date : {"2017-01", "2024-06", "2035-12", "2024-02-29", "2035-12-31"}) CHECK(refused(date).empty());
  for (const char* text : {"", "24-06", "yesterday", "2024-6", "2024", "2024-06-1", "2024/06", " 2024-06", "2024-06 "})
    CHECK(refused(text) == "E0201");
  // 2023 has no 29 February; a day 00 is no month without a day.
  for (const char* date : {"2024-13", "2024-00", "2042-06", "9999-99", "0000-00", "2016-12", "2036-01", "2023-02-29",
                           "2024-04-31", "2024-06-00"})
    CHECK(refused(date) == "E0202");
}

TEST_CASE("a date that is not needed may be empty, and is written as it was read", "[sim][dates]") {
  const auto text = R"({"since": "2024-06", "until": ""})";
  const auto dated = decode_record<Dated>(read_json(std::make_shared<const SourceText>("d.json", text)));
  CHECK_FALSE(dated.until.known());
  CHECK(encode_record(dated).at("since").as_text() == "2024-06");
  CHECK(encode_record(dated).at("until").as_text().empty());
  CHECK(CalendarDate{2024, 6, 3}.text() == "2024-06-03");
}

TEST_CASE("years are counted from month to month", "[sim][dates]") {
  CHECK(years_between({2024, 1}, {2025, 7}) == Approx(1.5));
  CHECK(years_between({2024, 1}, {2022, 1}) == Approx(-2));
  CHECK(years_between({2024, 1}, {}) == 0);
  CHECK(years_between({2024, 6}, {2024, 6, 1}) == 0);
  CHECK(years_between({2024, 6, 1}, {2024, 6, 16}) == Approx(15.0 / 31 / 12));
}

TEST_CASE("a time in UTC is one of the calendar and the clock", "[sim][dates]") {
  CHECK(is_utc_time("2026-11-21T21:04:06Z"));
  for (const char* text : {"2026-02-31T21:04:06Z", "2026-02-28T25:04:06Z", "2026-02-28T21:61:06Z",
                           "2026-02-28T21:04:61Z", "2026-02-28 21:04:06Z", "2026-02-28T21:04:06", ""})
    CHECK_FALSE(is_utc_time(text));
}
