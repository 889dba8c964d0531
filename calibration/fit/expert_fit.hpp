/// Fits dispatch and combine of experts.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/collective_fit.hpp"

namespace clusterwright {

/// Rows of dispatch and combine, of all accelerators; sizes count every copy of a token.
std::vector<CollectiveRow> expert_rows(const std::vector<Measurement>& measurements,
                                       const std::vector<AcceleratorPart>& catalog);

/// The curve "expert_exchange": latency of kernels and library, and the share of scale-up links. What NICs reach is the
/// network's.
CollectiveParameters fit_expert_exchange(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                                         const std::string& source);

/// In sample, and with each number of ranks left out in turn.
FitReport expert_report(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                        const CollectiveParameters& fitted);

}  // namespace clusterwright
