// SPDX-License-Identifier: Apache-2.0
#include "tools/usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

Place whole(const std::string& name, const std::string& text) {
  return {std::make_shared<const SourceText>(name, text), 0, std::max<std::size_t>(1, text.size()), ""};
}

/// As a shell would take it back.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

TypedWords::TypedWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!text_.empty()) text_ += ' ';
    begin_.push_back(text_.size());
    text_ += quoted(word);
    length_.push_back(text_.size() - begin_.back());
  }
}

ConfigError TypedWords::error(std::size_t index, const std::string& message, const std::string& help) const {
  const bool inside = index < begin_.size();
  Place place = whole("command line", text_ + (inside ? "" : " "));
  place.offset = inside ? begin_[index] : text_.size() + 1;
  place.length = inside ? length_[index] : 1;
  return ConfigError({"E0404", message, {place}, "", help});
}

ConfigError option_error(const std::string& option, const std::string& value, const std::string& message,
                         const std::string& help) {
  return ConfigError({"E0404", message, {whole(option, value)}, "", help});
}

std::size_t parse_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
  const auto at = std::find(allowed.begin(), allowed.end(), value);
  if (at != allowed.end()) return static_cast<std::size_t>(at - allowed.begin());
  const std::string near = did_you_mean(value, allowed);
  const std::string list = fmt::format("one of: {}", fmt::join(allowed, ", "));
  throw option_error(option, value, fmt::format("unknown value \"{}\"", value),
                     near.empty() ? list : near + "   (" + list + ")");
}

}  // namespace clusterwright
