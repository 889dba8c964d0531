// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace clusterwright {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace clusterwright
