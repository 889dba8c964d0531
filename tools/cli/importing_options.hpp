// SPDX-License-Identifier: Apache-2.0
/// Options of `import` and its subcommands.
#pragma once

namespace clusterwright {

struct CommandAdder;

void add_importing_options(CommandAdder& line);

}  // namespace clusterwright
