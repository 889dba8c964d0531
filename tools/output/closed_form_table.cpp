// SPDX-License-Identifier: Apache-2.0
#include "tools/output/closed_form_table.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// Line of the same split and name; nullptr if there is none.
const ErrorFigures* counterpart(const HeldOutFigures& line, const std::vector<HeldOutFigures>& others) {
  const auto at = std::find_if(others.begin(), others.end(), [&](const HeldOutFigures& one) {
    return one.key == line.key && one.figures.name == line.figures.name;
  });
  return at == others.end() ? nullptr : &at->figures;
}

std::vector<Cell> comparison_cells(const std::string& name, const ErrorFigures& model, const ErrorFigures& closed_form,
                                   const ErrorFigures& constant) {
  const double own = closed_form.median_abs_log;
  return {name,
          model.n,
          model.median_abs_log,
          model.p90_abs_log,
          own,
          closed_form.p90_abs_log,
          constant.median_abs_log,
          constant.p90_abs_log,
          own > 0 ? Cell(model.median_abs_log / own) : Cell()};
}

void add_held_out_rows(const ValidationReport& report, ResultTable& table) {
  const HeldOutBaselines& baselines = report.cross_baselines;
  for (const HeldOutFigures& line : baselines.closed_form) {
    const ErrorFigures* model = counterpart(line, *report.cross);
    const ErrorFigures* constant = counterpart(line, baselines.constant);
    if (model && constant && line.figures.n > 0)
      table.rows.push_back(comparison_cells(line.figures.name, *model, line.figures, *constant));
  }
}

}  // namespace

ResultTable closed_form_table(const ValidationReport& report) {
  ResultTable table{"Compared with a closed form and with constants, on the same training steps",
                    {words_column("steps", "Steps"),
                     {"n", "Rows", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("p90_abs_log", "90th"),
                     percent_column("closed_form_median_abs_log", "Closed form: median"),
                     percent_column("closed_form_p90_abs_log", "Closed form: 90th"),
                     percent_column("constant_median_abs_log", "Constant: median"),
                     percent_column("constant_p90_abs_log", "Constant: 90th"),
                     {"ratio", "Ratio", "", 1, 2}},
                    {}};
  const ClosedFormBaseline& baseline = report.summary.closed_form;
  const ConstantBaseline& constant = report.summary.baseline;
  if (baseline.families.empty()) return table;
  table.rows.push_back(comparison_cells("in sample", baseline.all.model, baseline.all.closed_form, constant.all));
  table.rows.push_back(comparison_cells("in sample, mean of families", baseline.mean.model, baseline.mean.closed_form,
                                        constant.constant));
  if (report.cross) add_held_out_rows(report, table);
  return table;
}

}  // namespace clusterwright
