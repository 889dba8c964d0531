// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measurement_fields.hpp"

#include <fmt/format.h>

namespace clusterwright {

void refuse_measurement(const std::string& code, std::string message, const JsonValue& at) {
  throw ConfigError(Diagnostic{code, std::move(message), {at.place("")}, "", ""});
}

const JsonValue& required(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.find(key);
  if (!found) refuse_measurement("E0104", fmt::format("missing key \"{}\" in a measurement", key), object);
  return *found;
}

const JsonValue* published(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.find(key);
  return found && !found->is_null() ? found : nullptr;
}

double to_number(const JsonValue& value) {
  if (!value.is_numeric()) refuse_measurement("E0201", "must be a number", value);
  return value.as_number();
}

std::int64_t to_integer(const JsonValue& value) {
  if (!value.is(JsonKind::integer)) refuse_measurement("E0201", "must be an integer", value);
  return value.as_integer();
}

const std::string& to_text(const JsonValue& value) {
  if (!value.is(JsonKind::text)) refuse_measurement("E0201", "must be a text", value);
  return value.as_text();
}

bool to_boolean(const JsonValue& value) {
  if (!value.is(JsonKind::boolean)) refuse_measurement("E0201", "must be true or false", value);
  return value.as_boolean();
}

const std::vector<JsonValue>& to_list(const JsonValue& value) {
  if (!value.is(JsonKind::list)) refuse_measurement("E0201", "must be a list", value);
  return value.elements();
}

double number(const JsonValue& object, std::string_view key) {
  return to_number(required(object, key));
}
std::int64_t integer(const JsonValue& object, std::string_view key) {
  return to_integer(required(object, key));
}
int count(const JsonValue& object, std::string_view key) {
  return static_cast<int>(integer(object, key));
}
CalendarDate date(const JsonValue& object, std::string_view key) {
  const JsonValue& value = required(object, key);
  const auto date = read_date(to_text(value));
  if (!date) refuse_measurement("E0201", "must be a date, YYYY-MM or YYYY-MM-DD", value);
  if (!exists(*date))
    refuse_measurement("E0202",
                       fmt::format("must be a date of the calendar from {}-01 to {}-12", first_year, last_year), value);
  return *date;
}
std::string text(const JsonValue& object, std::string_view key) {
  return to_text(required(object, key));
}

std::optional<std::int64_t> maybe_integer(const JsonValue& object, std::string_view key) {
  const JsonValue* found = published(object, key);
  return found ? std::optional(to_integer(*found)) : std::nullopt;
}

std::optional<bool> maybe_boolean(const JsonValue& object, std::string_view key) {
  const JsonValue* found = published(object, key);
  return found ? std::optional(to_boolean(*found)) : std::nullopt;
}

std::optional<double> maybe_number(const JsonValue& object, std::string_view key) {
  const JsonValue* found = published(object, key);
  return found ? std::optional(to_number(*found)) : std::nullopt;
}

std::optional<std::string> maybe_text(const JsonValue& object, std::string_view key) {
  const JsonValue* found = published(object, key);
  return found ? std::optional(to_text(*found)) : std::nullopt;
}

}  // namespace clusterwright
