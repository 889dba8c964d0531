// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/grid_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/site/plant/site_plan.hpp"
#include "sim/plain_number.hpp"
#include "sim/power_wave.hpp"

namespace clusterwright {

namespace {

std::string megawatts(Watts power) {
  return plain_number(power.in(megawatt), 3) + " MW";
}

std::string seconds(Seconds time) {
  return plain_number(time.in(second), 3) + " s";
}

Watts peak_of(const PowerSignal& signal) {
  return *std::ranges::max_element(signal.watts) * watt;
}

class Judge {
 public:
  Judge(const GridPower& power, const InterconnectionPart& limits) : power_(power), limits_(limits) {}

  std::vector<LimitVerdict> verdicts() {
    if (peak_of(power_.running) < limits_.applies_from.value) return {};
    if (limits_.ramp) change("ramp", std::max(limits_.ramp->value, limits_.ramp_from.value), limits_.ramp_window.value);
    if (limits_.range) change("range", limits_.range->value, limits_.range_window.value);
    if (limits_.band) band();
    return std::move(out_);
  }

 private:
  void change(const std::string& what, Watts allowed, Seconds window) {
    const std::string within = "within " + seconds(window);
    out_.push_back({what + " of steps", change_within(power_.running, window), allowed, within});
    out_.push_back({what + " at the loss of the job", change_within(power_.lost, window), allowed, within});
  }

  void band() {
    const double low = limits_.band_low_hz.value, high = limits_.band_high_hz.value;
    Watts allowed = limits_.band->value;
    if (limits_.band_share) allowed = std::min(allowed, limits_.band_share->value * peak_of(power_.running));
    out_.push_back({"oscillations of steps", band_swing(power_.running, low, high), allowed,
                    fmt::format("from {} to {} Hz", plain_number(low), plain_number(high))});
  }

  const GridPower& power_;
  const InterconnectionPart& limits_;
  std::vector<LimitVerdict> out_;
};

}  // namespace

std::vector<LimitVerdict> judge_interconnection(const GridPower& power, const InterconnectionPart& limits) {
  return Judge(power, limits).verdicts();
}

std::vector<PlantNeed> plant_needs(const PowerSignal& hall, const PowerSignal& grid, const SitePlan& plan,
                                   const std::vector<GeneratorPart>& generators) {
  std::vector<PlantNeed> out;
  const Watts crest = peak_of(hall), step = change_within(hall, ramp_window);
  for (const PowerStageLoad& stage : plan.power_stages) {
    if (stage.kind != PowerStageKind::ups) continue;
    const Watts rating = static_cast<double>(stage.modules) * stage.rating;
    out.push_back({stage.part, rating, step / rating, crest <= rating,
                   fmt::format("planned {} x {}: {:.0f} % loaded at the crest of {}; its battery gives {} kWh a minute",
                               stage.modules, megawatts(stage.rating), 100 * (crest / rating), megawatts(crest),
                               plain_number((crest * (60 * second)).in(joule) / 3.6e6, 3))});
  }
  const Watts site_crest = peak_of(grid), site_step = change_within(grid, ramp_window);
  for (const GeneratorPart& part : generators) {
    const Watts for_step = site_step / part.first_block.value;
    const Watts rating = std::max(site_crest, for_step);
    out.push_back({part.id, rating, site_step / rating, true,
                   fmt::format("{} for the crest; {} for a step of {} at {:.0f} % of its rating; batteries carry {} "
                               "until it starts",
                               megawatts(site_crest), megawatts(for_step), megawatts(site_step),
                               100 * part.first_block.value, seconds(part.start.value))});
  }
  return out;
}

}  // namespace clusterwright
