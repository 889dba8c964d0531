// SPDX-License-Identifier: Apache-2.0
#include "sim/field_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

std::string expected_kind(const FieldSpec& spec) {
  std::string text;
  switch (spec.type) {
    case FieldType::integer:
      text = "an integer";
      break;
    case FieldType::number:
      text = spec.unit.empty() ? "a number" : fmt::format("a number ({})", spec.unit);
      break;
    case FieldType::boolean:
      text = "true or false";
      break;
    case FieldType::text:
      text = "a text";
      break;
    case FieldType::choice:
      text = fmt::format("one of \"{}\"", fmt::join(spec.choices, "\", \""));
      break;
    case FieldType::record:
      text = "an object";
      break;
  }
  if (spec.or_text) text += " or a text";
  if (spec.automatic) text += " or \"auto\"";
  if (spec.nullable) text += " or null";
  return text;
}

std::string shown(const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::integer:
      return std::to_string(value.as_integer());
    case JsonKind::number:
      return fmt::format("{}", value.as_number());
    case JsonKind::text:
      return fmt::format("\"{}\"", value.as_text().substr(0, 60));
    case JsonKind::boolean:
      return value.as_boolean() ? "true" : "false";
    default:
      return std::string(describe(value.kind()));
  }
}

std::string escape_pointer(std::string_view token) {
  std::string out;
  for (const char c : token) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

void Decoder::finish() const {
  if (!errors_.empty()) throw ConfigError(errors_);
}

void Decoder::error(std::string code, std::string message, const JsonValue& at, std::string underline,
                    std::string help) {
  if (errors_.size() >= ConfigError::limit) return;
  errors_.push_back({std::move(code), std::move(message), {at.place(pointer_)}, std::move(underline), std::move(help)});
}

void Decoder::wrong_kind(const JsonValue& value, const FieldSpec& spec) {
  error("E0201", fmt::format("must be {} (got {})", expected_kind(spec), shown(value)), value);
}

bool Decoder::in_range(double number, const JsonValue& value, const FieldSpec& spec) {
  if (!std::isfinite(number)) {
    error("E0202", "must be a finite number", value);
    return false;
  }
  const bool low = spec.above_min ? number <= spec.min : number < spec.min;
  if (low)
    error("E0202",
          fmt::format("must be {} {} (got {})", spec.above_min ? ">" : ">=", bound_text(spec.min), shown(value)),
          value);
  if (number > spec.max)
    error("E0202", fmt::format("must be <= {} (got {})", bound_text(spec.max), shown(value)), value);
  return !low && number <= spec.max;
}

void Decoder::too_large(const JsonValue& integer) {
  error("E0202", fmt::format("is too large for an integer (got {})", shown(integer)), integer);
}

std::optional<std::int64_t> Decoder::integer(const JsonValue& value, const FieldSpec& spec) {
  constexpr double exact = 9007199254740992;  // 2^53: doubles below are exact, "1e3" and "8.0" are integers
  const double number = value.is_numeric() ? value.as_number() : 0;
  const bool whole = value.is(JsonKind::number) && std::isfinite(number) && number == std::trunc(number);
  if (!value.is(JsonKind::integer) && !whole) {
    wrong_kind(value, spec);
    return {};
  }
  if (whole && std::abs(number) > exact) {
    too_large(value);
    return {};
  }
  if (!in_range(number, value, spec)) return {};
  return whole ? static_cast<std::int64_t>(number) : value.as_integer();
}

std::optional<double> Decoder::number(const JsonValue& value, const FieldSpec& spec) {
  if (!value.is_numeric()) {
    wrong_kind(value, spec);
    return {};
  }
  if (!in_range(value.as_number(), value, spec)) return {};
  return value.as_number();
}

std::optional<bool> Decoder::boolean(const JsonValue& value, const FieldSpec& spec) {
  if (value.is(JsonKind::boolean)) return value.as_boolean();
  wrong_kind(value, spec);
  return {};
}

std::optional<std::string> Decoder::text(const JsonValue& value, const FieldSpec& spec) {
  if (!value.is(JsonKind::text)) {
    wrong_kind(value, spec);
    return {};
  }
  constexpr std::size_t longest = 4096;
  if (value.as_text().size() > longest) {
    error("E0501", fmt::format("text is longer than {} bytes", longest), value);
    return {};
  }
  return value.as_text();
}

std::optional<CalendarDate> Decoder::date(const JsonValue& value, const FieldSpec& spec) {
  const auto written = text(value, spec);
  if (!written) return {};
  if (written->empty() && !spec.required) return CalendarDate{};
  const auto date = read_date(*written);
  if (!date) error("E0201", fmt::format("must be a date, YYYY-MM or YYYY-MM-DD (got {})", shown(value)), value);
  if (date && !exists(*date))
    error(
        "E0202",
        fmt::format("must be a date of the calendar from {}-01 to {}-12 (got {})", first_year, last_year, shown(value)),
        value);
  return date && exists(*date) ? date : std::nullopt;
}

std::optional<std::size_t> Decoder::choice(const JsonValue& value, const FieldSpec& spec) {
  if (spec.flag && value.is(JsonKind::boolean)) return value.as_boolean() ? 1 : 0;
  if (value.is(JsonKind::text))
    for (std::size_t i = 0; i < spec.choices.size(); ++i)
      if (spec.choices[i] == value.as_text()) return i;
  std::string help = value.is(JsonKind::text) ? did_you_mean(value.as_text(), spec.choices) : "";
  for (const OtherName& other : spec.other_names)
    if (value.is(JsonKind::text) && is_same_name(other.word, value.as_text())) help = other.help;
  error("E0203", fmt::format("must be {} (got {})", expected_kind(spec), shown(value)), value, "", help);
  return {};
}

void Decoder::unknown_key(const std::string& key, const JsonValue& member, const std::string& where,
                          const std::vector<std::string>& allowed, std::string pointer) {
  if (errors_.size() >= ConfigError::limit) return;
  std::string help = did_you_mean(key, allowed);
  if (help.empty()) help = fmt::format("allowed: {}", fmt::join(allowed, ", "));
  errors_.push_back({"E0102",
                     fmt::format("unknown key \"{}\" in {}", key.substr(0, 60), where),
                     {member.key_place(std::move(pointer))},
                     "",
                     std::move(help)});
}

bool Decoder::check_map_key(const std::string& key, const JsonValue& member, const FieldSpec& spec) {
  const auto& allowed = spec.map_keys;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), key) != allowed.end()) return true;
  unknown_key(key, member, spec.key, allowed, pointer_);
  return false;
}

void Decoder::check_schema_name(const JsonValue& name, const RecordSpec& spec) {
  const std::string wanted = (spec.name == "collective_set" ? "collectives" : spec.name) + ".schema.json";
  const std::string given = name.is(JsonKind::text) ? name.as_text() : "";
  if (given.substr(given.find_last_of('/') + 1) == wanted) return;
  errors_.push_back({name.is(JsonKind::text) ? "E0203" : "E0201",
                     fmt::format("\"$schema\" must name {} here (got {})", wanted, shown(name)),
                     {name.place(pointer_ + "/$schema")},
                     "",
                     "leave the key out, or correct it"});
}

bool Decoder::check_object(const JsonValue& value, const RecordSpec& spec) {
  if (!value.is(JsonKind::object)) {
    error("E0201", fmt::format("{} must be an object (got {})", spec.name, shown(value)), value);
    return false;
  }
  const std::vector<std::string> keys = spec.keys();
  for (const auto& [key, member] : value.members()) {
    if (key == "$schema") check_schema_name(member, spec);
    if (spec.find(key) || key == "$schema") continue;
    unknown_key(key, member, spec.name, keys, pointer_ + "/" + escape_pointer(key));
  }
  for (const FieldSpec& field : spec.fields)
    if (field.required && !value.find(field.key))
      error("E0104", fmt::format("missing key \"{}\" in {}", field.key, spec.name), value, "",
            fmt::format("{}: {}", field.key, field.help));
  return true;
}

bool Decoder::check_list(const JsonValue& value, const FieldSpec& spec) {
  const JsonKind wanted = spec.is_map ? JsonKind::object : JsonKind::list;
  if (!value.is(wanted)) {
    error("E0201", fmt::format("must be {} (got {})", describe(wanted), shown(value)), value);
    return false;
  }
  const std::size_t size = spec.is_map ? value.members().size() : value.elements().size();
  if (size > spec.max_elements) {
    error("E0501", fmt::format("has {} elements, at most {} are allowed", size, spec.max_elements), value);
    return false;
  }
  for (const std::string& key : spec.needed_keys)
    if (!value.find(key)) error("E0104", fmt::format("missing key \"{}\" in {}", key, spec.key), value);
  return true;
}

const JsonValue* Decoder::sourced_value(const JsonValue& value, std::string& source, bool& verified, double& std_error,
                                        bool ranged) {
  const JsonValue* inner = value.is(JsonKind::object) ? value.find("value") : nullptr;
  if (!inner) return nullptr;
  const auto wrong = [&](const JsonValue& member, const char* what) {
    error("E0201", fmt::format("must be {} (got {})", what, shown(member)), member);
  };
  for (const auto& [key, member] : value.members()) {
    const Scope scope(*this, value, member, key);
    if (key == "source") {
      member.is(JsonKind::text) ? void(source = member.as_text()) : wrong(member, "a text");
    } else if (key == "verified") {
      member.is(JsonKind::boolean) ? void(verified = member.as_boolean()) : wrong(member, "true or false");
    } else if (key == "std_error") {
      const bool fits = member.is_numeric() && member.as_number() >= 0 && member.as_number() <= most_std_error;
      fits ? void(std_error = member.as_number()) : wrong(member, "a number from 0 to a million million");
    } else if (key != "value" && !(ranged && (key == "low" || key == "high"))) {
      std::vector<std::string> known = {"value", "source", "std_error", "verified"};
      if (ranged) known.insert(known.end(), {"low", "high"});
      unknown_key(key, member, "a value with its source", known, pointer_);
    }
  }
  return inner;
}

void Decoder::range_upside_down(const JsonValue& value) {
  error("E0356", "must have low <= value <= high", value);
}

Decoder::Scope::Scope(Decoder& decoder, const JsonValue& parent, const JsonValue& child, std::string_view token)
    : decoder_(decoder), saved_(decoder.pointer_) {
  const bool other_file = parent.source && child.source && parent.source != child.source;
  if (other_file) {
    decoder_.pointer_.clear();
  } else {
    decoder_.pointer_ += "/";
    decoder_.pointer_ += escape_pointer(token);
  }
}

Decoder::Scope::~Scope() {
  decoder_.pointer_ = std::move(saved_);
}

}  // namespace clusterwright
