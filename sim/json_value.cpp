// SPDX-License-Identifier: Apache-2.0
#include "sim/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace clusterwright {

namespace {

/// Next reference token of a pointer, unescaped; moves `pointer` past it.
std::string next_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (std::size_t i = 0; i < end; ++i) {
    if (pointer[i] == '~' && i + 1 < end) {
      token += pointer[++i] == '1' ? '/' : '~';
    } else {
      token += pointer[i];
    }
  }
  pointer.remove_prefix(end);
  return token;
}

const JsonValue* child(const JsonValue& value, const std::string& token) {
  if (value.is(JsonKind::object)) return value.find(token);
  if (!value.is(JsonKind::list)) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool whole = error == std::errc() && end == token.data() + token.size();
  return whole && index < value.elements().size() ? &value.elements()[index] : nullptr;
}

}  // namespace

std::string_view describe(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::integer:
      return "an integer";
    case JsonKind::number:
      return "a number";
    case JsonKind::text:
      return "a text";
    case JsonKind::list:
      return "a list";
    case JsonKind::object:
      return "an object";
  }
  return "a value";
}

JsonValue JsonValue::of_kind(JsonKind kind) {
  JsonValue value;
  value.kind_ = kind;
  return value;
}

JsonValue JsonValue::list(std::vector<JsonValue> elements) {
  JsonValue value = list();
  value.elements_ = std::move(elements);
  return value;
}

JsonValue JsonValue::object(std::initializer_list<Member> members) {
  JsonValue value = object();
  value.members_ = members;
  return value;
}

void JsonValue::push_back(JsonValue value) {
  elements_.push_back(std::move(value));
}

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const Member& member : members_)
    if (member.first == key) return &member.second;
  return nullptr;
}

JsonValue* JsonValue::find(std::string_view key) {
  return const_cast<JsonValue*>(static_cast<const JsonValue*>(this)->find(key));
}

const JsonValue& JsonValue::at(std::string_view key) const {
  const JsonValue* value = find(key);
  if (!value) throw std::out_of_range("no member \"" + std::string(key) + "\"");
  return *value;
}

JsonValue& JsonValue::set(std::string key, JsonValue value) {
  if (JsonValue* present = find(key)) return *present = std::move(value);
  members_.emplace_back(std::move(key), std::move(value));
  return members_.back().second;
}

const JsonValue* JsonValue::at_pointer(std::string_view pointer) const {
  const JsonValue* value = this;
  while (value && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    value = child(*value, next_token(pointer));
  }
  return value;
}

}  // namespace clusterwright
