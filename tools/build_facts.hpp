// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace clusterwright {

/// What this program was built from and how; the same in every result it writes.
struct BuildFacts {
  std::string_view version;     ///< "0.1.0"
  std::string_view commit;      ///< empty where unknown
  std::string_view compiler;    ///< "GCC 12.2.0"
  std::string_view build_type;  ///< "Release"
};

const BuildFacts& build_facts();

/// Of JSON results; columns and keys are only ever added within one number.
inline constexpr int result_schema_version = 1;

}  // namespace clusterwright
