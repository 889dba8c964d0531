// SPDX-License-Identifier: Apache-2.0
/// Fits to own samples and checks against them, for people and scripts.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Origin of the errors in a table: a fit to these samples, judged on held-out ones, or a prediction with parameters as
/// they stand.
enum class JudgedHow { held_back, as_it_stands };

/// One line per section and class of samples.
ResultTable section_table(const std::vector<SectionFit>& sections, JudgedHow how);

/// The samples that are predicted worst, at most `count`.
ResultTable worst_table(const std::vector<SectionFit>& sections, std::size_t count);

/// Fitted values beside their priors, with one standard deviation, without values that did not change.
ResultTable value_table(const ParameterSet& fitted, const ParameterSet& base);

/// Fit reports that a parameter file carries.
ResultTable report_table(const ParameterSet& set);

/// Errors over measured time, one plot for each section with samples enough to see anything.
std::string section_plots(const std::vector<SectionFit>& sections);

/// Keys: name, state, samples, sizes, median_abs_log, p90_abs_log, bias, coverage, limit, worst[].
JsonValue section_json(const std::vector<SectionFit>& sections);

}  // namespace clusterwright
