// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/diagnostic.hpp"

namespace clusterwright {

/// One code has one meaning; `docs/errors.md` lists the same.
struct ErrorCode {
  std::string_view code;
  std::string_view meaning;  ///< what is wrong
  std::string_view remedy;   ///< what to do
};

/// Ascending by code.
std::span<const ErrorCode> error_codes();

/// Whether an error is about a text that was typed or read (E01, E02, E04), and not about the machine or job that it
/// describes.
bool is_of_words(const ConfigError& error);

/// The contents of docs/errors.md.
std::string error_codes_document();

}  // namespace clusterwright
