// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace clusterwright {

template <class T>
class Record;  // field_table.hpp

/// Number with its origin and uncertainty.
template <class T>
struct Sourced {
  T value{};
  std::string source = "default";
  bool verified = false;  ///< a person has seen it in the source
  double std_error = 0;   ///< one standard deviation, in the unit of the key; 0 where unknown
};

}  // namespace clusterwright
