// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace clusterwright {

struct CommandAdder;

/// Commands that hold options beside each other.
void add_comparing(CommandAdder& line);

}  // namespace clusterwright
