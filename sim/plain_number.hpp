// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace clusterwright {

/// A number for sentences: at most `digits` significant digits, trailing zeros left out, never in powers of ten:
/// 0.5, 43.2, 20000. Integer digits are never rounded away.
std::string plain_number(double value, int digits = 4);

/// A bound of a field, as exact as it was written: 0.5, 1024, 1000000000000; in powers of ten only beyond 1e21 and
/// below 1e-6, where the digits would be zeros.
std::string bound_text(double bound);

}  // namespace clusterwright
