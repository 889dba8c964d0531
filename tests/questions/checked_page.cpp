// SPDX-License-Identifier: Apache-2.0
#include "questions/checked_page.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace clusterwright::testing {

namespace {

const std::string prompt = "$ clusterwright ";
const std::string cut = "...";
const std::string comment = "<!-- numbers:";

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string without_code(const std::string& line) {
  std::string out;
  bool code = false;
  for (const char letter : line) {
    if (letter == '`') code = !code;
    if (!code && letter != '`') out += letter;
  }
  return out;
}

class PageReader {
 public:
  CheckedPage read(const std::vector<std::string>& lines) {
    page_.sections.emplace_back();
    for (const std::string& line : lines) {
      ++number_;
      if (line.starts_with("```"))
        fence(line);
      else if (console_)
        console_line(line);
      else if (fenced_)
        code_line(line);
      else
        text_line(line);
    }
    return std::move(page_);
  }

 private:
  PageSection& section() { return page_.sections.back(); }

  void fence(const std::string& line) {
    fenced_ = !fenced_;
    console_ = fenced_ && line == "```console";
    continued_ = false;
  }

  void console_line(const std::string& line) {
    if (line.starts_with(prompt))
      section().commands.push_back({line.substr(prompt.size()), {line}, {}, number_});
    else if (continued_)
      extend(section().commands.back(), line);
    else if (!section().commands.empty())
      section().commands.back().quoted.push_back(line);
    continued_ = (continued_ || line.starts_with(prompt)) && line.ends_with("\\");
    if (continued_) section().commands.back().command.pop_back();
  }

  static void extend(QuotedCommand& command, const std::string& line) {
    command.command += trimmed(line);
    command.typed.push_back(line);
  }

  void code_line(const std::string& line) {
    if (line.starts_with(prompt)) page_.unchecked.push_back(line);
  }

  void text_line(const std::string& line) {
    if (line.starts_with("#")) {
      page_.sections.emplace_back();
      section().title = line;
    } else if (line.starts_with(comment)) {
      add_numbers(line.substr(comment.size(), line.rfind("-->") - comment.size()));
    } else if (line.starts_with("    ")) {
      if (trimmed(line).starts_with("clusterwright ")) page_.unchecked.push_back(trimmed(line));
    } else {
      section().prose += without_code(line) + "\n";
    }
  }

  void add_numbers(const std::string& list) {
    std::istringstream in(list);
    for (std::string entry; std::getline(in, entry, ';');) section().numbers.push_back(trimmed(entry));
  }

  CheckedPage page_;
  int number_ = 0;
  bool fenced_ = false, console_ = false, continued_ = false;
};

std::set<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

/// Words that both lines have, over those of either.
double similarity(const std::string& a, const std::string& b) {
  const std::set<std::string> left = words_of(a), right = words_of(b);
  const auto common =
      std::count_if(left.begin(), left.end(), [&](const std::string& word) { return right.contains(word); });
  const auto all = static_cast<double>(left.size() + right.size()) - static_cast<double>(common);
  return all > 0 ? static_cast<double>(common) / all : 1;
}

}  // namespace

CheckedPage read_page(const std::filesystem::path& file) {
  return PageReader().read(lines_of(file));
}

bool is_quote_of(const std::vector<std::string>& quoted, const std::vector<std::string>& output) {
  if (std::all_of(quoted.begin(), quoted.end(), [](const std::string& line) { return line == cut || line.empty(); }))
    return false;
  // reach[i]: the quote so far may end before output line i
  std::vector<char> reach(output.size() + 1, 0);
  reach[0] = 1;
  for (const std::string& line : quoted) {
    std::vector<char> next(output.size() + 1, 0);
    for (std::size_t i = 0; i <= output.size(); ++i) {
      if (!reach[i]) continue;
      if (line == cut)
        std::fill(next.begin() + static_cast<std::ptrdiff_t>(i), next.end(), 1);
      else if (i < output.size() && output[i] == line)
        next[i + 1] = 1;
    }
    reach = std::move(next);
  }
  return reach.back();
}

std::vector<std::string> requote(const std::vector<std::string>& quoted, const std::vector<std::string>& output) {
  std::vector<std::size_t> chosen;
  for (const std::string& line : quoted) {
    const std::size_t from = chosen.empty() ? 0 : chosen.back() + 1;
    if (line == cut || from >= output.size()) continue;
    std::size_t best = from;
    for (std::size_t i = from; i < output.size(); ++i)
      if (similarity(output[i], line) > similarity(output[best], line)) best = i;
    chosen.push_back(best);
  }
  std::vector<std::string> out;
  std::size_t next = 0;
  for (const std::size_t at : chosen) {
    if (at > next) out.push_back(cut);
    out.push_back(output[at]);
    next = at + 1;
  }
  if (next < output.size()) out.push_back(cut);
  return out;
}

void write_quotes(const std::filesystem::path& file, const std::vector<std::vector<std::string>>& quotes) {
  const std::vector<std::string> lines = lines_of(file);
  std::ofstream out(file, std::ios::binary);
  std::size_t command = 0;
  bool console = false, quoting = false, typing = false;
  for (const std::string& line : lines) {
    if (line.starts_with("```")) console = line == "```console", quoting = typing = false;
    const bool prompted = console && line.starts_with(prompt);
    const bool typed = prompted || typing;
    if (!quoting || typed) out << line << '\n';
    if (!typed) continue;
    typing = line.ends_with("\\");
    quoting = !typing;
    if (!typing)
      for (const std::string& quote : quotes.at(command++)) out << quote << '\n';
  }
}

}  // namespace clusterwright::testing
