// SPDX-License-Identifier: Apache-2.0
/// Laws of physics and accounting that every result must obey, checked before a result leaves the library.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clusterwright {

/// A result breaks a law although its input was accepted: a fault of the program, E0901, never of the input.
class LawBroken : public std::logic_error {
 public:
  LawBroken(const std::string& subject, std::vector<std::string> laws);

  const std::vector<std::string>& laws() const { return laws_; }  ///< one sentence each, with the numbers

 private:
  std::vector<std::string> laws_;
};

/// Collects the laws that one result breaks. Numbers agree within `tolerance` of the larger one, since sums round.
/// A number that is not finite breaks every law.
class LawCheck {
 public:
  static constexpr double tolerance = 1e-6;

  /// @param subject  the result: "step on 64 x H100-SXM"
  explicit LawCheck(std::string subject) : subject_(std::move(subject)) {}

  void positive(std::string_view name, double value);
  void not_negative(std::string_view name, double value);
  void at_most(std::string_view name, double value, std::string_view bound_name, double bound);
  void equal(std::string_view name, double value, std::string_view other_name, double other);
  /// low <= value <= high
  void ordered(std::string_view name, double low, double value, double high);
  void holds(bool law, std::string sentence);

  bool broken() const { return !laws_.empty(); }
  /// @throws LawBroken if a law was broken
  void finish() const;

 private:
  std::string subject_;
  std::vector<std::string> laws_;
};

}  // namespace clusterwright
