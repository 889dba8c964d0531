// SPDX-License-Identifier: Apache-2.0
/// The doctor's answer, for people and for machines.
#pragma once

#include <string>

#include "sim/json_value.hpp"
#include "tools/doctor/doctor_facts.hpp"
#include "tools/output/output_target.hpp"

namespace clusterwright {

/// {"findings":[...], "gpus":[...], "can":[...]} after what every result starts with.
JsonValue doctor_json(const DoctorFacts& facts);

/// Sections of findings, then what can be done, at most 100 columns wide but for longer words.
std::string doctor_text(const DoctorFacts& facts);

/// The same with purposes and remedies in columns of their own.
std::string doctor_markdown(const DoctorFacts& facts);

}  // namespace clusterwright
