// SPDX-License-Identifier: Apache-2.0
#include "sim/law_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

double margin(double a, double b) {
  return LawCheck::tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

LawBroken::LawBroken(const std::string& subject, std::vector<std::string> laws)
    : std::logic_error(fmt::format("E0901: {} breaks a law: {}", subject, fmt::join(laws, "; "))),
      laws_(std::move(laws)) {}

void LawCheck::positive(std::string_view name, double value) {
  holds(std::isfinite(value) && value > 0, fmt::format("{} must be above 0 ({})", name, value));
}

void LawCheck::not_negative(std::string_view name, double value) {
  holds(std::isfinite(value) && value >= 0, fmt::format("{} must not be below 0 ({})", name, value));
}

void LawCheck::at_most(std::string_view name, double value, std::string_view bound_name, double bound) {
  holds(std::isfinite(value) && value <= bound + margin(value, bound),
        fmt::format("{} must be at most {} ({} > {})", name, bound_name, value, bound));
}

void LawCheck::equal(std::string_view name, double value, std::string_view other_name, double other) {
  holds(std::isfinite(value) && std::abs(value - other) <= margin(value, other),
        fmt::format("{} must equal {} ({} != {})", name, other_name, value, other));
}

void LawCheck::ordered(std::string_view name, double low, double value, double high) {
  const bool finite = std::isfinite(low) && std::isfinite(high);
  holds(finite && low <= value + margin(low, value) && value <= high + margin(value, high),
        fmt::format("{} must lie inside its interval ({} <= {} <= {})", name, low, value, high));
}

void LawCheck::holds(bool law, std::string sentence) {
  if (!law) laws_.push_back(std::move(sentence));
}

void LawCheck::finish() const {
  if (broken()) throw LawBroken(subject_, laws_);
}

}  // namespace clusterwright
