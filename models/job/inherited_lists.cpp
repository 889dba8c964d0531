// SPDX-License-Identifier: Apache-2.0
#include "models/job/inherited_lists.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

JsonValue with_changes(JsonValue changes, JsonValue base) {
  if (!base.is(JsonKind::list)) base = JsonValue::list();
  for (auto& [index, change] : changes.members()) {
    const std::size_t at = std::stoull(index);
    if (at >= base.elements().size()) refuse_element(index, base.elements().size(), change.place(""));
    JsonValue& element = base.elements()[at];
    element = laid_over(std::move(change), std::move(element));
  }
  return base;
}

}  // namespace

bool holds_changes(const JsonValue& list) {
  return list.is(JsonKind::list) && !list.members().empty();
}

JsonValue& changes_of_element(JsonValue& list, std::size_t index, const Place& place) {
  const std::string key = std::to_string(index);
  if (JsonValue* known = list.find(key)) return *known;
  JsonValue change = JsonValue::object();
  change.source = place.source;
  change.offset = place.offset;
  change.length = place.length;
  return list.set(key, std::move(change));
}

JsonValue laid_over(JsonValue own, JsonValue base) {
  if (holds_changes(own)) return with_changes(std::move(own), std::move(base));
  if (!own.is(JsonKind::object) || !base.is(JsonKind::object)) return own;
  for (auto& [key, member] : base.members()) {
    JsonValue* said = own.find(key);
    if (!said)
      own.set(key, std::move(member));
    else
      *said = laid_over(std::move(*said), std::move(member));
  }
  return own;
}

void refuse_open_changes(const JsonValue& value) {
  if (holds_changes(value)) {
    const auto& [index, change] = value.members().front();
    refuse_element(index, 0, change.place(""));
  }
  for (const JsonValue& element : value.elements()) refuse_open_changes(element);
  for (const auto& [key, member] : value.members()) refuse_open_changes(member);
}

void refuse_element(const std::string& index, std::size_t size, const Place& place) {
  throw ConfigError({"E0402",
                     fmt::format("the list has no element \"{}\"", index),
                     {place},
                     "",
                     size == 0 ? "it is empty" : fmt::format("elements are numbered from 0 to {}", size - 1)});
}

}  // namespace clusterwright
