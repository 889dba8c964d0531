// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/import/log_lines.hpp"
#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

namespace {

/// A member that is a text, or empty.
std::string text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value && value->is(JsonKind::text) ? value->as_text() : std::string();
}

std::int64_t integer_of(const JsonValue& object, std::string_view key, std::int64_t fallback) {
  const JsonValue* value = object.find(key);
  return value && value->is(JsonKind::integer) ? value->as_integer() : fallback;
}

/// Numbers that are none are written as texts.
std::optional<double> number_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value && value->is_numeric()) return value->as_number();
  if (value && value->is(JsonKind::text)) return std::nan("");
  return {};
}

/// The list `key` of the object, or of "config" in it: versions differ.
const JsonValue* list_of(const JsonValue& report, std::string_view key) {
  const JsonValue* value = report.find(key);
  const JsonValue* config = report.find("config");
  if (!value && config) value = config->find(key);
  return value && value->is(JsonKind::list) ? value : nullptr;
}

void read_program(const JsonValue& report, NcclTestsRun& run) {
  const JsonValue* arguments = list_of(report, "args");
  if (!arguments) return;
  for (const JsonValue& word : arguments->elements()) {
    if (!word.is(JsonKind::text)) continue;
    run.operation = operation_named_in(word.as_text());
    run.named_at = run.place;  // beside the arguments stands the environment, which nobody should see in an error
    if (!run.operation.empty()) return;
  }
}

void read_configuration(const JsonValue& config, NcclTestsRun& run) {
  run.gpus_per_process = product_of(integer_of(config, "nthreads", 1), integer_of(config, "ngpus", 1));
  run.iterations = bounded_count(integer_of(config, "iterations", 20), 0);
  run.aggregated = bounded_count(integer_of(config, "aggregated_iterations", 1), 0);
  run.graph_launches = bounded_count(integer_of(config, "graph", 0), 0);
  run.largest_bytes = integer_of(config, "maximum_bytes", 0);
}

/// Some versions list one GPU of each process. Then the ranks of two entries lie a process apart.
void read_devices(const JsonValue& devices, NcclTestsRun& run) {
  for (std::size_t i = 0; i < devices.elements().size(); ++i) {
    const JsonValue& device = devices.elements()[i];
    NcclTestsRank rank;
    rank.rank = integer_of(device, "rank", -1);
    rank.group = integer_of(device, "group", 0);
    rank.process = integer_of(device, "pid", 0);
    rank.host = text_of(device, "hostname");
    rank.gpu = device_name(text_of(device, "device_info"));
    rank.place = device.place(fmt::format("/devices/{}", i));
    const bool possible = rank.rank >= 0 && rank.rank <= largest_rank;
    if (possible && !rank.host.empty() && !rank.gpu.empty()) run.ranks->push_back(std::move(rank));
  }
  std::vector<NcclTestsRank>& ranks = *run.ranks;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i].rank != static_cast<std::int64_t>(i) * run.gpus_per_process) return;
  for (NcclTestsRank& rank : ranks) rank.stands_for = run.gpus_per_process;
}

void read_half(const JsonValue& row, const char* key, const std::string& pointer, NcclTestsRun& run) {
  const JsonValue* half = row.find(key);
  if (!half || !half->is(JsonKind::object)) return;
  NcclTestsResult out;
  out.bytes = integer_of(row, "size", 0);
  out.count = integer_of(row, "count", 0);
  out.type = text_of(row, "type");
  out.reduction = text_of(row, "redop");
  if (out.reduction == "none") out.reduction.clear();
  const std::string root = text_of(row, "root");
  const auto words = words_of(root);
  out.rooted = !words.empty() && whole_number(words.front()).value_or(-1) >= 0;
  out.in_place = std::string_view(key) == "in_place";
  out.cpu_time = half->find("time") == nullptr && half->find("cpu_time") != nullptr;
  out.time_us = number_of(*half, out.cpu_time ? "cpu_time" : "time").value_or(std::nan(""));
  out.algorithm_gb_per_s = number_of(*half, "alg_bw").value_or(0);
  out.bus_gb_per_s = number_of(*half, "bus_bw").value_or(0);
  out.wrong = number_of(*half, "nwrong");
  out.place = half->place(pointer + "/" + key);
  run.results.push_back(std::move(out));
}

void read_bounds(const JsonValue& report, NcclTestsRun& run) {
  const JsonValue* bounds = report.find("out_of_bounds");
  run.concluded = bounds != nullptr;
  if (bounds) run.out_of_bounds = std::max<std::int64_t>(0, integer_of(*bounds, "count", 0));
}

/// Error without the text itself, whose beginning may show somebody's environment.
ConfigError no_report(const JsonValue& value) {
  const auto source = std::make_shared<const SourceText>(value.source ? value.source->name() : "report", "");
  return ConfigError({"E0101",
                      "not a report of nccl-tests",
                      {{source, 0, 1, ""}},
                      "",
                      "a report (all_reduce_perf ... -J FILE) has the lists \"devices\" and \"results\""});
}

}  // namespace

NcclTestsRun nccl_tests_json_run(const JsonValue& report) {
  constexpr std::size_t most_rows = 1u << 14;
  const JsonValue* rows = report.is(JsonKind::object) ? list_of(report, "results") : nullptr;
  if (!rows) throw no_report(report);
  if (rows->elements().size() > most_rows)
    throw ConfigError({"E0501", fmt::format("more than {} rows", most_rows), {rows->place("/results")}, "", ""});
  NcclTestsRun run;
  run.place = rows->place("/results");
  run.nccl_version = std::max<std::int64_t>(0, integer_of(report, "nccl_version", 0));
  read_program(report, run);
  if (const JsonValue* config = report.find("config")) read_configuration(*config, run);
  if (const JsonValue* devices = list_of(report, "devices")) read_devices(*devices, run);
  for (std::size_t i = 0; i < rows->elements().size(); ++i)
    for (const char* half : {"out_of_place", "in_place"})
      read_half(rows->elements()[i], half, fmt::format("/results/{}", i), run);
  read_bounds(report, run);
  return run;
}

}  // namespace clusterwright
