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
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/enum_names.hpp"
#include "sim/field_decoder.hpp"
#include "sim/field_spec.hpp"
#include "sim/number_or_text.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

template <class M>
struct FieldCodec;

template <class T>
class Record : public RecordSpec {
 public:
  Record(std::string record_name, std::string record_help) {
    name = std::move(record_name);
    help = std::move(record_help);
  }

  /// Members may be inherited.
  template <class M, class B>
  requires std::derived_from<T, B> Record& required(std::string key, M B::*member, FieldRule rule) {
    return add(std::move(key), static_cast<M T::*>(member), std::move(rule), true);
  }
  template <class M, class B>
  requires std::derived_from<T, B> Record& optional(std::string key, M B::*member, FieldRule rule) {
    return add(std::move(key), static_cast<M T::*>(member), std::move(rule), false);
  }

  void decode(const JsonValue& value, Decoder& decoder, T& out) const {
    if (!decoder.check_object(value, *this)) return;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const JsonValue* member = value.find(fields[i].key);
      if (!member) continue;
      const Decoder::Scope scope(decoder, value, *member, fields[i].key);
      accessors_[i].decode(*member, fields[i], decoder, out);
    }
  }

  JsonValue encode(const T& object) const {
    JsonValue value = JsonValue::object();
    for (std::size_t i = 0; i < fields.size(); ++i) value.set(fields[i].key, accessors_[i].encode(object, fields[i]));
    return value;
  }

 private:
  struct Accessor {
    std::function<void(const JsonValue&, const FieldSpec&, Decoder&, T&)> decode;
    std::function<JsonValue(const T&, const FieldSpec&)> encode;
  };

  template <class M>
  Record& add(std::string key, M T::*member, FieldRule rule, bool is_required) {
    FieldSpec spec;
    static_cast<FieldRule&>(spec) = std::move(rule);
    spec.key = std::move(key);
    spec.required = is_required;
    FieldCodec<M>::describe(spec);
    if (!is_required) spec.fallback = FieldCodec<M>::encode(T{}.*member, spec);
    fields.push_back(std::move(spec));
    accessors_.push_back(
        {[member](const JsonValue& value, const FieldSpec& s, Decoder& decoder, T& out) {
           FieldCodec<M>::decode(value, s, decoder, out.*member);
         },
         [member](const T& object, const FieldSpec& s) { return FieldCodec<M>::encode(object.*member, s); }});
    return *this;
  }

  std::vector<Accessor> accessors_;
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
    (discrete ? spec.automatic : spec.nullable) = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::optional<M>& out) {
    out.reset();
    if (spec.nullable && value.is_null()) return;
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
    const JsonValue* inner = decoder.sourced_value(value, out.source, out.verified, out.std_error);
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
struct FieldCodec<std::vector<M>> {
  static void describe(FieldSpec& spec) {
    FieldCodec<M>::describe(spec);
    spec.is_list = true;
  }
  static void decode(const JsonValue& value, const FieldSpec& spec, Decoder& decoder, std::vector<M>& out) {
    if (!decoder.check_list(value, spec)) return;
    out.assign(value.elements().size(), M{});
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
