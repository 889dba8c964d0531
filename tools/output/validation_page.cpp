// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "calibration/validation/error_figures.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/validation_charts.hpp"
#include "tools/output/validation_tables.hpp"

namespace clusterwright {

namespace {

/// Families with a scored prediction, in the order of the report.
std::vector<const ErrorFigures*> predicted_families(const ValidationReport& report) {
  std::vector<const ErrorFigures*> out;
  for (const ErrorFigures& family : report.summary.families)
    if (family.coverage > 0) out.push_back(&family);
  return out;
}

std::vector<std::string> verdict(const ValidationReport& report) {
  const ErrorFigures& all = report.summary.overall;
  const ErrorFigures& mean = report.summary.mean_of_families;
  const ConstantBaseline& baseline = report.summary.baseline;
  std::vector<std::string> out;
  if (report.interrupted) out.push_back("Interrupted: cases are missing, and the figures are those of the others.");
  if (all.coverage <= 0) return {"None of these cases can be predicted yet."};
  out.push_back(fmt::format("{} of {} scored cases have a prediction: median error {}, 90th percentile {}.",
                            count_text(predicted_cases(report)), count_text(all.n), percent_text(all.median_abs_log),
                            percent_text(all.p90_abs_log)));
  out.push_back(
      fmt::format("{} of measured values lie inside the predicted 90 % interval.", percent_text(all.in_interval, 0)));
  out.push_back(
      fmt::format("With families weighted equally, the mean median error is {} and the mean 90th percentile {}.",
                  percent_text(mean.median_abs_log), percent_text(mean.p90_abs_log)));
  if (baseline.ratio > 0)
    out.push_back(
        fmt::format("One constant per accelerator and precision, fitted to the same steps, has a median error of {}; "
                    "the model has {}.",
                    percent_text(baseline.constant.median_abs_log), percent_text(baseline.model.median_abs_log)));
  out.push_back(parameters_sentence(report));
  return out;
}

std::string tiles(const ValidationReport& report) {
  const ErrorFigures& all = report.summary.overall;
  const auto share = [](double value, int decimals) { return fixed_text(100 * value, decimals); };
  return "<dl class=\"tiles\">\n" +
         html_tile("Median error", share(all.median_abs_log, 1), "%",
                   fmt::format("bias {} %", fixed_text(100 * all.bias, 1))) +
         html_tile("90th percentile", share(all.p90_abs_log, 1), "%",
                   fmt::format("{} within 10 %", percent_text(all.within_10_percent, 0))) +
         html_tile("Predicted", share(all.coverage, 0), "%", fmt::format("of {} scored cases", count_text(all.n))) +
         html_tile("In the interval", share(all.in_interval, 0), "%",
                   fmt::format("median half-width {}", percent_text(all.median_half_width, 0))) +
         "</dl>\n";
}

std::string header(const ValidationReport& report) {
  return fmt::format("<header>\n<p class=\"kind\">Validation</p>\n<h1>Predicted against measured</h1>\n{}{}</header>\n",
                     html_verdict(verdict(report), false), tiles(report));
}

/// Name of a kind of cases on the page.
std::string people_kind(const std::string& kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> names = {
      {{"training_step", "Training steps"},
       {"gemm", "GEMMs"},
       {"collective", "Collectives"},
       {"memory_bandwidth", "Memory bandwidth"},
       {"attention", "Attention"},
       {"memory_footprint", "Device memory"},
       {"power", "Node power"}}};
  for (const auto& [name, people] : names)
    if (name == kind) return std::string(people);
  return kind;
}

/// Points that share an axis: one kind and unit.
struct Scatter {
  std::string kind;
  std::vector<std::string> families;  ///< families, indexed by group of the points
  ScatterChart chart;
};

std::size_t index_of(const std::string& family, std::vector<std::string>& families) {
  const auto at = std::find(families.begin(), families.end(), family);
  if (at == families.end()) families.push_back(family);
  return static_cast<std::size_t>(std::find(families.begin(), families.end(), family) - families.begin());
}

Scatter& scatter_of(const CaseResult& r, std::vector<Scatter>& all) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Scatter& one) { return one.kind == r.kind && one.chart.unit == r.unit; });
  if (at != all.end()) return *at;
  all.push_back({r.kind, {}, {{}, r.unit, {}}});
  return all.back();
}

std::vector<Scatter> scatters(const ValidationReport& report) {
  std::vector<Scatter> out;
  for (const CaseResult& r : report.results) {
    if (!r.scored || !is_valid(r)) continue;
    Scatter& scatter = scatter_of(r, out);
    const std::size_t group = index_of(r.family, scatter.families);
    for (std::size_t i = 0; i < r.predicted.size(); ++i) {
      const double error = std::log(r.predicted[i] / r.measured[i]);
      scatter.chart.points.push_back(
          {r.measured[i], r.predicted[i], group,
           fmt::format("{} ({}): measured {}, predicted {} {}, error {:+.1f} %", r.id, r.family,
                       significant_text(r.measured[i]), significant_text(r.predicted[i]), r.unit, 100 * error)});
    }
  }
  constexpr std::size_t few = 6;  // points that a table shows as well
  std::erase_if(out, [](const Scatter& one) { return one.chart.points.size() < few; });
  return out;
}

std::string legend(const Scatter& scatter) {
  std::string items;
  for (std::size_t i = 0; i < scatter.families.size(); ++i)
    items += fmt::format("<li>{}{}</li>\n", mark_svg(i), html_text(scatter.families[i]));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

std::string scatter_section(const Scatter& scatter, std::size_t number) {
  ScatterChart chart = scatter.chart;
  const auto near = std::count_if(chart.points.begin(), chart.points.end(), [](const ScatterPoint& point) {
    return std::abs(std::log(point.predicted / point.measured)) <= std::log(1.1);
  });
  const std::string title = fmt::format("{}, {}", people_kind(scatter.kind), chart.unit);
  chart.text = {fmt::format("scatter-{}", number), title + ": predicted against measured",
                fmt::format("{} of {} points lie within 10 % of the measured value.", count_text(near),
                            count_text(static_cast<long long>(chart.points.size())))};
  return html_section(
      title, "",
      html_figure(legend(scatter), both_widths(chart, scatter_svg),
                  chart.text.description + " The band is 10 % on either side; hover over a point for its case."));
}

std::string scatter_sections(const ValidationReport& report) {
  std::string out;
  std::size_t number = 0;
  for (const Scatter& scatter : scatters(report)) out += scatter_section(scatter, number++);
  return out;
}

/// Quantiles of the errors of a family.
ErrorBox box_of(const ValidationReport& report, const ErrorFigures& family) {
  std::vector<Weighted> errors;
  for (const CaseResult& r : report.results)
    if (r.scored && r.family == family.name && is_valid(r))
      for (std::size_t i = 0; i < r.predicted.size(); ++i)
        errors.push_back({std::log(r.predicted[i] / r.measured[i]), 1.0 / static_cast<double>(r.predicted.size())});
  const auto at = [&](double share) { return weighted_quantile(errors, share); };
  return {family.name, at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)};
}

std::string error_section(const ValidationReport& report) {
  ErrorBoxChart chart{{"errors", "Errors by family", "Median, quartiles, and 5th to 95th percentile of the errors."},
                      {}};
  for (const ErrorFigures* family : predicted_families(report)) chart.boxes.push_back(box_of(report, *family));
  if (chart.boxes.empty()) return {};
  return html_section("Errors by family", "log(predicted / measured): above zero the prediction is too high.",
                      html_figure("", both_widths(chart, error_boxes_svg),
                                  "Boxes span the middle half of the errors, lines the 5th to 95th percentile; the "
                                  "stroke is the median, also given at "
                                  "the right. Errors beyond 50 % are drawn at the edge.") +
                          render_html(family_table(report)));
}

std::string interval_section(const ValidationReport& report) {
  ShareChart chart{{"intervals", "Measured values inside the predicted interval", ""}, 0.85, 0.95, {}};
  int short_of = 0;
  for (const ErrorFigures* family : predicted_families(report)) {
    chart.bars.push_back({family->name, family->in_interval});
    short_of += family->in_interval < chart.from;
  }
  if (chart.bars.empty()) return {};
  chart.text.description =
      fmt::format("{} of {} families have fewer than 85 % of their values inside.", short_of, chart.bars.size());
  return html_section("Coverage of the intervals",
                      "A 90 % interval should hold 85 to 95 of 100 measured values, between the two lines.",
                      html_figure("", both_widths(chart, shares_svg), chart.text.description));
}

std::string table_sections(const ValidationReport& report) {
  std::string out;
  for (const ResultTable& table : validation_tables(report)) {
    if (table.columns.front().key == "family" && table.columns.size() > 6) continue;  // stands below its chart
    out += html_section(table.title, "", render_html(table));
  }
  const std::string inputs = styled_table(inputs_table(report.inputs), "files");
  return out + html_section("Inputs", "Files that the result depends on, with their fingerprints.", inputs);
}

}  // namespace

std::string validation_page(const ValidationReport& report, const std::string& command_line) {
  const std::string body = header(report) + scatter_sections(report) + error_section(report) +
                           interval_section(report) + table_sections(report);
  return html_page("Validation", validation_style(), body, repeat_footer(command_line, ""));
}

}  // namespace clusterwright
