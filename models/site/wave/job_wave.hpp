// SPDX-License-Identifier: Apache-2.0
/// Power of a job in its hall over minutes: steps, checkpoints, stalls, and the end of the job at once.
///
/// The power of each rank class comes from the replayed step, so pipeline stages keep their own phase. Steps follow
/// each other and are all equally long, jitter included: real ones vary, which lowers each spectral line and adds none.
/// Cooling does not follow within minutes.
/// @source docs/models/wave.md
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/wave/grid_limits.hpp"
#include "models/site/wave/load_wave.hpp"

namespace clusterwright {

struct WaveRequest {
  Seconds length = 120 * second;  ///< at least; long steps lengthen it to three of them
  Seconds stall;                  ///< one pause in which all ranks wait; 0: none
};

/// The wave under one set of measures.
struct WaveVariant {
  std::string name;  ///< "as drawn", "GB300 supply storage"
  LoadWave wave;
  std::array<SignalFigures, wave_level_count> figures;
  std::vector<LimitVerdict> verdicts;  ///< on the utility's limits
  Watts lost_job;                      ///< largest change at the grid within 1 s when the job is lost
};

/// Verdicts of one utility, where the facility names none.
struct UtilityVerdicts {
  std::string utility;
  std::vector<LimitVerdict> verdicts;
};

/// Power from the grid with a name: what the site is planned for, what its utility grants.
struct GridLine {
  std::string name;
  Watts power;
};

struct JobWave {
  Seconds length, every, step;
  int steps = 0, checkpoints = 0;     ///< that begin in it
  bool checkpoint_moved = false;      ///< checkpoints are rarer than the length, and one was put into its middle
  std::vector<WaveVariant> variants;  ///< without measures; then each measure alone, and all together
  std::vector<GridLine> grid_lines;
  FlatStorage flat;                        ///< at the grid, for the wave as drawn
  std::vector<PlantNeed> plant;            ///< under all measures
  std::vector<UtilityVerdicts> utilities;  ///< under all measures; empty where the facility names its own

  const WaveVariant& drawn() const { return variants.front(); }
  const WaveVariant& held() const { return variants.back(); }
};

/// @param step  prediction of the scenario, @param plan  site of that
/// @throws ConfigError E0367 for groups that train apart
JobWave job_wave(const Scenario& scenario, const StepPrediction& step, const SitePlan& plan, const Facility& facility,
                 const Catalog& catalog, const WaveRequest& request);

}  // namespace clusterwright
