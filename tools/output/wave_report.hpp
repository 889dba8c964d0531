// SPDX-License-Identifier: Apache-2.0
/// Answer of `wave` in every format.
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"
#include "models/site/wave/job_wave.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

struct WaveAnswer {
  const ResultContext& context;
  const StepPrediction& step;
  const JobWave& wave;
  const StabilizationSpec& stabilization;
};

std::string render_wave(OutputFormat format, const WaveAnswer& answer);

/// Warnings about the input and the step, and what the wave does not know.
Warnings wave_warnings(const WaveAnswer& answer);

/// Whether the limits of the named utility hold; true where none is named.
bool holds(const JobWave& wave);

}  // namespace clusterwright
