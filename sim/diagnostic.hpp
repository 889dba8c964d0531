// SPDX-License-Identifier: Apache-2.0
/// Errors of one shape for every input file and option: they point at the place and say what would be right.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clusterwright {

/// A named text with its line starts, kept alive by everything that points into it.
class SourceText {
 public:
  /// @param name  path, or "--set" for an option
  /// @param quotable  whether errors may show its lines; they always name places in it
  SourceText(std::string name, std::string text, bool quotable = true);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  bool quotable() const { return quotable_; }

  struct LineColumn {
    std::size_t line = 1;    ///< from 1
    std::size_t column = 1;  ///< from 1, in bytes
  };
  LineColumn locate(std::size_t offset) const;
  std::string_view line(std::size_t number) const;

 private:
  std::string name_;
  std::string text_;
  bool quotable_;
  std::vector<std::size_t> line_begin_;
};

/// A stretch of a source text, and the JSON pointer of the value there.
struct Place {
  std::shared_ptr<const SourceText> source;
  std::size_t offset = 0;
  std::size_t length = 1;
  std::string pointer;
};

/// Place of the value of a command-line option.
Place option_place(const char* option, const std::string& value);

/// Codes: E01xx syntax and keys, E02xx values, E03xx values that contradict each other, E04xx files and usage,
/// E05xx limits, E09xx faults of the program. Each code has one meaning, listed in docs/errors.md.
struct Diagnostic {
  std::string code;
  std::string message;
  std::vector<Place> places;  ///< the first is underlined, the others are named
  std::string underline;      ///< words beside the underline; may be empty
  std::string help;           ///< correct input; may be empty
};

/// `error[E0203]: ... --> file:line:column (/pointer)` with the source line underlined.
std::string render(const Diagnostic& diagnostic);

/// Wrong input. Carries every error of the input, at most `limit`.
class ConfigError : public std::runtime_error {
 public:
  static constexpr std::size_t limit = 20;

  explicit ConfigError(std::vector<Diagnostic> diagnostics);
  explicit ConfigError(Diagnostic diagnostic);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Whether two names differ in nothing but case, blanks, dashes and underscores.
bool is_same_name(std::string_view one, std::string_view other);

/// Candidates that `word` may mean, at most three, the likeliest first. Case, blanks, dashes and underscores do not
/// count. Names that begin with the word come before names that contain it, and these before the nearest name: within
/// two edits or a third of the word's length, the longer common beginning first, as the first letters of a part are its
/// family. The word itself is never one of them.
std::vector<std::string> closest_names(std::string_view word, const std::vector<std::string>& candidates);

/// The first of closest_names(), or empty.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// `did you mean "H100-SXM" or "H100-PCIe"?`, or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace clusterwright
