// SPDX-License-Identifier: Apache-2.0
#include "tools/output/calibration_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/field_table.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

struct PlotPoint {
  double x = 0, y = 0;
};

struct TextPlot {
  std::string title, x_label, y_label;
  std::vector<PlotPoint> points;
  double y_most = 0.3;  ///< the vertical axis goes from -y_most to y_most; what lies beyond is drawn at the edge
  double band = 0;      ///< dashed lines at +- band; 0: none
  int width = 64, height = 11;
};

/// x is logarithmic, and must be positive. Cells with 1, 2 to 4, and more points are "." "o" "#".
std::string render_plot(const TextPlot& plot);

/// Powers of ten, in letters that stand behind a number: 1.2M.
std::string short_number(double value) {
  constexpr const char* letters[] = {"", "k", "M", "G", "T", "P"};
  int step = 0;
  for (; value >= 1000 && step < 5; ++step) value /= 1000;
  return significant_text(value, 2) + letters[step];
}

class Canvas {
 public:
  explicit Canvas(const TextPlot& plot) : plot_(plot), counts_(cells(plot), 0) {
    if (plot.points.empty()) return;
    const auto [low, high] =
        std::minmax_element(plot.points.begin(), plot.points.end(), [](auto a, auto b) { return a.x < b.x; });
    low_ = low->x;
    high_ = std::max(high->x, low->x * 1.001);
    for (const PlotPoint& point : plot.points) ++counts_[cell(column(point.x), row(point.y))];
  }

  std::string text() const {
    std::string out = plot_.title + "\n";
    for (int r = 0; r < plot_.height; ++r) out += line(r);
    const std::string left = short_number(low_), right = short_number(high_);
    const int gap = std::max(1, plot_.width - static_cast<int>(left.size() + right.size()));
    return out + fmt::format("{:>8}{}{:>{}}{}  {}\n", "", left, "", gap, right, plot_.x_label);
  }

 private:
  static std::size_t cells(const TextPlot& plot) {
    return static_cast<std::size_t>(plot.width) * static_cast<std::size_t>(plot.height);
  }
  std::size_t cell(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(plot_.width) + static_cast<std::size_t>(column);
  }
  int column(double x) const {
    const double share = std::log(x / low_) / std::log(high_ / low_);
    return std::clamp(static_cast<int>(share * (plot_.width - 1) + 0.5), 0, plot_.width - 1);
  }
  int row(double y) const {
    const double share = (plot_.y_most - y) / (2 * plot_.y_most);
    return std::clamp(static_cast<int>(std::floor(share * (plot_.height - 1) + 0.5)), 0, plot_.height - 1);
  }

  char mark(int column_at, int row_at) const {
    const int count = counts_[cell(column_at, row_at)];
    if (count > 4) return '#';
    if (count > 1) return 'o';
    if (count == 1) return '.';
    if (row_at == row(0)) return '-';
    const bool edge =
        plot_.band > 0 && plot_.band < plot_.y_most && (row_at == row(plot_.band) || row_at == row(-plot_.band));
    return edge && column_at % 4 == 0 ? '-' : ' ';
  }

  std::string line(int r) const {
    const double y = plot_.y_most * (1 - 2.0 * r / (plot_.height - 1));
    const bool labelled = r == 0 || r == plot_.height - 1 || r == (plot_.height - 1) / 2;
    std::string out = labelled ? fmt::format("{:>+6.0f}% ", 100 * y) : "        ";
    for (int c = 0; c < plot_.width; ++c) out += mark(c, r);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + (r == 0 ? "  " + plot_.y_label : "") + "\n";
  }

  const TextPlot& plot_;
  std::vector<int> counts_;
  double low_ = 1, high_ = 10;
};

std::string render_plot(const TextPlot& plot) {
  return Canvas(plot).text();
}

constexpr std::size_t enough_to_plot = 8;
constexpr std::size_t worst_in_json = 5;

std::string state_text(const SectionFit& section, JudgedHow how) {
  if (how == JudgedHow::as_it_stands) return "";
  switch (section.state) {
    case SectionState::fitted:
      return "fitted";
    case SectionState::too_few:
      return fmt::format("too few: {} samples of {} sizes; base values kept", section.samples, section.sizes);
    case SectionState::checked:
      return "predicted, nothing fitted";
    default:
      return fmt::format("poor: above {}; refused", percent_text(section.limit, 0));
  }
}

/// Mean of log(predicted / measured).
double bias_of(const SectionFit& section) {
  double sum = 0;
  for (const SampleResidual& one : section.residuals) sum += one.error;
  return section.residuals.empty() ? 0 : sum / static_cast<double>(section.residuals.size());
}

std::vector<const SampleResidual*> by_error(const std::vector<SectionFit>& sections) {
  std::vector<const SampleResidual*> all;
  for (const SectionFit& section : sections)
    for (const SampleResidual& one : section.residuals) all.push_back(&one);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto* a, const auto* b) { return std::abs(a->error) > std::abs(b->error); });
  return all;
}

/// Every fitted number of a record: path, value, standard deviation.
void add_values(const JsonValue& fitted, const JsonValue* base, const std::string& path, ResultTable& table) {
  if (!fitted.is(JsonKind::object)) return;
  const JsonValue* value = fitted.find("value");
  if (!value) {
    for (const auto& [key, member] : fitted.members())
      add_values(member, base && base->is(JsonKind::object) ? base->find(key) : nullptr,
                 path.empty() ? key : path + "." + key, table);
    return;
  }
  if (!value->is_numeric()) return;
  const JsonValue* before = base && base->is(JsonKind::object) ? base->find("value") : nullptr;
  const JsonValue* error = fitted.find("std_error");
  const JsonValue* source = fitted.find("source");
  const bool same = before && before->is_numeric() && before->as_number() == value->as_number();
  if (same || !source || source->as_text().find("own samples") == std::string::npos) return;
  table.rows.push_back({path, value->as_number(), error ? Cell(error->as_number()) : Cell(),
                        before ? Cell(before->as_number()) : Cell()});
}

}  // namespace

ResultTable section_table(const std::vector<SectionFit>& sections, JudgedHow how) {
  const bool held = how == JudgedHow::held_back;
  ResultTable table{held ? "Sections, judged on held-out samples" : "Predicted against measured samples",
                    {words_column("section", "Section"),
                     {"samples", "Samples", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("p90_abs_log", "90th"),
                     percent_column("coverage", "In 90 % band")},
                    {}};
  if (held) table.columns.push_back(words_column("state", "State"));
  for (const SectionFit& section : sections) {
    bool first = true;
    for (const FitReport& report : section.reports) {
      table.rows.push_back({report.name, report.rows, report.held_out_median_abs_log, report.held_out_p90_abs_log,
                            first ? Cell(section.coverage) : Cell("")});
      if (held) table.rows.back().push_back(first ? state_text(section, how) : "");
      first = false;
    }
  }
  return table;
}

ResultTable worst_table(const std::vector<SectionFit>& sections, std::size_t count) {
  ResultTable table{"Worst samples",
                    {words_column("section", "Section"),
                     words_column("what", "What"),
                     {"measured_us", "Measured", "us"},
                     {"predicted_us", "Predicted", "us"},
                     percent_column("error", "Error")},
                    {}};
  for (const SampleResidual* one : by_error(sections)) {
    if (table.rows.size() >= count) break;
    const bool timed = one->measured > Seconds{};
    table.rows.push_back({one->section, one->what, timed ? Cell(one->measured.in(microsecond)) : Cell(),
                          timed ? Cell(one->predicted().in(microsecond)) : Cell(), std::expm1(one->error)});
  }
  return table;
}

ResultTable value_table(const ParameterSet& fitted, const ParameterSet& base) {
  ResultTable table{
      "Fitted values",
      {words_column("path", "Value"), {"value", "Own", ""}, {"std_error", "+-", ""}, {"before", "Before", ""}},
      {}};
  const JsonValue before = encode_record(base);
  add_values(encode_record(fitted), &before, "", table);
  return table;
}

ResultTable report_table(const ParameterSet& set) {
  ResultTable table{"Fits of this file",
                    {words_column("fit", "Fit"),
                     {"rows", "Points", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("left_out_median_abs_log", "Held out"),
                     percent_column("left_out_p90_abs_log", "90th"),
                     words_column("rows_from", "From")},
                    {}};
  for (const FitReport& fit : set.fits)
    table.rows.push_back(
        {fit.name, fit.rows, fit.median_abs_log, fit.held_out_median_abs_log, fit.held_out_p90_abs_log, fit.rows_from});
  return table;
}

std::string section_plots(const std::vector<SectionFit>& sections) {
  std::string out;
  for (const SectionFit& section : sections) {
    TextPlot plot{section.name, "measured, us", "predicted over measured", {}};
    std::vector<double> widths;
    for (const SampleResidual& one : section.residuals) {
      if (one.measured <= Seconds{}) continue;
      plot.points.push_back({one.measured.in(microsecond), std::expm1(one.error)});
      widths.push_back(one.half_width);
    }
    if (plot.points.size() < enough_to_plot) continue;
    std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
    plot.band = std::expm1(widths[widths.size() / 2]);
    out += render_plot(plot) + "\n";
  }
  return out;
}

JsonValue section_json(const std::vector<SectionFit>& sections) {
  JsonValue list = JsonValue::list();
  for (const SectionFit& section : sections) {
    JsonValue worst = JsonValue::list();
    const std::vector<SectionFit> alone = {section};
    for (const SampleResidual* one : by_error(alone)) {
      if (worst.elements().size() >= worst_in_json) break;
      worst.push_back(JsonValue::object({{"what", one->what},
                                         {"measured_us", one->measured.in(microsecond)},
                                         {"error", one->error},
                                         {"inside", one->inside()}}));
    }
    constexpr const char* states[] = {"fitted", "too_few", "poor", "checked"};
    const bool any = !section.reports.empty();
    list.push_back(JsonValue::object(
        {{"name", section.name},
         {"state", states[static_cast<std::size_t>(section.state)]},
         {"samples", static_cast<std::int64_t>(section.samples)},
         {"sizes", static_cast<std::int64_t>(section.sizes)},
         {"median_abs_log", any ? JsonValue(section.reports.front().held_out_median_abs_log) : JsonValue()},
         {"p90_abs_log", any ? JsonValue(section.reports.front().held_out_p90_abs_log) : JsonValue()},
         {"bias", bias_of(section)},
         {"coverage", section.coverage},
         {"limit", section.limit},
         {"worst", std::move(worst)}}));
  }
  return list;
}

}  // namespace clusterwright
