/// What fits say of cases that they did not see.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "calibration/validation/validation_result.hpp"

namespace clusterwright {

/// Errors of cases under fits that did not see them: whole models, sizes, accelerators, sources or generations left
/// out.
struct SplitErrors {
  std::string key;   ///< of `cross_validation`: by_model, by_size, by_accelerator, by_source, by_stack or by_generation
  std::string name;  ///< "training step, model left out"
  std::vector<std::pair<std::size_t, double>> errors;  ///< index of the case, and log(predicted / measured)
};

/// One line of a cross-validation.
struct LeftOutFigures {
  std::string key;  ///< as in SplitErrors
  ErrorFigures figures;
};

/// All cases of the split, those with every field of the job published, those with something chosen, and the mean of
/// the families. Intervals are not judged here.
std::vector<LeftOutFigures> split_figures(const SplitErrors& split, const std::vector<CaseResult>& results);

}  // namespace clusterwright
