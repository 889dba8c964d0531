// SPDX-License-Identifier: Apache-2.0
/// Heat map of the links of a step as one HTML page.
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"
#include "tools/output/link_heat.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Utilisation by tier and way: links, mean, busiest, bytes and streams.
ResultTable heat_tier_table(const LinkHeat& heat);

/// The busiest links, those of one tier and way that carry the same together: at most `most` rows.
ResultTable busiest_links_table(const LinkHeat& heat, std::size_t most);

/// Bytes of each stream, and the busiest link under it alone.
ResultTable heat_stream_table(const LinkHeat& heat);

/// Verdict, picture by tier, the busiest links, histograms and streams. No script, no request, everything escaped.
std::string heat_page(const ResultContext& context, const StepPrediction& step, const LinkHeat& heat);

}  // namespace clusterwright
