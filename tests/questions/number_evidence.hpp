// SPDX-License-Identifier: Apache-2.0
/// Numbers of a text, and whether outputs bear them out.
#pragma once

#include <string>
#include <vector>

namespace clusterwright::testing {

/// A number as it stands in a text: "1,316", "5.8". Digits that touch letters (H100, 405B) are names, not numbers.
struct WrittenNumber {
  std::string text;
  double value = 0;
  double rounding = 0;  ///< largest difference to the number that it was rounded from
};

std::vector<WrittenNumber> numbers_in(const std::string& text);

/// The numbers that a section may state.
class NumberEvidence {
 public:
  /// @param scaled  may also be written a thousand, a million or a thousand million times larger or smaller (us, ms, s)
  void add(const std::string& text, bool scaled);

  /// An entry of a page: a given number, or several joined by + - * /, from left to right, each with evidence of its
  /// own.
  /// @return false if it cannot be read, or an operand has no evidence
  bool add_entry(const std::string& entry);

  bool bears_out(const WrittenNumber& number) const;

 private:
  std::vector<double> exact_, scaled_;
};

}  // namespace clusterwright::testing
