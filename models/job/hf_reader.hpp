// SPDX-License-Identifier: Apache-2.0
/// One config.json while it becomes a transformer, with every error at its place and every assumption.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/hf_families.hpp"
#include "sim/field_decoder.hpp"

namespace clusterwright {

/// Writes JSON in the project's own form. Each value keeps its place in config.json, so that later errors and origins
/// point there.
class HfReader {
 public:
  /// Finds the part that describes the language model: the document, or its "text_config".
  /// @throws ConfigError E0342 for a family that is not known, E0104 without one
  explicit HfReader(const JsonValue& document);

  const HfFamily& family() const { return *family_; }
  const JsonValue& part() const { return *part_; }

  /// Copies all fields that the tables of the family name.
  void copy_tables();

  /// Number by the family's rule, in the range of `spec`; empty where it is absent, null or wrong.
  std::optional<std::int64_t> number(const HfNumber& rule, const FieldSpec& spec);
  bool flag(const HfFlag& rule);
  /// Calls `visit` with each element of a list. @return false without such a list
  bool each(std::string_view key, const std::function<void(const JsonValue& element)>& visit);

  /// Value written so far. @param pointer  into the written form: "/layers", "/experts/every"
  const JsonValue* written(std::string_view pointer) const { return out_.at_pointer(pointer); }
  std::int64_t written_number(std::string_view pointer, std::int64_t otherwise = 0) const;
  /// @param from  key of config.json, whose place the value takes
  void set(const std::string& key, JsonValue value, std::string_view from);
  void set_in(const std::string& block, const std::string& key, JsonValue value, std::string_view from);
  void drop(std::string_view key);

  void assume(std::string text) { assumed_.push_back(std::move(text)); }
  void forget(const HfNumber& assumed);  ///< drops an assumption that the file states in another way
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// Error at a member of the part, or at the part if it has none of that name.
  void error(std::string code, std::string message, std::string_view key);
  void error_at(std::string code, std::string message,
                const JsonValue& at);  ///< error at a value that is being visited

  /// @throws ConfigError with every error so far
  JsonValue finish();
  /// Place in config.json that a written value came from; that of the part if it came from none.
  Place origin(const std::string& pointer) const;
  std::vector<std::string> assumed() const { return assumed_; }
  std::vector<std::string> notes() const { return notes_; }

 private:
  struct Member {
    const JsonValue* value = nullptr;
    std::string key;
  };
  Member find(std::string_view keys) const;
  JsonValue placed(JsonValue value, std::string_view from) const;
  template <class Table, std::size_t N>
  void copy(const Table& table, const std::pair<std::string_view, HfNumber Table::*> (&members)[N],
            const RecordSpec& spec, const std::string& block);
  void copy_flags();
  void copy_mixture(const HfMixture& mixture);

  Decoder decoder_;
  const JsonValue* part_;
  const HfFamily* family_ = nullptr;
  std::string prefix_;                          ///< pointer of the part
  std::optional<Decoder::Scope> inside_;        ///< scope of text_config
  std::map<std::string, std::string> origins_;  ///< keys of config.json by pointer into the written form
  JsonValue out_ = JsonValue::object();
  std::vector<std::string> assumed_, notes_;
};

}  // namespace clusterwright
