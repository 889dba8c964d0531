// SPDX-License-Identifier: Apache-2.0
/// Records that are written without the optional fields that hold nothing.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_what.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

template <>
struct FieldCodec<RawMember> {  ///< read later, when the other members decide how
  static void describe(FieldSpec& spec) { spec.type = FieldType::record; }
  static void decode(const JsonValue& value, const FieldSpec&, Decoder&, RawMember& out) { out.value = value; }
  static JsonValue encode(const RawMember& value, const FieldSpec&) { return value.value; }
};

/// Value with a whole number as an integer: 8.0 becomes 8.
inline JsonValue whole_as_integer(JsonValue value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (!value.is(JsonKind::number)) return value;
  const double number = value.as_number();
  const bool whole = number == std::trunc(number) && std::abs(number) <= exact;
  return whole ? JsonValue(static_cast<std::int64_t>(number)) : value;
}

/// Members of `object` in the order of the record; optional ones only where they differ from their fallback.
template <class T>
JsonValue encode_sparse(const Record<T>& record, const T& object) {
  const JsonValue whole = record.encode(object);
  JsonValue out = JsonValue::object();
  for (const auto& [key, member] : whole.members()) {
    const FieldSpec& field = *record.find(key);
    if (field.required || write_json(member) != write_json(field.fallback)) out.set(key, whole_as_integer(member));
  }
  return out;
}

}  // namespace clusterwright
