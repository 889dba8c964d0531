// SPDX-License-Identifier: Apache-2.0
/// Pieces of pages that answer a scenario.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// @param above, charts  HTML
std::string html_figure(const std::string& above, const std::string& charts, std::string_view caption);

/// A table under a class of the style sheet: "wrap" for long texts, "files" for names and fingerprints.
std::string styled_table(const ResultTable& table, std::string_view style);

/// Sentences at the top of a page, the last of which says what to do next.
/// @param bad  the first one is bad news
std::string html_verdict(const std::vector<std::string>& sentences, bool bad);

/// Files with fingerprints, and the effective scenario.
std::string inputs_section(const ResultContext& context);

/// Version, seed and the command to repeat.
std::string repeat_footer(const ResultContext& context);

}  // namespace clusterwright
