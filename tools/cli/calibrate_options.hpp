// SPDX-License-Identifier: Apache-2.0
/// Options of `calibrate` and its commands.
#pragma once

namespace clusterwright {

struct CommandAdder;

/// Adds `calibrate` with run, fit, show and loop.
void add_calibrate_options(CommandAdder& line);

}  // namespace clusterwright
