// SPDX-License-Identifier: Apache-2.0
#include "sim/field_table.hpp"

namespace clusterwright {

RecordTable::RecordTable(const char* record_name, const char* record_help) {
  name = record_name;
  help = record_help;
}

void RecordTable::add(const char* key, const Codec& codec, const void* object, const void* member,
                      const FieldRule& rule, bool is_required) {
  FieldSpec spec(rule);
  spec.key = key;
  spec.required = is_required;
  codec.describe(spec);
  bound_number(spec);
  if (!is_required) spec.fallback = codec.encode(member, spec);
  fields.push_back(std::move(spec));
  accessors_.push_back({&codec, static_cast<const char*>(member) - static_cast<const char*>(object)});
}

void RecordTable::decode_object(const JsonValue& value, Decoder& decoder, void* object) const {
  if (!decoder.check_object(value, *this)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const JsonValue* member = value.find(fields[i].key);
    if (!member) continue;
    const Decoder::Scope scope(decoder, value, *member, fields[i].key);
    const auto& [codec, offset] = accessors_[i];
    codec->decode(*member, fields[i], decoder, static_cast<char*>(object) + offset);
  }
}

JsonValue RecordTable::encode_object(const void* object) const {
  JsonValue value = JsonValue::object();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& [codec, offset] = accessors_[i];
    value.set(fields[i].key, codec->encode(static_cast<const char*>(object) + offset, fields[i]));
  }
  return value;
}

}  // namespace clusterwright
