// SPDX-License-Identifier: Apache-2.0
#include "sim/json_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace clusterwright {

namespace {

/// Iterator over the text that tells an outside counter how far the parser has read: the source of all positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

/// Keys of an open object. Few are compared one by one; many are hashed, so that n keys cost n steps.
class SeenKeys {
 public:
  /// @return whether the key is new
  bool add(const JsonValue& object, const std::string& key) {
    constexpr std::size_t few = 16;
    if (object.members().size() < few) return object.find(key) == nullptr;
    if (hashed_.empty())
      for (const auto& [known, value] : object.members()) hashed_.insert(known);
    return hashed_.insert(key).second;
  }

 private:
  std::unordered_set<std::string> hashed_;
};

/// Builder of JsonValues from parser callbacks. `read` is the offset just past the token (one further for numbers).
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(std::shared_ptr<const SourceText> source, const JsonLimits& limits, const std::size_t& read)
      : source_(std::move(source)), limits_(limits), read_(read) {}

  bool null() { return leaf(nullptr, word_begin(read_)); }
  bool boolean(bool value) { return leaf(value, word_begin(read_)); }
  bool number_integer(number_integer_t value) { return leaf(static_cast<std::int64_t>(value), word_begin(read_)); }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return leaf(static_cast<double>(value), word_begin(read_));
    return leaf(static_cast<std::int64_t>(value), word_begin(read_));
  }
  bool number_float(number_float_t value, const string_t&) { return leaf(value, word_begin(read_)); }
  bool string(string_t& value) { return leaf(JsonValue(value), string_begin(read_)); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonValue::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(JsonValue::list()); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    key_ = name;
    key_offset_ = string_begin(read_);
    key_length_ = read_ - key_offset_;
    if (!keys_seen_.back().add(stack_.back(), name)) report_duplicate(stack_.back().at(name));
    if (stack_.back().members().size() >= limits_.members) {
      fail("E0501", fmt::format("more than {} members in one object", limits_.members), key_offset_, "");
      return false;
    }
    return errors_.size() < ConfigError::limit;
  }

  /// @param position  number of characters read, without a look-ahead that was put back
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    const std::string what = error.what();
    const std::string reason = what.substr(0, what.find("last read:"));  // behind it stand words of the file
    if (error.id == 406) {
      const std::size_t begin = token_begin(position);
      fail("E0202", "number is too large to be represented", begin, "", position - begin);
    } else if (reason.find("end of input") != std::string::npos || position > source_->text().size()) {
      const std::size_t last = source_->text().find_last_not_of(" \t\r\n");
      fail("E0101", syntax_message(what), last == std::string_view::npos ? 0 : last, "the text ends here");
    } else {
      // The parser has read an unexpected token whole, a malformed one only up to the wrong character.
      const bool whole = reason.find("unexpected") != std::string::npos;
      const std::size_t begin = whole ? token_begin(position) : position - 1;
      fail("E0101", syntax_message(what), begin, "", position - begin);
    }
    return false;
  }

  JsonValue take_root() { return std::move(root_); }
  std::vector<Diagnostic>& errors() { return errors_; }

 private:
  /// Tail of "[json.exception...] parse error at line 2, column 10: syntax error while ...".
  std::string syntax_message(const std::string& what) const {
    if (!source_->quotable()) return "not valid JSON";  // the tail holds words of the file
    const std::size_t colon = what.find(": ");
    std::string tail = colon == std::string::npos ? what : what.substr(colon + 2);
    if (tail.size() > 160) tail = tail.substr(0, 157) + "...";
    return "not valid JSON: " + tail;
  }

  /// Begin of the token that ends at `end`. (The token of the parser may hold what came before.)
  std::size_t token_begin(std::size_t end) const {
    static constexpr std::string_view single = ",:[]{}";
    const char last = source_->text()[end - 1];
    if (last == '"') return string_begin(end);
    return single.find(last) != std::string_view::npos ? end - 1 : word_begin(end);
  }

  std::size_t word_begin(std::size_t read) const {
    static constexpr std::string_view outside = " \t\r\n,:[]{}/\"";
    const std::string_view text = source_->text();
    std::size_t end = std::min(read, text.size());
    while (end > 0 && outside.find(text[end - 1]) != std::string_view::npos) --end;
    std::size_t begin = end;
    while (begin > 0 && outside.find(text[begin - 1]) == std::string_view::npos) --begin;
    word_end_ = end;
    return begin;
  }

  std::size_t string_begin(std::size_t read) const {
    const std::string_view text = source_->text();
    std::size_t begin = read - 1;  // the closing quote
    do {
      begin = text.rfind('"', begin - 1);
    } while (escaped(text, begin));
    word_end_ = read;
    return begin;
  }

  static bool escaped(std::string_view text, std::size_t quote) {
    std::size_t backslashes = 0;
    while (quote > backslashes && text[quote - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  void report_duplicate(const JsonValue& first) {
    Place second{source_, key_offset_, key_length_, ""};
    errors_.push_back({"E0103",
                       fmt::format("duplicate key \"{}\"", key_.substr(0, 60)),
                       {second, first.key_place("")},
                       "written again here",
                       "keep one of the two"});
  }

  void fail(std::string code, std::string message, std::size_t offset, std::string words, std::size_t length = 1) {
    const Place place{source_, offset, length, ""};
    errors_.push_back({std::move(code), std::move(message), {place}, std::move(words), ""});
  }

  bool counted(std::size_t offset) {
    if (++values_ <= limits_.values) return true;
    fail("E0501", fmt::format("more than {} values", limits_.values), offset, "");
    return false;
  }

  bool leaf(JsonValue value, std::size_t begin) {
    mark(value, begin, word_end_ - begin);
    return counted(begin) && attach(std::move(value));
  }

  void mark(JsonValue& value, std::size_t begin, std::size_t length) const {
    value.source = source_;
    value.offset = begin;
    value.length = length;
    value.key_offset = key_offset_;
    value.key_length = key_length_;
  }

  bool open(JsonValue container) {
    if (stack_.size() >= limits_.depth) {
      fail("E0501", fmt::format("nested deeper than {} levels", limits_.depth), read_ - 1, "");
      return false;
    }
    mark(container, read_ - 1, 1);
    keys_.push_back(key_);
    keys_seen_.emplace_back();
    stack_.push_back(std::move(container));
    return counted(read_ - 1);
  }

  bool close() {
    JsonValue done = std::move(stack_.back());
    stack_.pop_back();
    keys_seen_.pop_back();
    key_ = std::move(keys_.back());
    keys_.pop_back();
    return attach(std::move(done));
  }

  bool attach(JsonValue value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().is(JsonKind::list)) {
      stack_.back().push_back(std::move(value));
    } else {
      stack_.back().members().emplace_back(key_, std::move(value));
    }
    return true;
  }

  std::shared_ptr<const SourceText> source_;
  const JsonLimits& limits_;
  const std::size_t& read_;
  std::vector<JsonValue> stack_;
  std::vector<std::string> keys_;
  std::vector<SeenKeys> keys_seen_;
  std::string key_;
  std::size_t key_offset_ = 0;
  std::size_t key_length_ = 0;
  mutable std::size_t word_end_ = 0;
  std::size_t values_ = 0;
  JsonValue root_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

JsonValue read_json(std::shared_ptr<const SourceText> source, const JsonLimits& limits) {
  const std::string_view text = source->text();
  std::size_t read = 0;
  Builder builder(source, limits, read);
  const bool ok = nlohmann::json::sax_parse(CountingIterator(text.data(), &read),
                                            CountingIterator(text.data() + text.size(), &read), &builder,
                                            nlohmann::json::input_format_t::json, true, true);
  if (!ok || !builder.errors().empty()) throw ConfigError(std::move(builder.errors()));
  return builder.take_root();
}

JsonValue read_json_file(const std::filesystem::path& path, const JsonLimits& limits) {
  return read_json(read_source(path, limits.bytes), limits);
}

}  // namespace clusterwright
