// SPDX-License-Identifier: Apache-2.0
#include "tools/output/collective_report.hpp"

#include <fmt/format.h>

#include "tools/output/output_text.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

constexpr long long float_bytes = 4;  // nccl-tests counts floats

/// Column `count` of nccl-tests: elements that one rank contributes, or its own share of a gather.
long long element_count(const CollectiveReport& report, Bytes bytes) {
  const auto elements = static_cast<long long>(bytes.in(byte)) / float_bytes;
  const bool split = report.op == CollectiveOp::all_gather || report.op == CollectiveOp::reduce_scatter ||
                     report.op == CollectiveOp::all_to_all;
  return split ? elements / report.ranks : elements;
}

const char* reduction(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::reduce_scatter ? "sum" : "none";
}

/// Four significant digits, as nccl-tests prints times.
std::string time_text(double us) {
  if (us >= 10000) return fmt::format("{:7.0f}", us);
  if (us >= 1000) return fmt::format("{:7.1f}", us);
  return fmt::format("{:7.2f}", us);
}

}  // namespace

ResultTable collective_table(const CollectiveReport& report) {
  ResultTable table{"",
                    {{"bytes", "Size", "B"},
                     {"count", "Count", ""},
                     {"time_us", "Time", "us", 1, 2},
                     {"algbw_gb_per_s", "Algbw", "GB/s", 1, 2},
                     {"busbw_gb_per_s", "Busbw", "GB/s", 1, 2},
                     {"low_us", "Low", "us", 1, 2},
                     {"high_us", "High", "us", 1, 2},
                     {"algorithm", "Algorithm", "", 1, -1, Alignment::left},
                     {"protocol", "Protocol", "", 1, -1, Alignment::left},
                     {"limit", "Limited by", "", 1, -1, Alignment::left}},
                    {}};
  if (!report.usual_times.empty()) table.columns.push_back({"usual_us", "Default", "us", 1, 2});
  for (const CollectiveAnswer& row : report.rows) {
    table.rows.push_back({static_cast<std::int64_t>(row.bytes.in(byte)),
                          static_cast<std::int64_t>(element_count(report, row.bytes)), row.time.in(microsecond),
                          row.algorithm_bandwidth.in(gigabyte_per_second), row.bus_bandwidth.in(gigabyte_per_second),
                          row.low.in(microsecond), row.high.in(microsecond), std::string(name_of(row.algorithm)),
                          std::string(name_of(row.protocol)), row.limit});
    if (!report.usual_times.empty())
      table.rows.back().push_back(report.usual_times[table.rows.size() - 1].in(microsecond));
  }
  return table;
}

ResultTable busiest_table(const CollectiveReport& report) {
  ResultTable table{"Busiest links at the largest size",
                    {{"link", "Link", "", 1, -1, Alignment::left},
                     {"kind", "Kind", "", 1, -1, Alignment::left},
                     {"share", "Share of the busiest", "%", 100, 0}},
                    {}};
  for (const NamedLink& link : report.busiest) table.rows.push_back({link.name, link.kind, link.share});
  return table;
}

std::string collective_title(const CollectiveReport& report) {
  std::string text =
      fmt::format("{} over {} x {} on {} node{} of {}", name_of(report.op), count_text(report.ranks),
                  report.accelerator, count_text(report.nodes), report.nodes == 1 ? "" : "s", report.cluster);
  if (report.groups > 1) text += fmt::format(", {} groups at once", count_text(report.groups));
  return text;
}

void add_to(JsonValue& document, const CollectiveReport& report) {
  JsonValue rows = JsonValue::list(), links = JsonValue::list();
  for (const CollectiveAnswer& row : report.rows)
    rows.push_back(JsonValue::object({{"bytes", static_cast<std::int64_t>(row.bytes.in(byte))},
                                      {"time_us", row.time.in(microsecond)},
                                      {"low", row.low.in(microsecond)},
                                      {"high", row.high.in(microsecond)},
                                      {"algbw_gb_per_s", row.algorithm_bandwidth.in(gigabyte_per_second)},
                                      {"busbw_gb_per_s", row.bus_bandwidth.in(gigabyte_per_second)},
                                      {"algorithm", std::string(name_of(row.algorithm))},
                                      {"protocol", std::string(name_of(row.protocol))},
                                      {"limit", row.limit}}));
  for (const NamedLink& link : report.busiest)
    links.push_back(JsonValue::object({{"link", link.name}, {"kind", link.kind}, {"share", link.share}}));
  document.set("cluster", report.cluster);
  document.set("accelerator", report.accelerator);
  document.set("op", std::string(name_of(report.op)));
  document.set("ranks", report.ranks);
  document.set("groups", report.groups);
  document.set("nodes", report.nodes);
  document.set("placement", report.placement);
  document.set("over_contiguous", report.over_contiguous ? JsonValue(*report.over_contiguous) : JsonValue());
  document.set("parameters", report.parameters);
  document.set("rows", rows);
  document.set("busiest_links", links);
  document.set("warnings", warnings_json(report.warnings));
}

std::string nccl_tests_columns(const CollectiveReport& report) {
  std::string text =
      "#\n"
      "#                                                              out-of-place                       in-place      "
      "    \n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)   "
      "    \n";
  double sum = 0;
  for (const CollectiveAnswer& row : report.rows) {
    const double bus = row.bus_bandwidth.in(gigabyte_per_second);
    const std::string half = fmt::format("{}  {:6.2f}  {:6.2f}", time_text(row.time.in(microsecond)),
                                         row.algorithm_bandwidth.in(gigabyte_per_second), bus);
    const int root = report.op == CollectiveOp::broadcast ? 0 : -1;
    text += fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:6}  {}      0  {}      0\n",
                        static_cast<long long>(row.bytes.in(byte)), element_count(report, row.bytes), "float",
                        reduction(report.op), root, half, half);
    sum += bus;
  }
  const double mean = report.rows.empty() ? 0 : sum / static_cast<double>(report.rows.size());
  return text + fmt::format("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:g} \n#\n", mean);
}

}  // namespace clusterwright
