// SPDX-License-Identifier: Apache-2.0
#include "sim/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace clusterwright {

namespace {

constexpr std::size_t longest_pointer = 200;  // a pointer repeats keys of the file, and these may be of any length

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Length in bytes of the UTF-8 character at the front, or 0 if it is malformed or a control character.
std::size_t printable_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues_character(text[i])) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool c1_control = first == 0xc2 && second < 0xa0;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return c1_control || overlong || outside ? 0 : length;
}

/// Text for a terminal: each control character of a hostile file becomes one blank, so that columns stay.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length == 0) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

/// Approximate number of columns that printable text takes on a terminal.
std::size_t columns(std::string_view text) {
  const std::string shown = printable(text);
  return shown.size() - static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), continues_character));
}

/// Place of a value that the program chose or an option set: no text holds it, so its path stands for it.
std::string path_without_text(const std::string& pointer) {
  if (pointer.empty()) return "(input)";
  std::string path = printable(std::string_view(pointer).substr(1, longest_pointer));
  std::ranges::replace(path, '/', '.');
  return path + " (in no file)";
}

std::string location(const Place& place) {
  if (!place.source) return path_without_text(place.pointer);
  const auto at = place.source->locate(place.offset);
  std::string text = printable(place.source->name());
  if (!place.source->text().empty()) text += fmt::format(":{}:{}", at.line, at.column);
  const bool cut = place.pointer.size() > longest_pointer;
  if (!place.pointer.empty())
    text += fmt::format("  ({}{})", printable(std::string_view(place.pointer).substr(0, longest_pointer)),
                        cut ? "..." : "");
  return text;
}

/// Part of a long line (minified files) around `column`, which is then counted from the begin of the part.
std::string_view window_around(std::string_view line, std::size_t& column) {
  constexpr std::size_t window = 100;
  if (line.size() <= window) return line;
  std::size_t begin = column > window / 2 ? column - window / 2 : 0;
  for (int i = 0; i < 3 && begin > 0 && continues_character(line[begin]); ++i) --begin;
  std::size_t end = std::min(begin + window, line.size());
  for (int i = 0; i < 3 && end < line.size() && continues_character(line[end]); ++i) ++end;
  column -= begin;
  return line.substr(begin, end - begin);
}

/// Source line and its underline.
std::string snippet(const Place& place, const std::string& words) {
  if (!place.source || place.source->text().empty() || !place.source->quotable()) return {};
  const auto at = place.source->locate(place.offset);
  const std::string_view whole = place.source->line(at.line);
  std::size_t column = std::min(at.column - 1, whole.size());
  const std::string_view shown = window_around(whole, column);
  const std::size_t width = std::max<std::size_t>(columns(shown.substr(column, place.length)), 1);
  const std::string number = std::to_string(at.line);
  const std::string margin(number.size() + 1, ' ');
  return fmt::format(" {0}|\n {1} | {2}\n {0}| {3}{4}{5}\n", margin, number, printable(shown),
                     std::string(columns(shown.substr(0, column)), ' '), std::string(width, '^'),
                     words.empty() ? "" : " " + words);
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t substituted = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[right.size()];
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return out;
}

/// Name as people remember it.
std::string remembered(std::string_view name) {
  std::string out = lower(name);
  std::erase_if(out, [](char letter) { return letter == ' ' || letter == '-' || letter == '_'; });
  return out;
}

/// Ways in which a candidate is like a word, the surest first.
enum class Likeness { same, begins, contains, near };

/// Candidate that is like a word. Of one likeness, the candidate with the lowest figures is the likeliest.
struct Match {
  Likeness likeness = Likeness::same;
  std::size_t distance = 0;   ///< number of edits, or of letters that the longer name has more
  std::size_t different = 0;  ///< number of letters of the word behind the common beginning
  std::string_view name;

  auto order() const { return std::tuple(likeness, distance, different); }
};

/// Edits between two names. A wrong first letter counts twice: P100 and H100 are other parts, H100 and H1000 a slip.
std::size_t slips(std::string_view word, std::string_view name) {
  return edit_distance(word, name) + (!word.empty() && !name.empty() && word.front() != name.front() ? 1 : 0);
}

/// @param word  as remembered
std::optional<Match> match_of(std::string_view word, std::string_view candidate) {
  constexpr std::size_t least_beginning = 2, least_part = 4;
  const std::string name = remembered(candidate);
  const auto beginning = static_cast<std::size_t>(std::ranges::mismatch(word, name).in1 - word.begin());
  const std::size_t longer = std::max(word.size(), name.size()) - std::min(word.size(), name.size());
  const auto found = [&](Likeness likeness, std::size_t distance) {
    return Match{likeness, distance, word.size() - beginning, candidate};
  };
  if (name == word) return found(Likeness::same, 0);
  if (word.size() >= least_beginning && name.starts_with(word)) return found(Likeness::begins, longer);
  if (word.size() >= least_part && name.find(word) != std::string::npos) return found(Likeness::contains, longer);
  if (name.size() >= least_part && word.starts_with(name)) return found(Likeness::near, 1);  // one ending too many
  const std::size_t distance = slips(word, name);
  if (distance > std::max<std::size_t>(2, word.size() / 3) || distance >= name.size()) return {};
  return found(Likeness::near, distance);
}

std::vector<Diagnostic> limited(std::vector<Diagnostic> diagnostics) {
  if (diagnostics.size() > ConfigError::limit) diagnostics.resize(ConfigError::limit);
  return diagnostics;
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic) + "\n";
  return text;
}

}  // namespace

SourceText::SourceText(std::string name, std::string text, bool quotable)
    : name_(std::move(name)), text_(std::move(text)), quotable_(quotable) {
  line_begin_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_begin_.push_back(i + 1);
}

SourceText::LineColumn SourceText::locate(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(line_begin_.begin(), line_begin_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_begin_.begin());
  return {line, offset - line_begin_[line - 1] + 1};
}

std::string_view SourceText::line(std::size_t number) const {
  const std::size_t begin = line_begin_[number - 1];
  std::size_t end = number < line_begin_.size() ? line_begin_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string render(const Diagnostic& diagnostic) {
  std::string text = fmt::format("error[{}]: {}\n", diagnostic.code, printable(diagnostic.message));
  if (!diagnostic.places.empty()) {
    text += "  --> " + location(diagnostic.places.front());
    for (std::size_t i = 1; i < diagnostic.places.size(); ++i) text += "  and  " + location(diagnostic.places[i]);
    text += "\n" + snippet(diagnostic.places.front(), diagnostic.underline);
  }
  if (!diagnostic.help.empty()) text += fmt::format("   = help: {}\n", printable(diagnostic.help));
  return text;
}

ConfigError::ConfigError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(limited(diagnostics))), diagnostics_(limited(std::move(diagnostics))) {}

ConfigError::ConfigError(Diagnostic diagnostic) : ConfigError(std::vector{std::move(diagnostic)}) {}

bool is_same_name(std::string_view one, std::string_view other) {
  return remembered(one) == remembered(other);
}

std::vector<std::string> closest_names(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 200, most = 3;  // a hostile "word" must not cost quadratic time
  std::vector<std::string> out;
  if (word.size() > longest) return out;
  const std::string typed = remembered(word);
  std::vector<Match> matches;
  for (const std::string& candidate : candidates)
    if (const auto match = match_of(typed, candidate); match && candidate != word) matches.push_back(*match);
  std::ranges::stable_sort(matches, {}, &Match::order);
  for (const Match& match : matches) {
    const bool part = match.likeness == Likeness::begins || match.likeness == Likeness::contains;
    if (out.size() == (part ? most : 1) || match.likeness != matches.front().likeness) break;
    if (std::ranges::find(out, match.name) == out.end()) out.emplace_back(match.name);
  }
  return out;
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> names = closest_names(word, candidates);
  return names.empty() ? std::string() : names.front();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> names = closest_names(word, candidates);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 < names.size() ? ", " : " or ", names[i]);
  return text.empty() ? text : "did you mean " + text + "?";
}

Place option_place(const char* option, const std::string& value) {
  return {std::make_shared<const SourceText>(option, value), 0, std::max<std::size_t>(value.size(), 1), ""};
}

}  // namespace clusterwright
