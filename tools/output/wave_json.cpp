// SPDX-License-Identifier: Apache-2.0
#include "tools/output/wave_json.hpp"

namespace clusterwright {

namespace {

JsonValue figures_json(const SignalFigures& figures) {
  JsonValue lines = JsonValue::list();
  for (const SpectralLine& line : figures.lines)
    lines.push_back(JsonValue::object({{"hertz", line.hertz}, {"swing_kw", line.swing.in(kilowatt)}}));
  return JsonValue::object({{"mean_kw", figures.mean.in(kilowatt)},
                            {"peak_kw", figures.peak.in(kilowatt)},
                            {"trough_kw", figures.trough.in(kilowatt)},
                            {"swing_kw", figures.swing().in(kilowatt)},
                            {"ramp_kw_per_s", figures.ramp.in(kilowatt)},
                            {"band_kw", figures.band.in(kilowatt)},
                            {"band_share", figures.band_share},
                            {"lines", std::move(lines)}});
}

JsonValue verdicts_json(const std::vector<LimitVerdict>& verdicts) {
  JsonValue list = JsonValue::list();
  for (const LimitVerdict& verdict : verdicts)
    list.push_back(JsonValue::object({{"limit", verdict.what},
                                      {"where", verdict.where},
                                      {"found_kw", verdict.found.in(kilowatt)},
                                      {"allowed_kw", verdict.allowed.in(kilowatt)},
                                      {"holds", verdict.holds()}}));
  return list;
}

JsonValue variant_json(const WaveVariant& variant) {
  JsonValue levels = JsonValue::object({});
  for (std::size_t i = 0; i < wave_level_count; ++i)
    levels.set(std::string(wave_level_names[i]), figures_json(variant.figures[i]));
  const WavePrice& price = variant.wave.price;
  return JsonValue::object({{"measures", variant.name},
                            {"levels", std::move(levels)},
                            {"lost_job_kw", variant.lost_job.in(kilowatt)},
                            {"energy_added", price.added},
                            {"energy_lost_in_storage", price.lost},
                            {"work_delayed", price.delayed},
                            {"limits", verdicts_json(variant.verdicts)}});
}

JsonValue plant_json(const std::vector<PlantNeed>& plant) {
  JsonValue list = JsonValue::list();
  for (const PlantNeed& need : plant)
    list.push_back(JsonValue::object({{"part", need.what},
                                      {"rating_kw", need.rating.in(kilowatt)},
                                      {"step_share", need.step},
                                      {"holds", need.holds},
                                      {"arithmetic", need.arithmetic}}));
  return list;
}

}  // namespace

JsonValue wave_to_json(const WaveAnswer& answer) {
  const JobWave& wave = answer.wave;
  JsonValue document = result_header("wave", answer.context.seed, answer.context.inputs);
  document.set("scenario", answer.context.scenario);
  document.set("gpus", answer.step.accelerators);
  document.set("step_time_s", answer.step.step_time.in(second));
  document.set("length_s", wave.length.in(second));
  document.set("sample_s", wave.every.in(second));
  document.set("steps", wave.steps);
  document.set("checkpoints", wave.checkpoints);
  JsonValue variants = JsonValue::list();
  for (const WaveVariant& variant : wave.variants) variants.push_back(variant_json(variant));
  document.set("variants", std::move(variants));
  document.set("flat_storage", JsonValue::object({{"power_kw", wave.flat.power.in(kilowatt)},
                                                  {"energy_kj", wave.flat.energy.in(joule) / 1e3}}));
  JsonValue utilities = JsonValue::list();
  for (const UtilityVerdicts& utility : wave.utilities)
    utilities.push_back(JsonValue::object({{"utility", utility.utility}, {"limits", verdicts_json(utility.verdicts)}}));
  document.set("utilities", std::move(utilities));
  document.set("plant", plant_json(wave.plant));
  document.set("warnings", warnings_json(wave_warnings(answer)));
  return document;
}

}  // namespace clusterwright
