// SPDX-License-Identifier: Apache-2.0
#include "topology/rules/part_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

/// Relative difference up to which two numbers are equal; data sheets round to three digits.
constexpr double same = 1e-3;

/// A replacement stands for a whole step of the path, and each is used once.
std::string named(std::string_view field, const FieldNames& names) {
  std::string path(field);
  for (const auto& [from, to] : names)
    for (std::size_t at = path.find(from); at != std::string::npos; at = path.find(from, at + 1)) {
      const std::size_t end = at + from.size();
      if ((at > 0 && path[at - 1] != '.') || (end < path.size() && path[end] != '.')) continue;
      path.replace(at, from.size(), to);
      break;
    }
  return path;
}

/// A name with a space, such as a class of servers, is no field.
bool is_field(std::string_view path) {
  return path.find(' ') == std::string_view::npos;
}

std::string pointer_of(std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return "/" + path;
}

}  // namespace

RuleFinding make_finding(const RuleWords& rule, const Breach& breach, const FieldNames& names) {
  const std::string field = named(rule.first, names), other = named(rule.second, names);
  std::string message = fmt::format("{} ({}) {} {} ({})", field, breach.first, rule.relation, other, breach.second);
  if (rule.code.empty()) message += fmt::format(": {}", rule.then);
  std::vector<std::string> pointers = {pointer_of(field)};
  if (is_field(rule.second)) pointers.push_back(pointer_of(other));
  return {&rule, std::move(message), std::move(pointers)};
}

std::string amount(double value, std::string_view unit) {
  return unit.empty() ? plain_number(value) : fmt::format("{} {}", plain_number(value), unit);
}

std::optional<Breach> above(double value, double bound, std::string_view unit) {
  if (value <= bound * (1 + same)) return std::nullopt;
  return Breach{amount(value, unit), amount(bound, unit)};
}

std::optional<Breach> above(BytesPerSecond rate, BytesPerSecond bound) {
  return above(rate.in(gigabit_per_second), bound.in(gigabit_per_second), "Gbit/s");
}

}  // namespace clusterwright
