// SPDX-License-Identifier: Apache-2.0
/// JSON value that knows where it was written. json_reader.hpp reads it, json_writer.hpp writes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"

namespace clusterwright {

enum class JsonKind : std::uint8_t { null, boolean, integer, number, text, list, object };

/// Name of a kind for messages: "an integer", "a list".
std::string_view describe(JsonKind kind);

class JsonValue {
 public:
  using Member = std::pair<std::string, JsonValue>;

  JsonValue() = default;
  JsonValue(std::nullptr_t) {}
  JsonValue(bool value) : kind_(JsonKind::boolean), boolean_(value) {}
  JsonValue(int value) : JsonValue(static_cast<std::int64_t>(value)) {}
  JsonValue(std::int64_t value) : kind_(JsonKind::integer), integer_(value) {}
  JsonValue(std::uint64_t value) : JsonValue(static_cast<std::int64_t>(value)) {}
  JsonValue(double value) : kind_(JsonKind::number), number_(value) {}
  JsonValue(std::string value) : kind_(JsonKind::text), text_(std::move(value)) {}
  JsonValue(std::string_view value) : JsonValue(std::string(value)) {}
  JsonValue(const char* value) : JsonValue(std::string(value)) {}

  static JsonValue list() { return of_kind(JsonKind::list); }
  static JsonValue list(std::vector<JsonValue> elements);
  static JsonValue object() { return of_kind(JsonKind::object); }
  static JsonValue object(std::initializer_list<Member> members);

  JsonKind kind() const { return kind_; }
  bool is(JsonKind kind) const { return kind_ == kind; }
  bool is_null() const { return kind_ == JsonKind::null; }
  bool is_numeric() const { return kind_ == JsonKind::integer || kind_ == JsonKind::number; }

  // Values of the kind in their name.
  bool as_boolean() const { return boolean_; }
  std::int64_t as_integer() const { return integer_; }
  double as_number() const { return kind_ == JsonKind::integer ? static_cast<double>(integer_) : number_; }
  const std::string& as_text() const { return text_; }

  // Lists.
  const std::vector<JsonValue>& elements() const { return elements_; }
  std::vector<JsonValue>& elements() { return elements_; }
  void push_back(JsonValue value);

  // Objects keep the order of their members.
  const std::vector<Member>& members() const { return members_; }
  std::vector<Member>& members() { return members_; }
  const JsonValue* find(std::string_view key) const;
  JsonValue* find(std::string_view key);
  const JsonValue& at(std::string_view key) const;  ///< @throws std::out_of_range
  /// Replaces or appends a member.
  JsonValue& set(std::string key, JsonValue value);

  /// Value at an RFC 6901 pointer, or nullptr.
  const JsonValue* at_pointer(std::string_view pointer) const;

  // Place in the text; `source` is null for computed values.
  std::shared_ptr<const SourceText> source;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t key_offset = 0;  ///< offset of the key in its object
  std::size_t key_length = 0;

  Place place(std::string pointer) const { return {source, offset, length, std::move(pointer)}; }
  Place key_place(std::string pointer) const { return {source, key_offset, key_length, std::move(pointer)}; }

 private:
  static JsonValue of_kind(JsonKind kind);

  JsonKind kind_ = JsonKind::null;
  bool boolean_ = false;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<JsonValue> elements_;
  std::vector<Member> members_;
};

}  // namespace clusterwright
