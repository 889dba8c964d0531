// SPDX-License-Identifier: Apache-2.0
/// Standard input, output and error of the program, any of which may be closed or full.
#pragma once

#include <string_view>

namespace clusterwright {

/// Occupies the numbers of closed standard streams, so that no file that is opened later takes their place: a message
/// must not get into a result. Reading from or writing to a stream that was closed still fails.
void occupy_closed_streams();

/// Writes to standard error and never fails: whoever closed it wants no messages, and the exit code says the rest.
/// Nothing else in the program writes to standard error.
void write_error(std::string_view text) noexcept;

}  // namespace clusterwright
