// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// One self-contained page: verdict, charts, tables, assumptions and inputs. No script, no request, everything escaped.
/// A curve of `run` has one point and gets no efficiency chart.
std::string html_report(const ResultContext& context, const ScaleCurve& curve);

}  // namespace clusterwright
