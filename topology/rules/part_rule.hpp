// SPDX-License-Identifier: Apache-2.0
/// Rules between fields and parts that plug into each other: "part against part".
///
/// A rule is one line of a table: both fields, the relation that must not hold between them, and what follows. Tables
/// are written per subject (an accelerator, a node, a tier); rule_list() of models/site/audit/rule_list.hpp joins them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Words of a rule. Fields are paths such as "node.nics"; "*" stands for an index.
struct RuleWords {
  std::string_view name;      ///< "NIC rate and slot"
  std::string_view first;     ///< field that is underlined
  std::string_view relation;  ///< "is above"
  std::string_view second;
  std::string_view code;  ///< "E0346"; empty: a warning
  std::string_view then;  ///< what would be right; of a warning: what is modelled
};

/// Values of both fields of a broken rule, with units.
struct Breach {
  std::string first, second;
};

template <class Subject>
struct PartRule {
  RuleWords words;
  std::optional<Breach> (*broken)(const Subject&);
};

/// Replacements in the fields of a rule: {"node", "also.0.node"}, {"*", "1"}.
using FieldNames = std::vector<std::pair<std::string, std::string>>;

/// A broken rule, before its place in the user's file is known.
struct RuleFinding {
  const RuleWords* rule = nullptr;
  std::string message;                ///< names both fields with their values
  std::vector<std::string> pointers;  ///< JSON pointers of the fields, or of what is written above them

  bool is_error() const { return !rule->code.empty(); }
};

RuleFinding make_finding(const RuleWords& rule, const Breach& breach, const FieldNames& names);

/// Appends what the subject breaks.
template <class Subject>
void apply_rules(std::span<const PartRule<Subject>> rules, const Subject& subject, const FieldNames& names,
                 std::vector<RuleFinding>& findings) {
  for (const PartRule<Subject>& rule : rules)
    if (const std::optional<Breach> breach = rule.broken(subject))
      findings.push_back(make_finding(rule.words, *breach, names));
}

/// Appends the words of a table.
template <class Subject>
void add_words(std::span<const PartRule<Subject>> rules, std::vector<RuleWords>& list) {
  for (const PartRule<Subject>& rule : rules) list.push_back(rule.words);
}

/// Numbers with their units for breaches: 7.875 and "kW" give "7.875 kW".
std::string amount(double value, std::string_view unit);

/// Values where the first exceeds the second by more than rounding.
std::optional<Breach> above(double value, double bound, std::string_view unit);
/// Likewise for rates of a network, in Gbit/s.
std::optional<Breach> above(BytesPerSecond rate, BytesPerSecond bound);

}  // namespace clusterwright
