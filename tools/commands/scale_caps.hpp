// SPDX-License-Identifier: Apache-2.0
/// `scale --power 20MW --caps 100,80,60`: power limits of accelerators at one power of the site.
#pragma once

#include "tools/commands/commands.hpp"

namespace clusterwright {

/// @pre request names a power or caps
ExitCode scale_caps(const ScaleRequest& request);

}  // namespace clusterwright
