// SPDX-License-Identifier: Apache-2.0
/// Runs: ops of a rank that follow each other whatever happens around them.
///
/// A run is a stretch of a rank's ops in the order of its host, from a compute op to a compute op. Invariant: each op
/// but the first starts exactly when the one before ends (or when the host issues it). For that,
/// - each op waits for the one before, and whatever else it waits for has ended by then, because a compute op no later
///   than the one before waits for it too;
/// - no op outside could start before the end of the run because an op inside has ended.
///
/// Example: kernels A, C and D on one lane, and a collective X of the rank alone that meets no contention; X waits for
/// A, and C for X. Then A X C D is a run: four ops, one event. If a message to another rank waits for C, the run is cut
/// behind C, because that rank must learn of the end of C at its time. A kernel B that runs beside X ends the run at A.
#pragma once

#include <functional>
#include <span>

#include "sim/step_graph.hpp"

namespace clusterwright::engine {

/// Calls `found` with the ops of each run, two or more.
/// @param allowed  ops that may be part of a run, by OpId
void find_runs(const StepStructure& structure, const IndexedVector<OpId, char>& allowed,
               const std::function<void(std::span<const OpId>)>& found);

}  // namespace clusterwright::engine
