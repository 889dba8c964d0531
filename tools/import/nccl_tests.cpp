// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/json_reader.hpp"
#include "sim/plain_number.hpp"
#include "tools/import/nccl_tests_json.hpp"
#include "tools/import/nccl_tests_run.hpp"
#include "tools/import/nccl_tests_text.hpp"

namespace clusterwright {

namespace {

/// Zero and empty are "not known": the log lists no devices, or not all of them.
struct NcclTestsLayout {
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t processes = 0;
  std::int64_t groups = 1;      ///< number of groups that ran at once
  std::int64_t not_listed = 0;  ///< number of ranks that the log does not list
  std::string gpu;

  std::int64_t ranks_of_node() const { return nodes > 0 ? ranks / nodes : 0; }
};

/// @param errors  E0340 is added where a rank is listed twice, GPUs differ, or nodes have different numbers of ranks
NcclTestsLayout nccl_tests_layout(const NcclTestsRun& run, std::vector<Diagnostic>& errors);

using Ranks = std::vector<NcclTestsRank>;

void contradiction(std::string message, std::vector<Place> places, std::string help, std::vector<Diagnostic>& errors) {
  errors.push_back({"E0340", std::move(message), std::move(places), "", std::move(help)});
}

/// Copies of one program that do not know each other all call themselves rank 0.
void check_once(const Ranks& ranks, std::vector<Diagnostic>& errors) {
  std::map<std::int64_t, const NcclTestsRank*> seen;
  for (const NcclTestsRank& rank : ranks) {
    const auto [first, fresh] = seen.emplace(rank.rank, &rank);
    if (fresh) continue;
    contradiction(fmt::format("rank {} is listed twice", rank.rank), {rank.place, first->second->place},
                  "programs built without MPI run separately; build nccl-tests with MPI=1", errors);
    return;
  }
}

void check_same_gpu(const Ranks& ranks, std::vector<Diagnostic>& errors) {
  for (const NcclTestsRank& rank : ranks) {
    if (rank.gpu == ranks.front().gpu) continue;
    contradiction(fmt::format("the GPUs differ: \"{}\" and \"{}\"", rank.gpu, ranks.front().gpu),
                  {rank.place, ranks.front().place}, "samples cover one kind of GPU; measure each kind separately",
                  errors);
    return;
  }
}

std::int64_t listed(const Ranks& ranks) {
  std::int64_t sum = 0;
  for (const NcclTestsRank& rank : ranks) sum += rank.stands_for;
  return sum;
}

/// @pre all ranks are listed
void count_nodes(const Ranks& ranks, NcclTestsLayout& layout, std::vector<Diagnostic>& errors) {
  std::map<std::string, std::pair<std::int64_t, const NcclTestsRank*>> hosts;
  std::set<std::pair<std::string, std::int64_t>> processes;
  for (const NcclTestsRank& rank : ranks) {
    auto& [count, first] = hosts[rank.host];
    count += rank.stands_for;
    first = first ? first : &rank;
    processes.insert({rank.host, rank.process});
  }
  layout.nodes = static_cast<std::int64_t>(hosts.size());
  layout.processes = static_cast<std::int64_t>(processes.size());
  const auto& [usual, place] = hosts[ranks.front().host];
  for (const auto& [host, entry] : hosts) {
    if (entry.first == usual) continue;
    contradiction(fmt::format("one node has {} ranks, another has {}", usual, entry.first),
                  {entry.second->place, place->place}, "samples need the same number of ranks on every node", errors);
    return;
  }
}

NcclTestsLayout nccl_tests_layout(const NcclTestsRun& run, std::vector<Diagnostic>& errors) {
  NcclTestsLayout layout;
  const Ranks& ranks = *run.ranks;
  if (ranks.empty()) return layout;
  layout.gpu = ranks.front().gpu;
  std::set<std::int64_t> groups;
  for (const NcclTestsRank& rank : ranks) {
    layout.ranks = std::max(layout.ranks, rank.rank + rank.stands_for);
    groups.insert(rank.group);
  }
  layout.groups = static_cast<std::int64_t>(groups.size());
  layout.not_listed = std::max<std::int64_t>(0, layout.ranks - listed(ranks));
  const std::size_t before = errors.size();
  check_once(ranks, errors);
  check_same_gpu(ranks, errors);
  if (layout.not_listed == 0 && errors.size() == before) count_nodes(ranks, layout, errors);
  return layout;
}

constexpr const char* probe = "collectives";
constexpr std::size_t most_bytes = 64u << 20;

ConfigError option_error(const char* option, const std::string& text, std::string message, std::string help) {
  const auto source = std::make_shared<const SourceText>(option, text);
  return ConfigError(
      {"E0203", std::move(message), {{source, 0, std::max<std::size_t>(text.size(), 1), ""}}, "", std::move(help)});
}

/// 2026-11-21T21:04:06Z
void check_date(const std::string& date) {
  if (date.empty() || is_utc_time(date)) return;  // empty: not known
  throw option_error("--date", date, "must be a UTC time that exists", "write 2026-11-21T21:04:06Z");
}

std::string wanted_operation(const std::string& name) {
  if (name.empty()) return {};
  std::string word = operation_word(name);
  const std::vector<std::string> usual = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                          "send",       "broadcast",  "reduce"};
  if (word.empty())
    throw option_error("--op", name, fmt::format("must be an operation of nccl-tests (got \"{}\")", name),
                       fmt::format("one of {}", fmt::join(usual, ", ")));
  return word;
}

/// Our words for the formats that have another name here.
std::string format_word(const std::string& type) {
  if (type == "float") return "fp32";
  if (type == "half") return "fp16";
  if (type == "bfloat16") return "bf16";
  return type;
}

/// Tolerance of nccl-tests for wrong values.
double allowed_deviation(const std::string& type) {
  if (type == "half" || type == "bfloat16") return 1e-2;
  if (type == "float") return 1e-5;
  return type == "double" ? 1e-12 : 0;
}

std::string words_of_result(const std::string& operation, const NcclTestsResult& result) {
  return fmt::format("{} of {} bytes, {}, {}", operation, result.bytes, format_word(result.type),
                     result.in_place ? "in place" : "out of place");
}

/// Reason that the results count as wrong, or empty.
std::string failure_of(const NcclTestsResult& result) {
  if (result.wrong && *result.wrong > 0) return "wrong values: " + plain_number(*result.wrong, 6);
  if (result.deviation && *result.deviation > allowed_deviation(result.type))
    return fmt::format("results deviate by {:.1e}", *result.deviation);
  return {};
}

/// Reason that the time is not that of single calls, or empty.
std::string unusable(const NcclTestsRun& run, const NcclTestsLayout& layout, std::int64_t launches,
                     const NcclTestsResult& result) {
  if (layout.groups > 1) return fmt::format("{} groups of ranks ran at once", layout.groups);
  if (result.cpu_time) return "the log holds the launch time, not the time of the operation";
  if (run.aggregated > 1) return fmt::format("{} operations were launched as one", run.aggregated);
  if (result.bytes <= 0) return "no bytes";
  constexpr double longest_us = 1e12;
  if (!(result.time_us > 0) || result.time_us > longest_us) return "no time was printed";
  if (launches < static_cast<std::int64_t>(least_repetitions)) return fmt::format("a mean of only {} calls", launches);
  return {};
}

class Collector {
 public:
  explicit Collector(const NcclTestsImport& options) : wanted_(wanted_operation(options.operation)) {
    check_date(options.date);
    out_.date = options.date;
    out_.tool = "nccl-tests";
    out_.device.kind = ProbeDeviceKind::gpu;
  }

  void add(const NcclTestsRun& run) {
    if ((run.results.empty() && run.cut.empty()) || errors_.size() >= ConfigError::limit) return;
    if (run.ranks != ranks_) look_at(run);
    if (!sound_) return;
    if (!run.version.empty()) out_.tool = "nccl-tests " + run.version;
    try {
      const std::string operation = operation_of(run, wanted_, layout_.ranks);
      for (const NcclTestsResult& result : run.results) add_result(run, layout_, operation, result);
      add_gaps(run, layout_, operation);
    } catch (const ConfigError& error) {
      errors_.insert(errors_.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }

  ProbeSamples finish() {
    if (!errors_.empty()) throw ConfigError(errors_);
    return std::move(out_);
  }

 private:
  /// Devices that several runs may share.
  void look_at(const NcclTestsRun& run) {
    const std::size_t before = errors_.size();
    ranks_ = run.ranks;
    layout_ = nccl_tests_layout(run, errors_);
    if (errors_.size() == before) add_device(run, layout_);
    sound_ = errors_.size() == before;
  }

  void add_device(const NcclTestsRun& run, const NcclTestsLayout& layout) {
    if (layout.gpu.empty()) return;
    ProbeDevice& device = out_.device;
    const Place here = run.ranks->front().place;
    if (!device.name.empty() && device.name != layout.gpu)
      errors_.push_back({"E0340",
                         fmt::format("the runs used \"{}\" and \"{}\"", device.name, layout.gpu),
                         {here, device_at_},
                         "",
                         "import the logs of different GPUs separately"});
    device.name = layout.gpu;
    device.gpus_in_node = std::max(device.gpus_in_node, layout.ranks_of_node());
    device_at_ = here;
  }

  void add_result(const NcclTestsRun& run, const NcclTestsLayout& layout, const std::string& operation,
                  const NcclTestsResult& result) {
    const std::int64_t launches = run.iterations * std::max<std::int64_t>(1, run.graph_launches);
    const std::string words = words_of_result(operation, result);
    if (const std::string why = failure_of(result); !why.empty()) {
      out_.failed.push_back({probe, words, why});
      return;
    }
    if (const std::string why = unusable(run, layout, launches, result); !why.empty()) {
      out_.skipped.push_back({probe, words, why});
      return;
    }
    if (const std::string why = contradiction_in(operation, layout.ranks, result); !why.empty()) {
      contradiction(why, {result.place}, "a row of nccl-tests agrees with itself: take the log again", errors_);
      return;
    }
    ProbeSample sample;
    sample.what = what_of(run, layout, operation, result);
    sample.bytes = static_cast<double>(result.bytes) * byte;
    sample.repetitions = {result.time_us * microsecond};
    sample.launches = launches;
    sample.clock = "host";
    out_.samples.push_back(std::move(sample));
  }

  static ProbedCollective what_of(const NcclTestsRun& run, const NcclTestsLayout& layout, const std::string& operation,
                                  const NcclTestsResult& result) {
    ProbedCollective what;
    what.operation = operation;
    what.bytes = result.bytes;
    what.dtype = format_word(result.type);
    what.ranks = layout.nodes > 0 ? layout.ranks : 0;  // on how many nodes decides what they mean
    what.nodes = layout.nodes;
    what.processes = layout.processes;
    what.in_place = result.in_place;
    what.nccl_version = run.nccl_version;
    return what;
  }

  /// Notes on the whole run, and on gaps of the log.
  void add_gaps(const NcclTestsRun& run, const NcclTestsLayout& layout, const std::string& operation) {
    std::int64_t largest = 0, wrong = 0;
    for (const NcclTestsResult& result : run.results) {
      largest = std::max(largest, result.bytes);
      wrong += failure_of(result).empty() ? 0 : 1;
    }
    for (const NcclTestsCutRow& row : run.cut) out_.skipped.push_back({probe, operation + ", " + row.what, row.reason});
    if (layout.ranks == 0)
      out_.skipped.push_back({probe, operation, "the log lists no devices: ranks and nodes are not known"});
    if (layout.not_listed > 0)
      out_.skipped.push_back({probe, operation,
                              fmt::format("the log lists {} of {} ranks: nodes are not known",
                                          layout.ranks - layout.not_listed, layout.ranks)});
    if (!run.concluded) out_.skipped.push_back({probe, operation, end_of_log(run, largest)});
    if (run.out_of_bounds > 0 && wrong == 0)
      out_.failed.push_back(
          {probe, operation,
           fmt::format("{} values out of bounds, in rows that the log does not name", run.out_of_bounds)});
  }

  static std::string end_of_log(const NcclTestsRun& run, std::int64_t largest) {
    if (run.largest_bytes > largest)
      return fmt::format("the log ends at {} bytes; {} were requested", largest, run.largest_bytes);
    return "the log ends before its summary";
  }

  std::string wanted_;
  ProbeSamples out_;
  Place device_at_;
  std::shared_ptr<std::vector<NcclTestsRank>> ranks_;  ///< those that layout_ is of
  NcclTestsLayout layout_;
  bool sound_ = false;
  std::vector<Diagnostic> errors_;
};

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

std::vector<NcclTestsRun> runs_of(const std::shared_ptr<const SourceText>& source) {
  if (!is_json(source->text())) return nccl_tests_text_runs(source);
  std::vector<NcclTestsRun> runs;
  runs.push_back(nccl_tests_json_run(read_json(source, measurement_limits)));
  return runs;
}

ConfigError no_rows(const std::shared_ptr<const SourceText>& source, const std::vector<NcclTestsRun>& runs) {
  const Place place = runs.empty() ? Place{source, 0, 1, ""} : runs.front().place;
  return ConfigError(
      {"E0101",
       "no results of nccl-tests found",
       {place},
       "",
       "a log has the line \"# size count type redop root time algbw busbw #wrong ...\" and, below it, rows "
       "such as \"8 2 float sum -1 12.5 0.00 0.00 0 ...\""});
}

}  // namespace

ProbeSamples read_nccl_tests(const std::shared_ptr<const SourceText>& source, const NcclTestsImport& options) {
  Collector collector(options);
  const std::vector<NcclTestsRun> runs = runs_of(source);
  const auto has_rows = [](const NcclTestsRun& run) { return !run.results.empty() || !run.cut.empty(); };
  if (std::none_of(runs.begin(), runs.end(), has_rows)) throw no_rows(source, runs);
  for (const NcclTestsRun& run : runs) collector.add(run);
  return collector.finish();
}

ProbeSamples read_nccl_tests(const std::filesystem::path& path, const NcclTestsImport& options) {
  return read_nccl_tests(read_source(path, most_bytes, Quoting::any), options);
}

}  // namespace clusterwright
