// SPDX-License-Identifier: Apache-2.0
/// Tasks that this machine can run.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

/// Something that can be done with this program here.
struct Ability {
  std::string what;
  Verity possible = Verity::no;
  std::string why;  ///< what it rests on, or what is missing
  std::string how;  ///< the command to type; empty if it is not possible
};

std::vector<Ability> abilities_of(const DoctorFacts& facts);

}  // namespace clusterwright
