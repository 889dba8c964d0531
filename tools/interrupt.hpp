// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace clusterwright {

/// Thrown where a computation notices Ctrl-C.
struct Interrupted {};

/// The first Ctrl-C asks the computation to stop after its current point, the second ends the program at once.
void watch_for_interrupt();

/// @throws Interrupted after a Ctrl-C
void stop_if_interrupted();

}  // namespace clusterwright
