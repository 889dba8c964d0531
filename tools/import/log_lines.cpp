// SPDX-License-Identifier: Apache-2.0
#include "tools/import/log_lines.hpp"

#include <algorithm>
#include <charconv>

namespace clusterwright {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view without_leading_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

/// End of the escape sequence that begins at `at`: ESC [ ... letter, ESC ] ... BEL, or ESC and one character.
std::size_t end_of_escape(std::string_view line, std::size_t at) {
  if (++at >= line.size()) return at;
  const char kind = line[at++];
  if (kind == ']') return std::min(line.find('\a', at), line.size() - 1) + 1;
  if (kind != '[') return at;
  while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
  return std::min(at + 1, line.size());
}

std::string without_terminal(std::string_view line) {
  constexpr char escape = '\x1b';
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == escape) {
      at = end_of_escape(line, at);
      continue;
    }
    const bool blank = static_cast<unsigned char>(line[at]) < ' ';
    out += blank ? ' ' : line[at];
    ++at;
  }
  return out;
}

/// 2026-11-21T21:04:06.123Z
bool is_time_stamp(std::string_view word) {
  return word.size() >= 19 && all_digits(word.substr(0, 4)) && word[4] == '-' && word[7] == '-' && word[10] == 'T' &&
         word[13] == ':' && word[16] == ':';
}

/// Bytes that a launcher put before the line: "3:", "node7:", "[1,3]<stdout>:", "[3]", a time stamp, "stdout F".
std::size_t launcher_length(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  const std::size_t tag = line.starts_with('[') ? line.find("<std") : std::string_view::npos;
  if (tag < 200 && tag + 9 <= line.size() && line.substr(tag + 7, 2) == ">:") return tag + 9;
  if (word.size() > 2 && word.front() == '[' && word.back() == ']' && all_digits(word.substr(1, word.size() - 2)))
    return word.size();
  if (word.size() > 1 && word.find(':') == word.size() - 1 && word.front() != '#') return word.size();
  if (is_time_stamp(word) || word == "stdout" || word == "stderr" || word == "F") return word.size();
  return 0;
}

/// Only where a comment or a number follows, which is all that tables are made of.
std::string_view without_launcher(std::string_view line) {
  std::string_view rest = without_leading_blanks(line);
  for (int layers = 0; layers < 4; ++layers) {
    const std::size_t length = launcher_length(rest);
    if (length == 0) break;
    rest = without_leading_blanks(rest.substr(length));
  }
  const bool table = !rest.empty() && (rest.front() == '#' || is_digit(rest.front()));
  return table ? rest : line;
}

}  // namespace

bool LogLines::next() {
  if (next_ >= all_.size()) return false;
  begin_ = next_;
  const std::size_t end = std::min(all_.find('\n', begin_), all_.size());
  next_ = end + 1;
  length_ = end - begin_;
  ++number_;
  const std::string clean = without_terminal(all_.substr(begin_, std::min(length_, longest)));
  text_ = without_launcher(clean);
  return true;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = without_leading_blanks(line); !line.empty(); line = without_leading_blanks(line)) {
    words.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  std::int64_t number = 0;
  if (!all_digits(digits) || digits.size() > 18) return {};
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

std::optional<double> real_number(std::string_view word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return number;
}

}  // namespace clusterwright
