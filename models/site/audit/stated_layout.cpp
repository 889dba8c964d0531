// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/stated_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace clusterwright {

namespace {

using LayoutDegree = std::optional<int> StatedLayout::*;

struct DegreeName {
  std::string_view name;
  LayoutDegree degree;
};
constexpr std::array<DegreeName, 12> degree_names = {{{"tp", &StatedLayout::tensor},
                                                      {"tensor", &StatedLayout::tensor},
                                                      {"pp", &StatedLayout::pipeline},
                                                      {"pipeline", &StatedLayout::pipeline},
                                                      {"cp", &StatedLayout::context},
                                                      {"context", &StatedLayout::context},
                                                      {"dp", &StatedLayout::data},
                                                      {"data", &StatedLayout::data},
                                                      {"replicas", &StatedLayout::data},
                                                      {"ep", &StatedLayout::expert},
                                                      {"expert", &StatedLayout::expert},
                                                      {"experts", &StatedLayout::expert}}};
/// Words beside a name or a number that add nothing: "8-way tensor parallel".
constexpr std::array<std::string_view, 6> filler_words = {"way", "parallel", "parallelism", "stage", "stages", "ranks"};
constexpr std::string_view layout_letters = "abcdefghijklmnopqrstuvwxyz", layout_digits = "0123456789";

bool is_layout_mark(std::string_view marks, char mark) {
  return marks.find(mark) != std::string_view::npos;
}

/// Reads terms of a name and a number, in either order, one after the other.
class LayoutReader {
 public:
  /// @param words  in lower case, which stay
  explicit LayoutReader(std::string_view words) : rest_(words) {}

  std::optional<StatedLayout> read() {
    while (!rest_.empty())
      if (!read_piece()) return {};
    if (!term_ends() || open_) return {};  // half a term, or a separator with nothing behind it
    return stated_;
  }

 private:
  bool read_piece() {
    if (is_layout_mark(layout_letters, rest_.front())) return read_word();
    if (is_layout_mark(layout_digits, rest_.front())) return read_number();
    const char mark = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view within_terms = " \t-=:", between_terms = ",;/*+&";
    return is_layout_mark(within_terms, mark) || (is_layout_mark(between_terms, mark) && separate());
  }

  bool read_word() {
    if (rest_.front() == 'x') {  // no name begins with it, so "8xpp4" is read as well
      rest_.remove_prefix(1);
      return separate();
    }
    const std::string_view word = rest_.substr(0, rest_.find_first_not_of(layout_letters));
    rest_.remove_prefix(word.size());
    if (word == "and") return separate();
    if (std::ranges::find(filler_words, word) != filler_words.end()) return !open_;
    const auto* found = std::ranges::find(degree_names, word, &DegreeName::name);
    if (found == degree_names.end() || name_ || stated_.*(found->degree)) return false;
    name_ = found->degree;
    open_ = false;
    return close_term();
  }

  bool read_number() {
    int number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || number < 1 || number_) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    number_ = number;
    open_ = false;
    return close_term();
  }

  /// Takes a term that has both parts.
  bool close_term() {
    if (!name_ || !number_) return true;
    stated_.*name_ = *number_;
    any_ = true;
    name_ = nullptr;
    number_.reset();
    return true;
  }

  bool term_ends() const { return !name_ && !number_; }

  /// A separator stands behind a term, or behind another one: "TP 8, and PP 4".
  bool separate() {
    open_ = true;
    return term_ends() && any_;
  }

  std::string_view rest_;
  StatedLayout stated_;
  LayoutDegree name_ = nullptr;  // of the term that is being read
  std::optional<int> number_;
  bool open_ = true;  // a term must follow
  bool any_ = false;  // a term was read
};

}  // namespace

std::optional<StatedLayout> read_layout(const std::string& words) {
  std::string lower = words;
  constexpr std::string_view times = "\u00d7";
  for (std::size_t at; (at = lower.find(times)) != std::string::npos;) lower.replace(at, times.size(), "x");
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return LayoutReader(lower).read();
}

}  // namespace clusterwright
