// SPDX-License-Identifier: Apache-2.0
/// A page of documentation whose commands and numbers a test can check.
///
/// A fenced block that opens with ```console holds commands and their outputs:
///
///     $ clusterwright collective configs/clusters/h100-2tier.json --bytes 1G
///     ...
///     1,073,741,824  268,435,456  6,272.56  171.18  342.19  4,966.76  7,921.67  nvls_tree  Simple    NICs
///     ...
///
/// A line `...` stands for any number of lines; all others are the output's own. A comment `<!-- numbers: ... -->`
/// names numbers of the text that no output shows: `256` is given, `893 / 155` is computed from numbers that are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clusterwright::testing {

/// One command with the lines that the page quotes of its output.
struct QuotedCommand {
  std::string command;             ///< without "$ clusterwright", continuation lines joined
  std::vector<std::string> typed;  ///< its lines as they stand on the page
  std::vector<std::string> quoted;
  int line = 0;  ///< of the page, where the command stands
};

/// A heading and the text, commands and numbers below it.
struct PageSection {
  std::string title;
  std::string prose;                 ///< without code, tables included
  std::vector<std::string> numbers;  ///< entries of the comments
  std::vector<QuotedCommand> commands;
};

struct CheckedPage {
  std::vector<PageSection> sections;
  std::vector<std::string> unchecked;  ///< commands in a block that is no console
};

CheckedPage read_page(const std::filesystem::path& file);

/// Whether `quoted` is `output` with cuts; an empty quote, or one of cuts alone, is none.
bool is_quote_of(const std::vector<std::string>& quoted, const std::vector<std::string>& output);

/// `quoted` with every line that `output` does not have replaced by the most similar one behind the line before it.
std::vector<std::string> requote(const std::vector<std::string>& quoted, const std::vector<std::string>& output);

/// The page with new quotes, one for each command in order.
void write_quotes(const std::filesystem::path& file, const std::vector<std::vector<std::string>>& quotes);

}  // namespace clusterwright::testing
