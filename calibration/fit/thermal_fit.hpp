/// Heat of one accelerator from a load that was switched on, held and switched off.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Temperature = inlet + fast_resistance x power + slow part, which follows (resistance - fast_resistance) x power with
/// the time constant capacity x (resistance - fast_resistance): a die follows at once, its heat sink over a minute.
/// Fitted to the traces of idle, ramp and cool-down, one after the other as they were taken.
/// @return nothing without a minute of temperatures and watts in all, or with one that moves less than 5 C
std::optional<ThermalParameters> fit_thermal(const std::vector<ProbeSamples>& all, const std::string& source);

/// Temperatures (C) at the times of a trace that starts in balance at its first power. @param t_s, power_w  equally
/// long
std::vector<double> predicted_temperatures(const ThermalParameters& parameters, const std::vector<double>& t_s,
                                           const std::vector<double>& power_w);

}  // namespace clusterwright
