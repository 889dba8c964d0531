/// What fits say of cases that they did not see.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "calibration/validation/case_result.hpp"
#include "calibration/validation/error_figures.hpp"

namespace clusterwright {

/// Errors of cases under fits that did not see them: whole models, sizes, accelerators, sources or generations left
/// out.
struct SplitErrors {
  std::string key;   ///< of `cross_validation`: by_model, by_size, by_accelerator, by_source, by_stack or by_generation
  std::string name;  ///< "training step, model left out"
  std::vector<std::pair<std::size_t, double>> errors;  ///< index of the case, and log(predicted / measured)
  /// Of each error, half of the 90 % interval as a log, and the name of what was left out; empty: not asked.
  std::vector<double> half_widths = {};
  std::vector<std::string> groups = {};
};

/// One line of a cross-validation.
struct LeftOutFigures {
  std::string key;  ///< as in SplitErrors
  ErrorFigures figures;
};

/// All cases of the split, those with every field of the job published, those with something chosen, the mean of the
/// families, and one line for each group. Intervals are judged where the split has them.
std::vector<LeftOutFigures> split_figures(const SplitErrors& split, const std::vector<CaseResult>& results);

}  // namespace clusterwright
