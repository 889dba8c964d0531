// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace clusterwright {

/// Exit status of the program.
enum class ExitCode {
  ok = 0,
  impossible = 1,       ///< the single thing asked for is impossible, or a stated target is missed
  wrong_input = 2,      ///< wrong usage or input
  differs = 3,          ///< a comparison or validation found a difference
  resource_limit = 4,   ///< out of memory or disk
  missing = 5,          ///< something required is not on this machine
  internal_error = 70,  ///< a fault of the program, also a result that breaks a law of physics or accounting
  interrupted = 130
};

}  // namespace clusterwright
