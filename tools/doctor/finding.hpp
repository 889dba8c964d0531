// SPDX-License-Identifier: Apache-2.0
/// Findings of the doctor, one line each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/doctor/doctor_facts.hpp"

namespace clusterwright {

enum class Verity { no, partly, yes };

/// "no", "partly", "yes".
std::string_view word(Verity verity);

struct Finding {
  std::string section;  ///< "GPU software"
  std::string name;     ///< "NCCL"
  Verity found = Verity::no;
  std::string detail;   ///< detail, such as a version: "2.27.3"
  std::string purpose;  ///< purpose as a noun: "collectives in gpu_probe"
  std::string remedy;   ///< remedy; empty if nothing is missing
};

/// All findings, section by section in the order in which they are shown.
std::vector<Finding> findings_of(const DoctorFacts& facts);

}  // namespace clusterwright
