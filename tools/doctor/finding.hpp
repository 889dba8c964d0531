/// What the doctor says, one line each.
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
  std::string detail;   ///< what was found: "2.27.3"
  std::string purpose;  ///< what it is for, as a noun: "collectives in gpu_probe"
  std::string remedy;   ///< what to do to get it; empty if nothing is amiss
};

/// Something that can be done with this program here.
struct Ability {
  std::string what;
  Verity possible = Verity::no;
  std::string why;  ///< what it rests on, or what is missing
  std::string how;  ///< the command to type; empty if it is not possible
};

/// In the order in which they are shown.
std::vector<Finding> program_findings(const DoctorFacts& facts);
std::vector<Finding> host_findings(const DoctorFacts& facts);
std::vector<Finding> gpu_findings(const DoctorFacts& facts);
std::vector<Finding> software_findings(const DoctorFacts& facts);
std::vector<Finding> network_findings(const DoctorFacts& facts);

/// All of them, section by section.
std::vector<Finding> findings_of(const DoctorFacts& facts);

std::vector<Ability> abilities_of(const DoctorFacts& facts);

}  // namespace clusterwright
