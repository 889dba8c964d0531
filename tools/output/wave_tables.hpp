// SPDX-License-Identifier: Apache-2.0
/// Tables and sentences of a job's power over time.
#pragma once

#include <string>
#include <vector>

#include "models/site/wave/job_wave.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// A line for each level from one accelerator to the grid.
ResultTable level_table(const WaveVariant& variant);

/// A line for each variant: what the grid sees, and what it costs.
ResultTable measures_table(const JobWave& wave);

/// A line for each limit of the named utility, or of every known one.
ResultTable limits_table(const JobWave& wave, const std::string& named);

/// A line for each piece of plant.
ResultTable plant_table(const JobWave& wave);

/// The tables in the order in which they are read.
std::vector<ResultTable> wave_tables(const JobWave& wave, const std::string& named);

/// What is shown, what the grid sees, what would flatten it.
std::vector<std::string> wave_sentences(const JobWave& wave);

/// What to do about it.
std::string wave_next_step(const JobWave& wave);

}  // namespace clusterwright
