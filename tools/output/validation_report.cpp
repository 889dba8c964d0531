#include "tools/output/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/build_facts.hpp"

namespace clusterwright {

namespace {

constexpr std::array<const char*, 4> status_names = {"ok", "unsupported", "infeasible", "error"};

const char* status_of(const CaseResult& result) {
  return status_names[static_cast<std::size_t>(result.status)];
}

JsonValue numbers(const std::vector<double>& values, bool is_list) {
  if (!is_list) return values.empty() ? JsonValue() : JsonValue(values.front());
  JsonValue list = JsonValue::list();
  for (const double value : values) list.push_back(value);
  return list;
}

JsonValue case_json(const CaseResult& result) {
  JsonValue out = JsonValue::object({{"id", result.id}, {"status", status_of(result)}});
  if (result.status == CaseStatus::ok) {
    out.set("predicted", numbers(result.predicted, result.is_list));
    out.set("unit", result.unit);
    out.set("low", numbers(result.low, result.is_list));
    out.set("high", numbers(result.high, result.is_list));
  }
  out.set("reason", result.reason);
  return out;
}

JsonValue figures_json(const ErrorFigures& figures) {
  return JsonValue::object({{"name", figures.name},
                            {"n", figures.n},
                            {"coverage", figures.coverage},
                            {"median_abs_log", figures.median_abs_log},
                            {"p90_abs_log", figures.p90_abs_log},
                            {"bias", figures.bias},
                            {"within_10_percent", figures.within_10_percent},
                            {"in_interval", figures.in_interval},
                            {"median_half_width", figures.median_half_width}});
}

JsonValue figures_list(const std::vector<ErrorFigures>& all) {
  JsonValue list = JsonValue::list();
  for (const ErrorFigures& one : all) list.push_back(figures_json(one));
  return list;
}

/// What was left out belongs under the key of the target that it is held against.
JsonValue cross_json(const std::vector<ErrorFigures>& cross) {
  std::vector<ErrorFigures> by_size, by_accelerator;
  for (const ErrorFigures& one : cross) (one.name.starts_with("rank count") ? by_size : by_accelerator).push_back(one);
  return JsonValue::object({{"by_model", JsonValue::list()},
                            {"by_size", figures_list(by_size)},
                            {"by_accelerator", figures_list(by_accelerator)}});
}

Column percent(std::string key, std::string title) {
  return {std::move(key), std::move(title), "%", 100, 1};
}

struct Worst {
  double error;
  const CaseResult* result;
  std::size_t point;
};

std::vector<Worst> worst_points(const ValidationReport& report) {
  std::vector<Worst> out;
  for (const CaseResult& result : report.results)
    for (std::size_t i = 0; result.scored && i < result.predicted.size(); ++i)
      out.push_back({std::log(result.predicted[i] / result.measured[i]), &result, i});
  std::stable_sort(out.begin(), out.end(),
                   [](const Worst& a, const Worst& b) { return std::abs(a.error) > std::abs(b.error); });
  return out;
}

}  // namespace

JsonValue validation_json(const ValidationReport& report, JsonValue header) {
  JsonValue results = JsonValue::list();
  for (const CaseResult& result : report.results) results.push_back(case_json(result));
  header.set("schema", 1);
  header.set("simulator", fmt::format("clusterwright {}", build_facts().version));
  header.set("results", results);
  header.set("families", figures_list(report.families));
  header.set("overall", figures_json(report.overall));
  header.set("cross_validation", report.cross ? cross_json(*report.cross) : JsonValue());
  header.set("baseline_constant", nullptr);
  header.set("parameters_used", report.parameters_used);
  return header;
}

ResultTable family_table(const ValidationReport& report) {
  ResultTable table{"Predicted against measured, by family: errors are |log(predicted / measured)|",
                    {{"family", "Family", "", 1, -1, Alignment::left},
                     {"n", "Scored", ""},
                     percent("coverage", "Predicted"),
                     percent("median_abs_log", "Median"),
                     percent("p90_abs_log", "90th"),
                     percent("bias", "Bias"),
                     percent("in_interval", "In interval"),
                     percent("median_half_width", "Half-width")},
                    {}};
  std::vector<ErrorFigures> lines = report.families;
  lines.push_back(report.overall);
  for (const ErrorFigures& f : lines)
    table.rows.push_back(
        {f.name, f.n, f.coverage, f.median_abs_log, f.p90_abs_log, f.bias, f.in_interval, f.median_half_width});
  return table;
}

ResultTable cross_table(const ValidationReport& report) {
  ResultTable table{"Fitted without what is predicted",
                    {{"left_out", "Left out", "", 1, -1, Alignment::left},
                     {"n", "Points", ""},
                     percent("median_abs_log", "Median"),
                     percent("p90_abs_log", "90th"),
                     percent("bias", "Bias")},
                    {}};
  for (const ErrorFigures& f : *report.cross)
    table.rows.push_back({f.name, f.n, f.median_abs_log, f.p90_abs_log, f.bias});
  return table;
}

ResultTable worst_table(const ValidationReport& report, std::size_t top) {
  ResultTable table{"Largest errors",
                    {{"id", "Case", "", 1, -1, Alignment::left},
                     {"point", "Point", ""},
                     {"measured", "Measured", ""},
                     {"predicted", "Predicted", ""},
                     percent("error", "log error")},
                    {}};
  for (const Worst& one : worst_points(report)) {
    if (table.rows.size() == top) break;
    table.rows.push_back({one.result->id, static_cast<std::int64_t>(one.point), one.result->measured[one.point],
                          one.result->predicted[one.point], one.error});
  }
  return table;
}

ResultTable case_table(const ValidationReport& report) {
  ResultTable table{"",
                    {{"id", "Case", ""},
                     {"family", "Family", ""},
                     {"status", "Status", ""},
                     {"point", "Point", ""},
                     {"measured", "Measured", ""},
                     {"predicted", "Predicted", ""},
                     {"low", "Low", ""},
                     {"high", "High", ""},
                     {"unit", "Unit", ""}},
                    {}};
  for (const CaseResult& r : report.results) {
    if (r.predicted.empty()) table.rows.push_back({r.id, r.family, status_of(r), {}, {}, {}, {}, {}, r.unit});
    for (std::size_t i = 0; i < r.predicted.size(); ++i)
      table.rows.push_back({r.id, r.family, status_of(r), static_cast<std::int64_t>(i), r.measured[i], r.predicted[i],
                            r.low[i], r.high[i], r.unit});
  }
  return table;
}

}  // namespace clusterwright
