// SPDX-License-Identifier: Apache-2.0
/// Decisions of the program that a result reports.
#pragma once

#include <string>

namespace clusterwright {

/// Something that the user did not say and the program decided, or a number that carries the answer.
struct Assumption {
  std::string what;    ///< "virtual pipeline stages"
  std::string value;   ///< "8"
  std::string origin;  ///< "default", "fit", "data sheet", "measurement", "user"
  std::string why;     ///< "not given: the largest that divides"
};

}  // namespace clusterwright
