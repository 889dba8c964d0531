// SPDX-License-Identifier: Apache-2.0
/// Text typed on a command line: quantities such as "8G", "20MW", "90d", "8..16384x2", choices, and errors that point
/// into it. Files never hold such quantities.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Points that one range may name.
inline constexpr std::size_t max_range_points = 4096;

/// A text and where it was typed, for errors: {"--gpus", "8..64"}.
struct TypedText {
  std::string option;
  std::string text;
};

/// A whole number >= 1: "8", "16384", "16k" (decimal), "16Ki" (binary). @throws ConfigError E0403
int parse_count(const TypedText& typed);

/// A count of at most `most`, for what takes resources of this machine. @throws ConfigError E0403
int parse_count(const TypedText& typed, int most, const std::string& why);

/// Value of --threads. More threads than `most_threads` are a slip of the finger on any machine.
inline constexpr int most_threads = 1024;
int parse_threads(const std::string& text);

/// One count, a list "8,16,32", or a range: "8..64" doubles, "8..16384x2" multiplies, "8..64+8" adds. The last value
/// is part of the range if a step reaches it. @return ascending, each value once
/// @throws ConfigError E0403 for values below 1, ranges that run backwards, steps that never arrive, and more than
///         `max_range_points` points
std::vector<int> parse_counts(const TypedText& typed);

/// Data: "8" and "8B" are bytes, "8b" bits; k M G T are powers of 1000, Ki Mi Gi Ti of 1024. @throws ConfigError E0403
Bytes parse_bytes(const TypedText& typed);

/// Sizes of data in the forms of parse_counts: "8..8Gx2". @throws ConfigError E0403
std::vector<Bytes> parse_byte_sizes(const TypedText& typed);

/// Sizes of messages as nccl-tests reads them: k M G T are powers of 1024 too. @throws ConfigError E0403
std::vector<Bytes> parse_message_sizes(const TypedText& typed);

/// "700W", "43kW", "20MW", "1.2GW". @throws ConfigError E0403
Watts parse_power(const TypedText& typed);

/// A number > 0 that may be large: "15T", "150M", "$1.5B", "1e12"; k M G B T are powers of 1000. @throws ConfigError
/// E0403
double parse_amount(const TypedText& typed);

/// "15us", "20ms", "3s", "5min", "2h", "90d". @throws ConfigError E0403
Seconds parse_duration(const TypedText& typed);

/// A number >= 0: "0.15". @throws ConfigError E0403
double parse_share(const TypedText& typed);

/// A share as "65%" or "0.65". @throws ConfigError E0403
double parse_percentage(const TypedText& typed);

/// Words between commas, each once, in their order.
std::vector<std::string> parse_words(const std::string& text);

/// "100,80%,60": power limits in percent of the rating, as shares, each once, the largest first. @throws ConfigError
/// E0404
std::vector<double> parse_caps(const TypedText& typed);

/// A whole number >= 0 that fits 64 bits, for seeds. @throws ConfigError E0403
std::uint64_t parse_seed(const TypedText& typed);

/// The words of a command line as one text that errors can point into.
class TypedWords {
 public:
  explicit TypedWords(const std::vector<std::string>& words);

  /// E0404 at the word with this index, or behind the last word.
  ConfigError error(std::size_t index, const std::string& message, const std::string& help) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> length_;
};

/// E0404 for the value of an option: `--format xml`.
ConfigError option_error(const std::string& option, const std::string& value, const std::string& message,
                         const std::string& help);

/// One of `allowed`, or E0404 with a suggestion. @return its index
std::size_t parse_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed);

}  // namespace clusterwright
