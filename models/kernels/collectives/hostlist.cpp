// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class HostlistReader {
 public:
  explicit HostlistReader(std::string_view text) : text_(text) {}

  std::vector<NodeId> read() {
    do read_name();
    while (take(','));
    if (!at_end()) fail("expected \",\" or the end of the list");
    return std::move(nodes_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    const bool here = !at_end() && text_[at_] == c;
    if (here) ++at_;
    return here;
  }

  [[noreturn]] void fail(const std::string& what) const { fail(what, at_, 1); }
  [[noreturn]] void fail(const std::string& what, std::size_t offset, std::size_t length) const {
    auto source = std::make_shared<const SourceText>("hostlist", std::string(text_));
    throw ConfigError(Diagnostic{"E0331",
                                 "the list of nodes cannot be read: " + what,
                                 {Place{std::move(source), offset, length, {}}},
                                 {},
                                 "write gpu[001-004,7],gpu12"});
  }

  void read_name() {
    const std::size_t begin = at_;
    while (!at_end() && next() != ',' && next() != '[' && next() != ']' &&
           std::isspace(static_cast<unsigned char>(next())) == 0)
      ++at_;
    std::size_t digits = at_;
    while (digits > begin && is_digit(text_[digits - 1])) --digits;
    const std::string_view number = text_.substr(digits, at_ - digits);
    if (take('[')) {
      read_brackets(number);
      return;
    }
    if (number.empty()) fail(at_ == begin ? "expected a name" : "the name ends without a number", begin, at_ - begin);
    add(value_of(number, digits), digits);
  }

  void read_brackets(std::string_view before) {
    do read_range(before);
    while (take(','));
    if (!take(']')) fail("expected \",\", \"-\" or \"]\"");
  }

  std::string_view read_digits() {
    const std::size_t begin = at_;
    while (is_digit(next())) ++at_;
    if (at_ == begin) fail("expected a number");
    return text_.substr(begin, at_ - begin);
  }

  /// @param before  digits in front of the bracket
  void read_range(std::string_view before) {
    const std::size_t begin = at_;
    const std::string_view low = read_digits();
    const std::string_view high = take('-') ? read_digits() : low;
    const int first = value_of(low, begin), last = value_of(high, begin);
    if (last < first) fail("the end of the range is below its start", begin, at_ - begin);
    for (int n = first; n <= last; ++n) add(value_of(fmt::format("{}{:0{}}", before, n, low.size()), begin), begin);
  }

  int value_of(std::string_view digits, std::size_t offset) const {
    constexpr std::size_t longest = 18, significant = 9;  // an int holds 9 digits for sure
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    if (digits.size() > longest || digits.size() - zeros > significant)
      fail("the number is too large", offset, at_ - offset);
    int value = 0;
    for (const char c : digits) value = 10 * value + (c - '0');
    return value;
  }

  void add(int node, std::size_t offset) {
    if (nodes_.size() == most_listed_nodes)
      fail(fmt::format("more than {} nodes", most_listed_nodes), offset, at_ - offset);
    nodes_.push_back(NodeId(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<NodeId> nodes_;
};

}  // namespace

std::vector<NodeId> parse_hostlist(std::string_view text) {
  return HostlistReader(text).read();
}

}  // namespace clusterwright
