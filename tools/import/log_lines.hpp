// SPDX-License-Identifier: Apache-2.0
/// Lines of a captured terminal, without what terminals and launchers add to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterwright {

/// Goes through a text line by line. Colours and carriage returns are taken out, and so is what srun, mpirun, pdsh and
/// container runtimes put before a line: "3: ", "[1,3]<stdout>:", "node7: ", a time stamp. Of a line longer than
/// `longest` only the beginning is seen.
class LogLines {
 public:
  static constexpr std::size_t longest = 4096;  ///< bytes

  /// @param text  must outlive this
  explicit LogLines(std::string_view text) : all_(text) {}

  /// Goes to the next line. @return false behind the last one
  bool next();

  const std::string& text() const { return text_; }  ///< cleaned
  std::size_t offset() const { return begin_; }      ///< offset of the line in the file
  std::size_t length() const { return length_; }     ///< length in the file, without the line end
  std::size_t number() const { return number_; }     ///< from 1

 private:
  std::string_view all_;
  std::size_t begin_ = 0;
  std::size_t length_ = 0;
  std::size_t next_ = 0;
  std::size_t number_ = 0;
  std::string text_;
};

/// Words between blanks.
std::vector<std::string_view> words_of(std::string_view line);

/// A whole word that is an integer of at most 18 digits.
std::optional<std::int64_t> whole_number(std::string_view word);

/// A whole word that is a number: 12, 1.5, 2e-07, nan, inf.
std::optional<double> real_number(std::string_view word);

}  // namespace clusterwright
