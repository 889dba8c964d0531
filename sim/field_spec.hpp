// SPDX-License-Identifier: Apache-2.0
/// What a configuration field is: one description from which decoder, JSON Schema, `explain` and reference docs come.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/enum_array.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

struct RecordSpec;

enum class FieldType { integer, number, boolean, text, choice, record };

/// How the author of a record describes a field. Texts and lists stay referenced: literals and constants.
struct FieldRule {
  const char* help = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();  ///< by default the most of the key's unit
  bool above_min = false;                                ///< min itself is not allowed
  bool reference = false;                                ///< a nested record may be given as the path of a JSON file
  const char* catalog = "";                              ///< the text is the name of an entry of this catalog list
  std::size_t max_elements = 4096;                       ///< of a list or map
  const char* unit = "";                                 ///< only where the key's suffix does not say it
  std::span<const std::string_view> map_keys = {};       ///< keys that a map may have; any if empty
  std::span<const std::string_view> needed_keys = {};    ///< keys that a map must have
  bool flag = false;                                     ///< of a choice: false and true stand for its first two words
};

struct FieldSpec {
  FieldSpec() : FieldSpec(FieldRule{}) {}
  explicit FieldSpec(const FieldRule& rule);

  std::string help;
  double min;
  double max;
  bool above_min;
  bool reference;
  std::string catalog;
  std::size_t max_elements;
  std::string unit;
  std::vector<std::string> map_keys;
  std::vector<std::string> needed_keys;
  bool flag;

  std::string key;
  FieldType type = FieldType::text;
  std::string pattern;         ///< regular expression of a text; any text if empty
  bool is_list = false;        ///< a list of `type`
  bool is_map = false;         ///< an object with free keys and values of `type`
  bool nullable = false;       ///< null means "not known"
  bool automatic = false;      ///< the text "auto" lets the program choose
  bool or_text = false;        ///< of a number: a text is allowed too
  bool sourced = false;        ///< may be {"value", "source", "verified"}
  bool nullable_list = false;  ///< null may stand for the whole list
  bool ranged = false;         ///< and that also {"low", "high"}
  bool required = true;
  JsonValue fallback;  ///< value when the key is absent
  double scale = 1;    ///< base units per unit of the key
  std::vector<std::string> choices;
  std::vector<OtherName> other_names;         ///< words that are no choice, with the help for whoever writes them
  std::function<const RecordSpec&()> nested;  ///< for records; a function, so that records may be recursive
};

struct RecordSpec {
  std::string name;
  std::string help;
  std::vector<FieldSpec> fields;

  const FieldSpec* find(std::string_view key) const;
  std::vector<std::string> keys() const;
};

/// A unit named by the end of a key, such as "gb_per_s" in "bandwidth_gb_per_s".
struct KeyUnit {
  std::string_view suffix;
  std::string_view unit;  ///< as shown to people
  double scale;           ///< base units per unit
  double least;           ///< in this unit: the smallest value of a field that must be above zero
  double most;            ///< in this unit: the largest value of any field
};

/// The unit of a key, or nullptr if its suffix names none.
const KeyUnit* unit_of_key(std::string_view key);

/// Gives a number the bounds of its unit where its rule has none or wider ones: numbers without bounds do not exist.
/// Above zero means at least the unit's `least`, or one millionth without a unit.
/// @throws std::logic_error if a side stays open: the rule must say it
void bound_number(FieldSpec& spec);

/// Largest standard error of a value, in the value's unit.
inline constexpr double most_std_error = 1e12;

/// "integer", "number", "boolean", "string" or "object": JSON's word for a type.
std::string_view json_type_name(FieldType type);

/// A kind of file: the word for it and the record at its root.
struct FileKind {
  std::string name;
  const RecordSpec* record;
};

/// The records at the roots of kinds of files, in their order.
std::vector<const RecordSpec*> records_of(const std::vector<FileKind>& kinds);

/// Every record reachable from `roots`, themselves included, each once, parents first.
/// @throws std::logic_error if two of them share a name: schemas and reference pages know records by name
std::vector<const RecordSpec*> records_below(const std::vector<const RecordSpec*>& roots);

/// The default of an optional field as a person would write it: members that have their own default are left out, and
/// facts whose source is "default" are bare values.
JsonValue short_default(const FieldSpec& field);

}  // namespace clusterwright
