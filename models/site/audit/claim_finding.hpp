/// What an audit says about one claim.
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
  std::string words;                   ///< as published; may be empty
  std::optional<NumberOrText> stated;  ///< none: the blueprint should have said it, and does not
  NumberOrText computed;
  std::optional<Holds> holds;   ///< none where nothing is stated
  std::optional<double> error;  ///< computed over stated, less 1; none for words
  std::string arithmetic;       ///< one line with the numbers
  std::string remedy;           ///< what would make it hold; may be empty
};

/// Which side of what is stated is good.
enum class ClaimSense { equal, at_most, at_least };

/// How a computed number compares with a stated one.
/// @param conditional  the claim holds under a condition that the arithmetic names
Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance,
            bool conditional = false);

/// The same for what is right or wrong.
inline Holds judge(bool right, bool conditional = false) {
  return right ? Holds::yes : conditional ? Holds::partly : Holds::no;
}

/// Within the first tolerance of what is stated: "close enough" for a condition.
bool near_enough(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance);

struct AuditCase;  // models/site/audit/audit_case.hpp

/// The finding of a kind before its check: what the blueprint states.
ClaimFinding finding_of(const AuditCase& c, ClaimKind kind);
/// Adds number, error and verdict. @param conditional  as of `judge`
void conclude(ClaimFinding& finding, const AuditCase& c, double computed, ClaimSense sense, bool conditional = false);
/// The same for a claim in words.
void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional = false);

}  // namespace clusterwright
