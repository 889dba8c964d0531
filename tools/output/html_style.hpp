#pragma once

#include <string_view>

namespace clusterwright {

/// The style sheet of reports: light, dark and print from one set of custom properties; no address in it.
std::string_view html_style();

}  // namespace clusterwright
