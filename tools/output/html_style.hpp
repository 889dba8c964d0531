// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace clusterwright {

/// Style sheet of reports, report.css: light, dark and print from one set of custom properties, without any address.
///
/// Colours of causes follow Okabe and Ito (distinct for every common kind of colour blindness), in four families:
/// computing is blue, communication warm, waiting green, the host and the power limit grey.
std::string_view html_style();

}  // namespace clusterwright
