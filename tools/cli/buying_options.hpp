// SPDX-License-Identifier: Apache-2.0
/// Options of `plan`.
#pragma once

namespace clusterwright {

struct CommandAdder;

void add_buying(CommandAdder& line);

}  // namespace clusterwright
