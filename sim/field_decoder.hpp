// SPDX-License-Identifier: Apache-2.0
/// Turns JsonValues into typed fields, collecting every error instead of stopping at the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/calendar_date.hpp"
#include "sim/field_spec.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

class Decoder {
 public:
  /// @throws ConfigError if anything was wrong
  void finish() const;
  bool failed() const { return !errors_.empty(); }

  void error(std::string code, std::string message, const JsonValue& at, std::string underline = {},
             std::string help = {});

  /// Checked scalars; empty after reporting what is wrong. Integers must be exact, numbers finite and in range.
  std::optional<std::int64_t> integer(const JsonValue& value, const FieldSpec& spec);
  std::optional<double> number(const JsonValue& value, const FieldSpec& spec);
  std::optional<bool> boolean(const JsonValue& value, const FieldSpec& spec);
  std::optional<std::string> text(const JsonValue& value, const FieldSpec& spec);
  std::optional<CalendarDate> date(const JsonValue& value, const FieldSpec& spec);
  std::optional<std::size_t> choice(const JsonValue& value, const FieldSpec& spec);  ///< index into spec.choices

  /// Reports a wrong kind, unknown keys and missing required keys. @return false if `value` is no object
  bool check_object(const JsonValue& value, const RecordSpec& spec);
  bool check_list(const JsonValue& value, const FieldSpec& spec);
  /// Reports a key that the map of `spec` must not have; the scope is already that of `member`.
  bool check_map_key(const std::string& key, const JsonValue& member, const FieldSpec& spec);
  void too_large(const JsonValue& integer);

  /// The value inside {"value", "source", "std_error", "verified"}, or nullptr for a bare value.
  /// @param ranged  "low" and "high" are keys too
  const JsonValue* sourced_value(const JsonValue& value, std::string& source, bool& verified, double& std_error,
                                 bool ranged);
  /// Reports E0356 for a range of which `value` is not inside.
  void range_upside_down(const JsonValue& value);

  /// Extends the pointer while a member or element is decoded; a value from another file starts a new pointer.
  class Scope {
   public:
    Scope(Decoder& decoder, const JsonValue& parent, const JsonValue& child, std::string_view token);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Decoder& decoder_;
    std::string saved_;
  };

 private:
  void check_schema_name(const JsonValue& name, const RecordSpec& spec);
  void unknown_key(const std::string& key, const JsonValue& member, const std::string& where,
                   const std::vector<std::string>& allowed, std::string pointer);
  bool in_range(double number, const JsonValue& value, const FieldSpec& spec);
  void wrong_kind(const JsonValue& value, const FieldSpec& spec);

  std::string pointer_;
  std::vector<Diagnostic> errors_;
};

}  // namespace clusterwright
