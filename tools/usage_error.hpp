// SPDX-License-Identifier: Apache-2.0
/// Errors in what was typed, in the one shape that errors have.
#pragma once

#include <string>
#include <vector>

#include "sim/diagnostic.hpp"

namespace clusterwright {

/// The words of a command line as one text that errors can point into.
class TypedWords {
 public:
  explicit TypedWords(const std::vector<std::string>& words);

  /// E0404 at the word with this index, or behind the last word.
  ConfigError error(std::size_t index, const std::string& message, const std::string& help) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> length_;
};

/// E0404 for the value of an option: `--format xml`.
ConfigError option_error(const std::string& option, const std::string& value, const std::string& message,
                         const std::string& help);

/// One of `allowed`, or E0404 with a suggestion. @return its index
std::size_t parse_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed);

}  // namespace clusterwright
