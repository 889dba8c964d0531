// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

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

/// Lines of `--help` and `explain exit`.
inline std::string_view exit_codes() {
  return "  0    done\n"
         "  1    the thing asked for is impossible (a plan does not fit, a claim fails)\n"
         "  2    wrong usage or wrong input\n"
         "  3    a comparison or validation found a difference\n"
         "  4    out of memory or disk, or standard output cannot be written\n"
         "  5    something required is not on this machine (calibrate run --require gpu)\n"
         "  70   a bug of the program\n"
         "  130  interrupted with Ctrl-C; points that were finished are written\n";
}

}  // namespace clusterwright
