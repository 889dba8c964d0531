// SPDX-License-Identifier: Apache-2.0
/// Answer of the doctor, for people and for machines: findings, and tasks that this machine can run.
#pragma once

#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "tools/doctor/doctor_facts.hpp"
#include "tools/doctor/finding.hpp"
#include "tools/output/output_target.hpp"

namespace clusterwright {

/// Task of this program on this machine.
struct Ability {
  std::string what;
  Verity possible = Verity::no;
  std::string why;  ///< basis of the task, or the missing part
  std::string how;  ///< command to type; empty if the task is not possible
};

std::vector<Ability> abilities_of(const DoctorFacts& facts);

/// {"findings":[...], "gpus":[...], "can":[...]} after what every result starts with.
JsonValue doctor_json(const DoctorFacts& facts);

/// Sections of findings, then what can be done, at most 100 columns wide but for longer words.
std::string doctor_text(const DoctorFacts& facts);

/// Findings with purposes and remedies in columns of their own, then tasks.
std::string doctor_markdown(const DoctorFacts& facts);

}  // namespace clusterwright
