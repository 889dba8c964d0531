// SPDX-License-Identifier: Apache-2.0
/// Choice of the fitted parameters of an accelerator: one rule for every command.
///
/// A part takes the set that was fitted for it, else one that names it as a sibling, else the generic set. A part that
/// is described as `like` another one takes the set of that part.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/job/parameters.hpp"
#include "sim/diagnostic.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Id under which an accelerator was measured: its own, or that of the part that it is like.
const std::string& measured_id(const AcceleratorPart& part);

/// Distance of two data sheets: root of the summed squares of the logarithms of the ratios of 16-bit peak, memory
/// bandwidth, rated power and scale-up bandwidth; 0 for equal ones.
double data_sheet_distance(const AcceleratorPart& a, const AcceleratorPart& b);

/// These four numbers of `part` where they differ from those of `parent`, for readers: "power 411 W (700)".
std::string data_sheet_differences(const AcceleratorPart& part, const AcceleratorPart& parent);

/// How closely a set belongs to an accelerator, in rising order.
enum class SetClaim { none, generic, sibling, own };
SetClaim claim(const ParameterSet& set, const std::string& accelerator);

/// Set with the closest claim, or nullptr.
const ParameterSet* closest_set(const std::vector<ParameterSet>& sets, const std::string& accelerator);

/// File of the closest set in configs/parameters.
/// @throws ConfigError E0315 if the data sheet lacks a value that shares refer to
std::filesystem::path parameter_file(const AcceleratorPart& part);

/// Refuses a set that was fitted for another accelerator. Own fits of the accelerator whose shipped set serves `part`
/// may serve it too. @param place  of the name of the file; without a source for an option
/// @throws ConfigError E0340
void check_serves(const ParameterSet& set, const AcceleratorPart& part, const Place& place);
void check_serves(const CollectiveSet& set, const AcceleratorPart& part, const Place& place);

}  // namespace clusterwright
