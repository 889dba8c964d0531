// SPDX-License-Identifier: Apache-2.0
/// A job under another layout, as its user would state it.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/search/layout.hpp"

namespace clusterwright {

/// Job under a layout; fields that `given` leaves open stay open.
Job changed_job(const Job& given, const Layout& layout);

/// Settings that turn `given` into the layout where it states something else, as --set takes them.
std::vector<std::string> settings_to(const Scenario& given, const Layout& layout);

}  // namespace clusterwright
