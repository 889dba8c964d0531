// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace clusterwright::probes {

struct Options {
  bool full = false;              // --suite full
  std::vector<std::string> only;  // empty: all probes
  double minutes = 0;             // 0: 10 for quick, 60 for full
  int device = 0;
  std::uint64_t seed = 1;
  std::string out;  // empty: standard output
  bool list = false;
  bool help = false;
  int rank = 0, ranks = 1;  // of a process that the collectives probe starts; in no help text

  const char* suite() const { return full ? "full" : "quick"; }
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @throws UsageError for an unknown option, a missing value or a value out of range
Options parse_options(int argc, char** argv);

const char* usage_text();

}  // namespace clusterwright::probes
