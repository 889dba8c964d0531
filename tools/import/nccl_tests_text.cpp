// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tools/import/log_lines.hpp"
#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

namespace {

using Words = std::vector<std::string_view>;

/// A run prints its parts in this order; one that comes again begins another run.
enum class Stage { nothing, version, named, configured, devices, table };

constexpr std::size_t most_runs = 1u << 12, most_rows = 1u << 14, most_ranks = 1u << 17;

constexpr std::array<std::string_view, 14> types = {"int8",   "uint8",    "char",     "int",     "int32",
                                                    "uint32", "int64",    "uint64",   "half",    "float",
                                                    "double", "bfloat16", "fp8_e4m3", "fp8_e5m2"};

/// Beside "time" stand these columns, of which older versions have "error": the largest deviation.
struct Columns {
  Words names;  ///< names, as parts of the text of the header

  std::optional<std::size_t> find(std::string_view name, std::size_t from = 0) const {
    const auto at =
        std::find(names.begin() + static_cast<std::ptrdiff_t>(std::min(from, names.size())), names.end(), name);
    return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
  }
};

bool is_header(const Words& words) {
  const auto has = [&](std::string_view name) { return std::find(words.begin(), words.end(), name) != words.end(); };
  return words.size() >= 6 && words[0] == "size" && words[1] == "count" && words[2] == "type" && has("algbw") &&
         has("busbw") && (has("time") || has("cputime"));
}

bool begins_row(const Words& words) {
  return words.size() >= 3 && whole_number(words[0]).value_or(-1) >= 0 && whole_number(words[1]).value_or(-1) >= 0 &&
         std::find(types.begin(), types.end(), words[2]) != types.end();
}

/// "Rank 3 Group 0 Pid 41 on node1 device 3 [0000:1b:00] NVIDIA H100"; older versions have no group or process.
std::optional<NcclTestsRank> rank_of(std::string_view line, const Words& words) {
  NcclTestsRank out;
  const auto rank = whole_number(words[1]);
  const std::size_t open = line.find('['), close = line.find(']', std::min(open, line.size()));
  if (!rank || *rank < 0 || *rank > largest_rank || close >= line.size()) return {};
  for (std::size_t i = 2; i + 1 < words.size() && words[i].front() != '['; ++i) {
    const std::int64_t number = whole_number(words[i + 1]).value_or(0);
    if (words[i] == "Group") out.group = number;
    if (words[i] == "Pid") out.process = number;
    if (words[i] == "on" && out.host.empty()) out.host = words[++i];
  }
  out.rank = *rank;
  out.gpu = device_name(line.substr(close + 1));
  return out.host.empty() || out.gpu.empty() ? std::nullopt : std::optional(out);
}

/// The number behind `key`, as in "nGpus 8".
std::int64_t number_after(const Words& words, std::string_view key, std::int64_t fallback) {
  const auto at = std::find(words.begin(), words.end(), key);
  if (at == words.end() || at + 1 == words.end()) return fallback;
  return whole_number(*(at + 1)).value_or(fallback);
}

void read_configuration(const Words& words, NcclTestsRun& run) {
  run.gpus_per_process = product_of(number_after(words, "nThread", 1), number_after(words, "nGpus", 1));
  run.largest_bytes = number_after(words, "maxBytes", 0);
  run.graph_launches = bounded_count(number_after(words, "graph:", 0), 0);
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const auto number = whole_number(words[i + 1]);
    if (words[i] != "iters:" || !number || words[i - 1] == "warmup") continue;
    (words[i - 1] == "agg" ? run.aggregated : run.iterations) = bounded_count(*number, 0);
  }
}

/// "2.17.6"; empty where it is something else.
std::string version_of(std::string_view word) {
  const auto part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return word.size() <= 20 && std::all_of(word.begin(), word.end(), part) ? std::string(word) : std::string();
}

/// 22907 of "nccl-library=22907".
std::int64_t library_version(const Words& words) {
  constexpr std::string_view key = "nccl-library=";
  for (const std::string_view word : words)
    if (word.starts_with(key)) return std::max<std::int64_t>(0, whole_number(word.substr(key.size())).value_or(0));
  return 0;
}

/// 22907 of "NCCL version 2.29.7+cuda13.1"; before 2.9 the code had one digit less for the minor number.
std::int64_t spoken_version(std::string_view line) {
  constexpr std::string_view key = "NCCL version ";
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return 0;
  std::array<std::int64_t, 3> parts = {0, 0, 0};
  std::size_t part = 0;
  for (const char c : line.substr(at + key.size(), 12)) {
    if (c == '.' && part < 2) {
      ++part;
    } else if (c >= '0' && c <= '9') {
      parts[part] = 10 * parts[part] + (c - '0');
    } else {
      break;
    }
  }
  if (part != 2 || parts[0] < 2 || parts[1] > 99 || parts[2] > 99) return 0;
  const bool old = parts[0] == 2 && parts[1] < 9;
  return old ? parts[0] * 1000 + parts[1] * 100 + parts[2] : parts[0] * 10000 + parts[1] * 100 + parts[2];
}

class Reader {
 public:
  explicit Reader(std::shared_ptr<const SourceText> source) : source_(std::move(source)), lines_(source_->text()) {}

  std::vector<NcclTestsRun> read() {
    while (lines_.next()) read_line();
    close_run();
    return std::move(runs_);
  }

 private:
  void read_line() {
    const std::string& text = lines_.text();
    if (text.starts_with('#')) return read_comment(text);
    const Words words = words_of(text);
    if (!header_.empty() && begins_row(words)) return read_row(words);
    if (const std::string named = operation_named_in(text); !named.empty()) {
      called_ = named;
      called_at_ = place();
    }
    if (run_.nccl_version == 0) run_.nccl_version = spoken_version(text);
  }

  void read_comment(const std::string& text) {
    const std::string_view line = std::string_view(text).substr(std::min(text.find_first_not_of("# "), text.size()));
    const Words words = words_of(line);
    if (words.empty()) return;
    if (words[0] == "Rank" && words.size() > 3) return read_rank(line, words);
    if (line.starts_with("nccl-tests version")) return read_version(words);
    if (line.starts_with("Collective test starting:")) return read_name(words);
    if (words[0] == "nThread") return read_nthread(words);
    if (line.starts_with("Using devices")) return enter(Stage::devices);
    if (line.starts_with("Reducing maxBytes to")) run_.largest_bytes = number_after(words, "to", run_.largest_bytes);
    if (is_header(words)) return read_header(line);
    if (stage_ != Stage::nothing) read_footer(line, words);
  }

  void read_version(const Words& words) {
    enter(Stage::version);
    if (words.size() > 2) run_.version = version_of(words[2]);
    run_.nccl_version = library_version(words);
  }

  void read_name(const Words& words) {
    enter(Stage::named);
    run_.operation = operation_of_program(words.back());
    run_.named_at = place();
  }

  void read_nthread(const Words& words) {
    enter(Stage::configured);
    read_configuration(words, run_);
  }

  void read_rank(std::string_view line, const Words& words) {
    auto rank = stage_ < Stage::table ? rank_of(line, words) : std::nullopt;
    if (!rank) return;
    if (stage_ == Stage::nothing) enter(Stage::devices);
    rank->place = place();
    run_.ranks->push_back(std::move(*rank));
    if (run_.ranks->size() > most_ranks) too_many("ranks", most_ranks);
  }

  void read_header(std::string_view line) {
    if (stage_ == Stage::table && !run_.results.empty()) begin_table_again();
    if (stage_ != Stage::table) enter(Stage::table);
    header_ = line;
    columns_.names = words_of(header_);
  }

  /// Another table of what ran on the same devices, but perhaps of another operation.
  void begin_table_again() {
    NcclTestsRun next;
    next.version = run_.version;
    next.nccl_version = run_.nccl_version;
    next.gpus_per_process = run_.gpus_per_process;
    next.iterations = run_.iterations;
    next.aggregated = run_.aggregated;
    next.graph_launches = run_.graph_launches;
    next.largest_bytes = run_.largest_bytes;
    next.ranks = run_.ranks;
    next.operation = std::exchange(called_, {});
    next.named_at = called_at_;
    next.place = place();
    begin_run(std::move(next), Stage::devices);
  }

  void read_footer(std::string_view line, const Words& words) {
    const bool bounds = line.starts_with("Out of bounds values"), average = line.starts_with("Avg bus bandwidth");
    if (bounds) run_.out_of_bounds = std::max<std::int64_t>(0, number_after(words, ":", 0));
    run_.concluded = run_.concluded || bounds || average;
    if (line.starts_with("Collective test concluded:") && run_.operation.empty()) {
      run_.operation = operation_of_program(words.back());
      run_.named_at = place();
    }
  }

  void read_row(const Words& words) {
    if (++rows_ > most_rows) too_many("rows", most_rows);
    if (words.size() < columns_.names.size()) {
      run_.cut.push_back(
          {fmt::format("line {}: {} bytes, {}", lines_.number(), words[0], words[2]), "the row is cut off"});
      return;
    }
    bool in_place = false;
    for (std::size_t i = 3; i < columns_.names.size(); ++i) {
      const std::string_view name = columns_.names[i];
      if (name != "time" && name != "cputime") continue;
      run_.results.push_back(result_of(words, i));
      run_.results.back().in_place = in_place;
      in_place = true;
    }
  }

  /// The half of a row whose time is in column `at`.
  NcclTestsResult result_of(const Words& words, std::size_t at) const {
    const auto value = [&](std::string_view name) {
      const auto column = columns_.find(name, at);
      return column ? real_number(words[*column]) : std::nullopt;
    };
    NcclTestsResult out;
    out.bytes = *whole_number(words[0]);
    const auto count = columns_.find("count");
    out.count = count ? whole_number(words[*count]).value_or(0) : 0;
    out.type = words[2];
    const auto reduction = columns_.find("redop"), root = columns_.find("root");
    if (reduction && words[*reduction] != "none") out.reduction = words[*reduction];
    out.rooted = root && whole_number(words[*root]).value_or(-1) >= 0;
    out.cpu_time = columns_.names[at] == "cputime";
    out.time_us = real_number(words[at]).value_or(std::nan(""));
    out.algorithm_gb_per_s = value("algbw").value_or(0);
    out.bus_gb_per_s = value("busbw").value_or(0);
    out.wrong = value("#wrong");
    out.deviation = value("error");
    out.place = place();
    return out;
  }

  void enter(Stage stage) {
    if (stage <= stage_) begin_run({}, Stage::nothing);
    if (stage_ == Stage::nothing) {
      run_.place = place();
      run_.operation = std::exchange(called_, {});
      run_.named_at = called_at_;
    }
    stage_ = stage;
  }

  void begin_run(NcclTestsRun next, Stage stage) {
    close_run();
    run_ = std::move(next);
    stage_ = stage;
    header_.clear();
    columns_.names.clear();
  }

  void close_run() {
    if (stage_ != Stage::nothing) runs_.push_back(std::move(run_));
    if (runs_.size() > most_runs) too_many("runs", most_runs);
  }

  [[noreturn]] void too_many(std::string_view what, std::size_t most) const {
    throw ConfigError({"E0501", fmt::format("more than {} {}", most, what), {place()}, "", "split the log"});
  }

  Place place() const { return {source_, lines_.offset(), std::max<std::size_t>(lines_.length(), 1), ""}; }

  std::shared_ptr<const SourceText> source_;
  LogLines lines_;
  std::vector<NcclTestsRun> runs_;
  NcclTestsRun run_;
  Stage stage_ = Stage::nothing;
  std::size_t rows_ = 0;
  std::string header_;
  Columns columns_;     ///< columns of header_
  std::string called_;  ///< the operation of the last command line
  Place called_at_;
};

}  // namespace

std::vector<NcclTestsRun> nccl_tests_text_runs(const std::shared_ptr<const SourceText>& source) {
  return Reader(source).read();
}

}  // namespace clusterwright
