// SPDX-License-Identifier: Apache-2.0
/// Tasks that this machine can run.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

/// Task of this program on this machine.
struct Ability {
  std::string what;
  Verity possible = Verity::no;
  std::string why;  ///< basis of the task, or the missing part
  std::string how;  ///< command to type; empty if the task is not possible
};

std::vector<Ability> abilities_of(const DoctorFacts& facts);

}  // namespace clusterwright
