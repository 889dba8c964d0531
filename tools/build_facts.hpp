// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace clusterwright {

/// Version and build of this program, as every result states them.
struct BuildFacts {
  std::string_view version;     ///< "0.1.0"
  std::string_view commit;      ///< empty where unknown
  std::string_view compiler;    ///< "GCC 12.2.0"
  std::string_view build_type;  ///< "Release"
};

const BuildFacts& build_facts();

/// Version of the schema of JSON results. Within one version, columns and keys are only added.
inline constexpr int result_schema_version = 1;

}  // namespace clusterwright
