// SPDX-License-Identifier: Apache-2.0
/// Options that the words of `compare` mean: scenarios, and all combinations of the values of --vary.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/commands.hpp"

namespace clusterwright {

inline constexpr std::size_t most_options = 26;  // one letter each

/// Value that leaves a field as the scenario states it.
inline constexpr const char* stated_value = "stated";

struct NamedRequest {
  std::string name;  ///< what tells it from the others: "node=B200, taper=2"; the scenario where there are several
  ScenarioRequest request;
};

/// The request once for each combination of the values of --vary, the last one running fastest; alone without any.
/// @param grown  the fabric follows from the nodes, whatever the request's own cluster has
/// @throws ConfigError E0404 as options_of
std::vector<NamedRequest> varied_requests(const NamedRequest& request, const std::vector<std::string>& vary,
                                          bool grown = false);

/// Options in the order of the words, the values of the last --vary running fastest.
/// @throws ConfigError E0404 for a --vary without a path or values, an unknown short name, a field that is also set
///         otherwise, fewer than two options, more than `most_options`
std::vector<NamedRequest> options_of(const CompareRequest& request);

}  // namespace clusterwright
