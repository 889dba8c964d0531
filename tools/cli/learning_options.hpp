// SPDX-License-Identifier: Apache-2.0
/// Options of the commands that teach: `init`, `schema`, `explain`, `doctor` and `version`.
#pragma once

namespace clusterwright {

struct CommandAdder;

void add_learning_options(CommandAdder& line);

}  // namespace clusterwright
