// SPDX-License-Identifier: Apache-2.0
/// Fields of the JSON of a measurement. Every function throws ConfigError at the place of a value of the wrong type:
/// E0104 for a missing key, E0201 for the type, E0202 for a date that no calendar has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/calendar_date.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

[[noreturn]] void refuse_measurement(const std::string& code, std::string message, const JsonValue& at);

const JsonValue& required(const JsonValue& object, std::string_view key);
/// Member of `object`; null where it is absent or null, which both mean "not published".
const JsonValue* published(const JsonValue& object, std::string_view key);

double to_number(const JsonValue& value);
std::int64_t to_integer(const JsonValue& value);
const std::string& to_text(const JsonValue& value);
bool to_boolean(const JsonValue& value);
const std::vector<JsonValue>& to_list(const JsonValue& value);

double number(const JsonValue& object, std::string_view key);
std::int64_t integer(const JsonValue& object, std::string_view key);
int count(const JsonValue& object, std::string_view key);
CalendarDate date(const JsonValue& object, std::string_view key);
std::string text(const JsonValue& object, std::string_view key);

/// Absent where it is not published.
std::optional<std::int64_t> maybe_integer(const JsonValue& object, std::string_view key);
std::optional<bool> maybe_boolean(const JsonValue& object, std::string_view key);
std::optional<double> maybe_number(const JsonValue& object, std::string_view key);
std::optional<std::string> maybe_text(const JsonValue& object, std::string_view key);
template <class Q>
std::optional<Q> maybe_quantity(const JsonValue& object, std::string_view key, Q unit) {
  const JsonValue* found = published(object, key);
  return found ? std::optional(to_number(*found) * unit) : std::nullopt;
}

}  // namespace clusterwright
