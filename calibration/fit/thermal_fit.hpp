// SPDX-License-Identifier: Apache-2.0
/// Fits the heat of one accelerator to a load that was switched on, held and switched off.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Thermal parameters from the traces of idle, ramp and cool-down, in the order they were taken.
///
///   temperature = inlet + fast_resistance * power + slow part
///
/// The slow part follows (resistance - fast_resistance) * power with the time constant capacity * (resistance -
/// fast_resistance): a die follows at once, its heat sink over a minute.
/// @return nothing if there is less than a minute of temperatures and watts, or if they move by less than 5 C
std::optional<ThermalParameters> fit_thermal(const std::vector<ProbeSamples>& all, const std::string& source);

/// Temperatures (C) over a trace that starts in balance at its first power. @pre t_s and power_w have one length
std::vector<double> predicted_temperatures(const ThermalParameters& parameters, const std::vector<double>& t_s,
                                           const std::vector<double>& power_w);

}  // namespace clusterwright
