/// Records whose optional fields are left out where they hold nothing.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_what.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

template <>
struct FieldCodec<RawMember> {  ///< to be read once the other members say what it must be
  static void describe(FieldSpec& spec) { spec.type = FieldType::record; }
  static void decode(const JsonValue& value, const FieldSpec&, Decoder&, RawMember& out) { out.value = value; }
  static JsonValue encode(const RawMember& value, const FieldSpec&) { return value.value; }
};

/// Whole numbers as integers: 8.0 bytes are 8.
inline JsonValue whole_as_integer(JsonValue value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (!value.is(JsonKind::number)) return value;
  const double number = value.as_number();
  const bool whole = number == std::trunc(number) && std::abs(number) <= exact;
  return whole ? JsonValue(static_cast<std::int64_t>(number)) : value;
}

/// The members of `object` in the order of the record; optional ones only where they differ from their fallback.
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
