// SPDX-License-Identifier: Apache-2.0
/// Objects laid over those of a base file, and settings of single elements of lists that the base file gives.
///
/// A setting such as "facility.power.stages.1.redundancy=2n" is made before anybody knows which file gives the list:
/// another setting may still name it, or the nodes choose it. Until then a list without elements holds the changes, as
/// members named by the index that they change.
#pragma once

#include <cstddef>
#include <string>

#include "sim/json_value.hpp"

namespace clusterwright {

/// Whether a list holds changes of an inherited list instead of elements.
bool holds_changes(const JsonValue& list);

/// Changes of one element of an inherited list, added if there are none yet.
/// @param place  where the index was written
JsonValue& changes_of_element(JsonValue& list, std::size_t index, const Place& place);

/// `own` over `base`: objects are joined field by field, changes of a list are applied to it, all else is replaced.
/// @throws ConfigError E0402 for changes of an element that the list of `base` lacks
JsonValue laid_over(JsonValue own, JsonValue base);

/// @throws ConfigError E0402 if changes of lists are left that no base file gives
void refuse_open_changes(const JsonValue& value);

/// @throws ConfigError E0402: a list of `size` elements has none with this index, which was written at `place`
[[noreturn]] void refuse_element(const std::string& index, std::size_t size, const Place& place);

}  // namespace clusterwright
