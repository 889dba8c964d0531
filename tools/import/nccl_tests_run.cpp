// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests_run.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

using Tokens = std::vector<std::string>;

/// Programs of nccl-tests without "_perf", and our words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> programs = {
    {{"all_reduce", "all_reduce"},
     {"all_gather", "all_gather"},
     {"reduce_scatter", "reduce_scatter"},
     {"alltoall", "all_to_all"},
     {"alltoallv", "all_to_all_v"},
     {"sendrecv", "send"},
     {"broadcast", "broadcast"},
     {"reduce", "reduce"},
     {"scatter", "scatter"},
     {"gather", "gather"},
     {"hypercube", "hypercube"}}};

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// "all_reduce" of "/usr/bin/all_reduce_perf_mpi", or empty.
std::string_view program_ending_at(std::string_view line, std::size_t suffix) {
  std::size_t begin = suffix;
  while (begin > 0 && in_name(line[begin - 1])) --begin;
  return line.substr(begin, suffix - begin);
}

/// Operations that the columns of a row allow.
Tokens candidates(const NcclTestsResult& row) {
  if (!row.reduction.empty()) return row.rooted ? Tokens{"reduce"} : Tokens{"all_reduce", "reduce_scatter"};
  return row.rooted ? Tokens{"broadcast", "scatter", "gather"} : Tokens{"all_gather", "all_to_all", "send"};
}

/// Bus bandwidth over algorithm bandwidth, as nccl-tests defines them.
double bus_factor(const std::string& operation, double ranks) {
  if (operation == "all_reduce") return 2 * (ranks - 1) / ranks;
  if (operation == "reduce" || operation == "broadcast" || operation == "send") return 1;
  return (ranks - 1) / ranks;
}

const NcclTestsResult* fastest(const NcclTestsRun& run) {
  const auto slower = [](const NcclTestsResult& a, const NcclTestsResult& b) {
    return a.algorithm_gb_per_s < b.algorithm_gb_per_s;
  };
  const auto row = std::max_element(run.results.begin(), run.results.end(), slower);
  return row == run.results.end() ? nullptr : &*row;
}

/// Drops candidates whose bandwidths would be others. Bandwidths are printed with two decimals.
void drop_by_bandwidth(Tokens& words, const NcclTestsResult& row, std::int64_t ranks) {
  constexpr double least_gb_per_s = 0.5, rounding = 0.006, relative = 2e-3;
  if (ranks < 2 || !(row.algorithm_gb_per_s > least_gb_per_s) || !std::isfinite(row.bus_gb_per_s)) return;
  const double seen = row.bus_gb_per_s / row.algorithm_gb_per_s;
  std::erase_if(words, [&](const std::string& word) {
    const double factor = bus_factor(word, static_cast<double>(ranks));
    return !(std::abs(seen - factor) <= relative * factor + rounding * (1 + factor) / row.algorithm_gb_per_s);
  });
}

std::string derived(const NcclTestsRun& run, std::int64_t ranks) {
  const NcclTestsResult* row = fastest(run);
  if (!row) return {};
  Tokens words = candidates(*row);
  drop_by_bandwidth(words, *row, ranks);
  if (words.size() == 1) return words.front();
  const std::string what =
      words.empty() ? std::string("the bandwidths fit no known operation")
                    : fmt::format("the log does not name its operation; it may be {}", fmt::join(words, " or "));
  throw ConfigError({"E0203", what, {row->place}, "", "name it, as in --op all_gather"});
}

/// Bytes of an element; 0 for types that are not known.
std::int64_t bytes_of(std::string_view type) {
  if (type == "int8" || type == "uint8" || type == "char" || type.starts_with("fp8") || type.starts_with("f8"))
    return 1;
  if (type == "half" || type == "bfloat16") return 2;
  if (type == "float" || type == "int32" || type == "uint32" || type == "int") return 4;
  return type == "double" || type == "int64" || type == "uint64" ? 8 : 0;
}

/// The count is that of the whole message, or of the part of one rank.
bool agrees_with_count(const NcclTestsResult& row, std::int64_t ranks) {
  const std::int64_t element = bytes_of(row.type);
  if (row.count <= 0 || element == 0 || row.bytes <= 0) return true;
  const auto near = [&](double parts) {
    const double bytes = static_cast<double>(row.count) * static_cast<double>(element) * parts;
    constexpr double alignment = 16;  // elements by which programs shorten a part
    return std::abs(bytes - static_cast<double>(row.bytes)) <= alignment * static_cast<double>(element) * parts;
  };
  if (ranks > 0) return near(1) || near(static_cast<double>(ranks));
  return row.bytes % (row.count * element) == 0 || near(1);
}

/// Whether a printed value is `expected` but for its digits, of which times have two or more and bandwidths two
/// decimals.
bool agrees(double printed, double expected) {
  constexpr double relative = 0.02, rounding = 0.011;
  return std::abs(printed - expected) <= relative * expected + rounding;
}

}  // namespace

std::string contradiction_in(const std::string& operation, std::int64_t ranks, const NcclTestsResult& row) {
  if (!agrees_with_count(row, ranks))
    return fmt::format("{} bytes are not {} elements of type {}", row.bytes, row.count, row.type);
  if (!(row.algorithm_gb_per_s > 0)) return {};
  const double rate = static_cast<double>(row.bytes) / row.time_us / 1e3;
  if (!agrees(row.algorithm_gb_per_s, rate))
    return fmt::format("{} bytes in {:.2f} us are {:.2f} GB/s, not the printed {:.2f}", row.bytes, row.time_us, rate,
                       row.algorithm_gb_per_s);
  if (ranks < 2 || !(row.bus_gb_per_s > 0) || operation == "all_to_all_v" || operation == "hypercube") return {};
  const double bus = row.algorithm_gb_per_s * bus_factor(operation, static_cast<double>(ranks));
  if (agrees(row.bus_gb_per_s, bus)) return {};
  return fmt::format(
      "an algorithm bandwidth of {:.2f} GB/s of {} over {} ranks is a bus bandwidth of {:.2f}, not {:.2f}",
      row.algorithm_gb_per_s, operation, ranks, bus, row.bus_gb_per_s);
}

std::string operation_word(std::string_view name) {
  if (name.ends_with("_perf")) name.remove_suffix(5);
  for (const auto& [program, word] : programs)
    if (name == program || name == word) return std::string(word);
  return {};
}

std::string operation_named_in(std::string_view line) {
  constexpr std::string_view suffix = "_perf";
  std::string found;
  for (std::size_t at = line.find(suffix); at != std::string_view::npos; at = line.find(suffix, at + suffix.size())) {
    const std::string word = operation_word(program_ending_at(line, at));
    if (!found.empty() && !word.empty() && word != found) return {};
    if (!word.empty()) found = word;
  }
  return found;
}

std::string operation_of_program(std::string_view program) {
  const std::size_t suffix = program.find("_perf");
  const std::string_view name = program_ending_at(program, std::min(suffix, program.size()));
  const std::string word = operation_word(name);
  return word.empty() && name.size() <= 40 ? std::string(name) : word;
}

std::string operation_of(const NcclTestsRun& run, const std::string& wanted, std::int64_t ranks) {
  if (run.operation.empty()) return wanted.empty() ? derived(run, ranks) : wanted;
  if (!wanted.empty() && wanted != run.operation)
    throw ConfigError({"E0340",
                       fmt::format("the log names {}, --op names {}", run.operation, wanted),
                       {run.named_at},
                       "",
                       "omit --op"});
  return run.operation;
}

std::string device_name(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string out;
  for (const char c : text.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  out.erase(out.find_last_not_of(' ') + 1);
  out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
  return out;
}

}  // namespace clusterwright
