// SPDX-License-Identifier: Apache-2.0
#include "tools/build_facts.hpp"

#ifndef CLUSTERWRIGHT_VERSION
#define CLUSTERWRIGHT_VERSION "0.0.0"
#define CLUSTERWRIGHT_COMMIT ""
#define CLUSTERWRIGHT_BUILD_TYPE ""
#endif

namespace clusterwright {

const BuildFacts& build_facts() {
#ifdef __clang__
  static constexpr BuildFacts facts{CLUSTERWRIGHT_VERSION, CLUSTERWRIGHT_COMMIT, "Clang " __clang_version__,
                                    CLUSTERWRIGHT_BUILD_TYPE};
#else
  static constexpr BuildFacts facts{CLUSTERWRIGHT_VERSION, CLUSTERWRIGHT_COMMIT, "GCC " __VERSION__,
                                    CLUSTERWRIGHT_BUILD_TYPE};
#endif
  return facts;
}

}  // namespace clusterwright
