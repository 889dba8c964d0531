// SPDX-License-Identifier: Apache-2.0
/// Finding of an audit on one claim, and the verdict on it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "models/site/audit/blueprint.hpp"

namespace clusterwright {

enum class Holds { yes, partly, no };
inline constexpr std::array<std::string_view, 3> holds_names = {"yes", "partly", "no"};

struct ClaimFinding {
  ClaimKind claim = ClaimKind::accelerators;
  std::string words;                   ///< sentence as published; may be empty
  std::optional<NumberOrText> stated;  ///< none: the blueprint should state it, and does not
  NumberOrText computed;
  std::optional<Holds> holds;   ///< none where nothing is stated
  std::optional<double> error;  ///< computed over stated, less 1; none for words
  std::string arithmetic;       ///< one line with the numbers
  std::string remedy;           ///< change that would make it hold; may be empty
};

/// Side of the stated number that is good.
enum class ClaimSense { equal, at_most, at_least };

/// Verdict on a computed number against a stated one.
/// @param conditional  the claim holds under a condition that the arithmetic names
Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance,
            bool conditional = false);

/// Verdict on a claim that is right or wrong.
inline Holds judge(bool right, bool conditional = false) {
  return right ? Holds::yes : conditional ? Holds::partly : Holds::no;
}

/// Whether a computed number is within the first tolerance of the stated one.
bool near_enough(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance);

/// Finding before its check: the kind, and what the blueprint states.
ClaimFinding finding_of(const Blueprint& blueprint, ClaimKind kind);
/// Adds number, error and verdict. @param conditional  see `judge`
void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense,
              bool conditional = false);
/// Adds computed words and verdict of a claim in words.
void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional = false);

}  // namespace clusterwright
