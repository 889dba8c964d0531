// SPDX-License-Identifier: Apache-2.0
/// Field tables: a type's fields, described once.
///
///   const Record<Link>& record(const Link*) {
///     static const auto table = Record<Link>("link", "A cable between two ports")
///         .required("rate_gbit_per_s", &Link::rate, {.help = "one direction", .min = 0, .above_min = true})
///         .optional("latency_us", &Link::latency, {.help = "propagation and switching"});
///     return table;
///   }
///
/// `required` fields must be given; `optional` ones default to the value in a default-constructed object.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/calendar_date.hpp"
#include "sim/enum_array.hpp"
#include "sim/field_decoder.hpp"
#include "sim/field_spec.hpp"
#include "sim/number_or_text.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

template <class M>
struct FieldCodec;

/// Fields of a record and how to reach them in an object, without the types: what is written once for all records.
class RecordTable : public RecordSpec {
 protected:
  /// What a field of one type needs; `member` is its address.
  struct Codec {
    void (*describe)(FieldSpec& spec);
    void (*decode)(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, void* member);
    JsonValue (*encode)(const void* member, const FieldSpec& spec);
  };

  template <class M>
  static constexpr Codec codec_of = {&FieldCodec<M>::describe,
                                     [](const JsonValue& value, const FieldSpec& spec, Decoder& decoder, void* member) {
                                       FieldCodec<M>::decode(value, spec, decoder, *static_cast<M*>(member));
                                     },
                                     [](const void* member, const FieldSpec& spec) {
                                       return FieldCodec<M>::encode(*static_cast<const M*>(member), spec);
                                     }};

  RecordTable(const char* record_name, const char* record_help);

  /// @param object  default-constructed, of which `member` is a part: the defaults come from it
  void add(const char* key, const Codec& codec, const void* object, const void* member, const FieldRule& rule,
           bool is_required);
  void decode_object(const JsonValue& value, Decoder& decoder, void* object) const;
  JsonValue encode_object(const void* object) const;

 private:
  struct Accessor {
    const Codec* codec;
    std::ptrdiff_t offset;  ///< of the member in the object
  };

  std::vector<Accessor> accessors_;
};

template <class T>
class Record : public RecordTable {
 public:
  /// Texts stay referenced: literals.
  Record(const char* record_name, const char* record_help) : RecordTable(record_name, record_help) {}

  /// Members may be inherited.
  template <class M, class B>
  requires std::derived_from<T, B> Record& required(const char* key, M B::*member, const FieldRule& rule) {
    add(key, codec_of<M>, &default_object(), &(default_object().*member), rule, true);
    return *this;
  }
  template <class M, class B>
  requires std::derived_from<T, B> Record& optional(const char* key, M B::*member, const FieldRule& rule) {
    add(key, codec_of<M>, &default_object(), &(default_object().*member), rule, false);
    return *this;
  }

  void decode(const JsonValue& value, Decoder& decoder, T& out) const { decode_object(value, decoder, &out); }
  JsonValue encode(const T& object) const { return encode_object(&object); }

 private:
  static const T& default_object() {
    static const T object{};
    return object;
  }
};

/// Decodes a whole document. @throws ConfigError with every error found
template <class T>
T decode_record(const JsonValue& value) {
  Decoder decoder;
  T out{};
  record(static_cast<const T*>(nullptr)).decode(value, decoder, out);
  decoder.finish();
  return out;
}

template <class T>
JsonValue encode_record(const T& object) {
  return record(static_cast<const T*>(nullptr)).encode(object);
}

// --- Codecs -----------------------------------------------------------------------------------------------------

template <std::integral I>
requires(!std::same_as<I, bool>) struct FieldCodec<I> {
  static void describe(FieldSpec& spec) { spec.type = FieldType::integer; }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, I& out) {
    if (const auto number = decoder.integer(value, spec)) {
      if (!std::in_range<I>(*number)) return decoder.too_large(value);
      out = static_cast<I>(*number);
    }
  }
  static JsonValue encode(const I& value, const FieldSpec&) { return static_cast<std::int64_t>(value); }
};

template <>
struct FieldCodec<bool> {
  static void describe(FieldSpec& spec) { spec.type = FieldType::boolean; }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, bool& out) {
    if (const auto flag = decoder.boolean(value, spec)) out = *flag;
  }
  static JsonValue encode(bool value, const FieldSpec&) { return value; }
};

template <>
struct FieldCodec<double> {
  static void describe(FieldSpec& spec) {
    spec.type = FieldType::number;
    if (const KeyUnit* unit = unit_of_key(spec.key); unit && spec.unit.empty()) spec.unit = unit->unit;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, double& out) {
    if (const auto number = decoder.number(value, spec)) out = *number;
  }
  static JsonValue encode(double value, const FieldSpec&) { return value; }
};

template <Dimension D>
struct FieldCodec<Quantity<D>> {
  static void describe(FieldSpec& spec) {
    const KeyUnit* unit = unit_of_key(spec.key);
    if (!unit) throw std::logic_error("the key \"" + spec.key + "\" of a quantity names no unit");
    spec.type = FieldType::number;
    spec.unit = unit->unit;
    spec.scale = unit->scale;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, Quantity<D>& out) {
    if (const auto number = decoder.number(value, spec)) out = Quantity<D>::of(*number * spec.scale);
  }
  static JsonValue encode(const Quantity<D>& value, const FieldSpec& spec) { return value.base() / spec.scale; }
};

template <>
struct FieldCodec<std::string> {
  static void describe(FieldSpec& spec) { spec.type = FieldType::text; }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::string& out) {
    if (auto text = decoder.text(value, spec)) out = std::move(*text);
  }
  static JsonValue encode(const std::string& value, const FieldSpec&) { return value; }
};

/// An optional date may be an empty text: not known.
template <>
struct FieldCodec<CalendarDate> {
  static void describe(FieldSpec& spec) {
    spec.type = FieldType::text;
    spec.pattern = "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$";
    if (!spec.required) spec.pattern = "^$|" + spec.pattern;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, CalendarDate& out) {
    if (const auto date = decoder.date(value, spec)) out = *date;
  }
  static JsonValue encode(const CalendarDate& value, const FieldSpec&) { return value.text(); }
};

template <>
struct FieldCodec<NumberOrText> {
  static void describe(FieldSpec& spec) {
    spec.type = FieldType::number;
    spec.or_text = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, NumberOrText& out) {
    if (value.is(JsonKind::text)) {
      if (auto text = decoder.text(value, spec)) out = std::move(*text);
    } else if (const auto number = decoder.number(value, spec)) {
      out = *number;
    }
  }
  static JsonValue encode(const NumberOrText& value, const FieldSpec&) {
    return std::visit([](const auto& inner) { return JsonValue(inner); }, value);
  }
};

template <class E>
requires std::is_enum_v<E>
struct FieldCodec<E> {
  static void describe(FieldSpec& spec) {
    spec.type = FieldType::choice;
    for (const auto& name : EnumNames<E>::names) spec.choices.emplace_back(name);
    if constexpr (requires { EnumNames<E>::other_names; })
      spec.other_names.assign(EnumNames<E>::other_names.begin(), EnumNames<E>::other_names.end());
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, E& out) {
    if (const auto index = decoder.choice(value, spec)) out = static_cast<E>(*index);
  }
  static JsonValue encode(E value, const FieldSpec& spec) { return spec.choices[static_cast<std::size_t>(value)]; }
};

/// Empty is "auto" (let the program choose) for integers and choices, `null` (not known) for the others and for facts.
template <class M>
struct FieldCodec<std::optional<M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<M>::describe(spec);
    const bool discrete = !spec.sourced && (spec.type == FieldType::integer || spec.type == FieldType::choice);
    (spec.is_list ? spec.nullable_list : discrete ? spec.automatic : spec.nullable) = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::optional<M>& out) {
    out.reset();
    if ((spec.nullable || spec.nullable_list) && value.is_null()) return;
    if (spec.automatic && value.is(JsonKind::text) && value.as_text() == "auto") return;
    M inner{};
    FieldCodec<M>::decode(value, spec, decoder, inner);
    out = std::move(inner);
  }
  static JsonValue encode(const std::optional<M>& value, const FieldSpec& spec) {
    if (value) return FieldCodec<M>::encode(*value, spec);
    return spec.automatic ? JsonValue("auto") : JsonValue();
  }
};

template <class M>
struct FieldCodec<Sourced<M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<M>::describe(spec);
    spec.sourced = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, Sourced<M>& out) {
    out.source = "user";
    const JsonValue* inner = decoder.sourced_value(value, out.source, out.verified, out.std_error, spec.ranged);
    if (!inner) return FieldCodec<M>::decode(value, spec, decoder, out.value);
    const Decoder::Scope scope(decoder, value, *inner, "value");
    FieldCodec<M>::decode(*inner, spec, decoder, out.value);
  }
  static JsonValue encode(const Sourced<M>& value, const FieldSpec& spec) {
    JsonValue inner = FieldCodec<M>::encode(value.value, spec);
    if (inner.is_null()) return inner;
    JsonValue object = JsonValue::object({{"value", inner}, {"source", value.source}});
    if (value.std_error > 0) object.set("std_error", value.std_error);
    object.set("verified", value.verified);
    return object;
  }
};

template <class M>
struct FieldCodec<Ranged<M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<Sourced<M>>::describe(spec);
    spec.ranged = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, Ranged<M>& out) {
    FieldCodec<Sourced<M>>::decode(value, spec, decoder, out);
    out.low.reset();
    out.high.reset();
    if (!value.is(JsonKind::object)) return;
    decode_end(value, "low", spec, decoder, out.low);
    decode_end(value, "high", spec, decoder, out.high);
    if ((out.low && *out.low > out.value) || (out.high && *out.high < out.value)) decoder.range_upside_down(value);
  }
  static JsonValue encode(const Ranged<M>& value, const FieldSpec& spec) {
    JsonValue object = FieldCodec<Sourced<M>>::encode(value, spec);
    if (value.low) object.set("low", FieldCodec<M>::encode(*value.low, spec));
    if (value.high) object.set("high", FieldCodec<M>::encode(*value.high, spec));
    return object;
  }

 private:
  static void decode_end(const JsonValue& value, const char* key, const FieldSpec& spec, Decoder& decoder,
                         std::optional<M>& out) {
    const JsonValue* end = value.find(key);
    if (!end) return;
    const Decoder::Scope scope(decoder, value, *end, key);
    FieldCodec<M>::decode(*end, spec, decoder, out.emplace());
  }
};

template <class M>
struct FieldCodec<std::vector<M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<M>::describe(spec);
    spec.is_list = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::vector<M>& out) {
    if (!decoder.check_list(value, spec)) return;
    out = std::vector<M>(value.elements().size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Decoder::Scope scope(decoder, value, value.elements()[i], std::to_string(i));
      FieldCodec<M>::decode(value.elements()[i], spec, decoder, out[i]);
    }
  }
  static JsonValue encode(const std::vector<M>& value, const FieldSpec& spec) {
    JsonValue list = JsonValue::list();
    for (const M& element : value) list.push_back(FieldCodec<M>::encode(element, spec));
    return list;
  }
};

template <class M>
struct FieldCodec<std::map<std::string, M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<M>::describe(spec);
    spec.is_map = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::map<std::string, M>& out) {
    if (!decoder.check_list(value, spec)) return;
    out.clear();
    for (const auto& [key, member] : value.members()) {
      const Decoder::Scope scope(decoder, value, member, key);
      if (decoder.check_map_key(key, member, spec)) FieldCodec<M>::decode(member, spec, decoder, out[key]);
    }
  }
  static JsonValue encode(const std::map<std::string, M>& value, const FieldSpec& spec) {
    JsonValue object = JsonValue::object();
    for (const auto& [key, member] : value) object.set(key, FieldCodec<M>::encode(member, spec));
    return object;
  }
};

/// Types with a record of their own.
template <class M>
requires std::is_class_v<M> && requires {
  record(static_cast<const M*>(nullptr));
}
struct FieldCodec<M> {
  static void describe(FieldSpec& spec) {
    spec.type = FieldType::record;
    spec.nested = []() -> const RecordSpec& { return record(static_cast<const M*>(nullptr)); };
  }
  static void decode(const JsonValue& value, const FieldSpec&, Decoder& decoder, M& out) {
    record(static_cast<const M*>(nullptr)).decode(value, decoder, out);
  }
  static JsonValue encode(const M& value, const FieldSpec&) {
    return record(static_cast<const M*>(nullptr)).encode(value);
  }
};

}  // namespace clusterwright
