// SPDX-License-Identifier: Apache-2.0
/// Work and waits of each device of a replayed step, as its governor sees them.
#pragma once

#include "models/settling/governor.hpp"
#include "models/settling/step_view.hpp"

namespace clusterwright {

/// Time of the work of each rank class under its power limit. A pass counts as one op: what alternates inside does so
/// within milliseconds. Waits inside a pass that are longer than the window count as one window.
IndexedVector<RankClassId, GovernedTime> governed_times(const StepView& step);

/// Likewise of a step that continues `longer` by `repeats` times what it has more than `shorter` (steady_state.hpp).
IndexedVector<RankClassId, GovernedTime> governed_times(const StepView& shorter, const StepView& longer,
                                                        double repeats);

}  // namespace clusterwright
