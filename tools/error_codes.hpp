// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clusterwright {

/// One code has one meaning; `docs/errors.md` lists the same.
struct ErrorCode {
  std::string_view code;
  std::string_view meaning;  ///< what is wrong
  std::string_view remedy;   ///< what to do
};

/// Ascending by code.
std::span<const ErrorCode> error_codes();

/// The contents of docs/errors.md.
std::string error_codes_document();

}  // namespace clusterwright
