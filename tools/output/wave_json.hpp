// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/output/wave_report.hpp"

namespace clusterwright {

/// Figures of every level and variant, verdicts and plant; samples are in the CSV.
JsonValue wave_to_json(const WaveAnswer& answer);

}  // namespace clusterwright
