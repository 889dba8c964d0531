// SPDX-License-Identifier: Apache-2.0
#include "tools/output/wave_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/output/fact_table.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

const SignalFigures& at_grid(const WaveVariant& variant) {
  return variant.figures[static_cast<std::size_t>(WaveLevel::grid)];
}

std::string energy(Joules joules) {
  const double megajoules = joules.in(joule) / 1e6;
  return megajoules >= 3600 ? significant_text(megajoules / 3600, 3) + " MWh" : significant_text(megajoules, 3) + " MJ";
}

std::string line_text(const SpectralLine& line) {
  return fmt::format("{} Hz: {}", significant_text(line.hertz, 3), power_text(line.swing));
}

std::string lines_text(const std::vector<SpectralLine>& lines) {
  std::string text;
  for (const SpectralLine& line : lines) text += (text.empty() ? "" : "; ") + line_text(line);
  return text.empty() ? "none" : text;
}

Column kilowatt_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), "kW", 1e-3, -1};
}

std::vector<Cell> limit_row(const std::string& utility, const LimitVerdict& verdict, std::string judged) {
  return {utility,          verdict.what, verdict.where, watts_cell(verdict.found), watts_cell(verdict.allowed),
          std::move(judged)};
}

/// The limit that is nearest to what was found, or furthest below it.
std::vector<Cell> tightest_row(const UtilityVerdicts& utility) {
  if (utility.verdicts.empty()) return {utility.utility, "none for a site of this size", "", {}, {}, "holds"};
  const auto tightest =
      std::ranges::max_element(utility.verdicts, {}, [](const LimitVerdict& v) { return v.found / v.allowed; });
  const auto failing = std::ranges::count(utility.verdicts, false, &LimitVerdict::holds);
  return limit_row(utility.utility, *tightest,
                   failing == 0 ? "holds" : fmt::format("{} of {} fail", failing, utility.verdicts.size()));
}

}  // namespace

ResultTable level_table(const WaveVariant& variant) {
  ResultTable table{"Power, " + variant.name,
                    {words_column("level", "Level"), kilowatt_column("mean_w", "Mean"),
                     kilowatt_column("peak_w", "Peak"), kilowatt_column("trough_w", "Trough"),
                     kilowatt_column("swing_w", "Swing"), kilowatt_column("ramp_w", "Within 1 s"),
                     kilowatt_column("band_w", "0.1 to 20 Hz"), words_column("lines", "Strongest, peak to peak")},
                    {}};
  for (std::size_t i = 0; i < wave_level_count; ++i) {
    const SignalFigures& f = variant.figures[i];
    table.rows.push_back({wave_level_names[i], watts_cell(f.mean), watts_cell(f.peak), watts_cell(f.trough),
                          watts_cell(f.swing()), watts_cell(f.ramp), watts_cell(f.band), lines_text(f.lines)});
  }
  return table;
}

ResultTable measures_table(const JobWave& wave) {
  ResultTable table{"Measures, at the grid",
                    {words_column("measures", "Measures"), kilowatt_column("swing_w", "Swing"),
                     kilowatt_column("ramp_w", "Within 1 s"), kilowatt_column("band_w", "0.1 to 20 Hz"),
                     kilowatt_column("lost_job_w", "Lost job, 1 s"), percent_column("energy_added", "More energy"),
                     percent_column("work_delayed", "Work delayed")},
                    {}};
  for (const WaveVariant& variant : wave.variants) {
    const SignalFigures& grid = at_grid(variant);
    const WavePrice& price = variant.wave.price;
    table.rows.push_back({variant.name, watts_cell(grid.swing()), watts_cell(grid.ramp), watts_cell(grid.band),
                          watts_cell(variant.lost_job), price.added + price.lost, price.delayed});
  }
  return table;
}

ResultTable limits_table(const JobWave& wave, const std::string& named) {
  ResultTable table{
      named.empty() ? "What utilities allow (none is named: --utility)" : "What the utility allows",
      {words_column("utility", "Utility"), words_column("limit", named.empty() ? "Tightest limit" : "Limit"),
       words_column("where", "Where"), kilowatt_column("found_w", "Found"), kilowatt_column("allowed_w", "Allowed"),
       words_column("verdict", "Verdict")},
      {}};
  for (const LimitVerdict& verdict : wave.held().verdicts)
    table.rows.push_back(limit_row(named, verdict, verdict.holds() ? "holds" : "fails"));
  for (const UtilityVerdicts& utility : wave.utilities) table.rows.push_back(tightest_row(utility));
  return table;
}

ResultTable plant_table(const JobWave& wave) {
  ResultTable table{"Plant under this load",
                    {words_column("part", "Plant"), kilowatt_column("rating_w", "Rating"),
                     percent_column("step", "Step in 1 s"), words_column("arithmetic", "Why")},
                    {}};
  for (const PlantNeed& need : wave.plant)
    table.rows.push_back({need.what, watts_cell(need.rating), need.step, need.arithmetic});
  return table;
}

std::vector<ResultTable> wave_tables(const JobWave& wave, const std::string& named) {
  std::vector<ResultTable> tables = {level_table(wave.drawn())};
  if (wave.variants.size() > 1) {
    tables.push_back(level_table(wave.held()));
    tables.push_back(measures_table(wave));
  }
  tables.push_back(limits_table(wave, named));
  tables.push_back(plant_table(wave));
  return tables;
}

std::vector<std::string> wave_sentences(const JobWave& wave) {
  const SignalFigures& grid = at_grid(wave.drawn());
  std::string seen =
      fmt::format("{} s with {} steps", significant_text(wave.length.in(second), 4), count_text(wave.steps));
  if (wave.checkpoints > 0)
    seen += fmt::format(" and {} {}{}", wave.checkpoints, wave.checkpoints == 1 ? "checkpoint" : "checkpoints",
                        wave.checkpoint_moved ? ", put into its middle" : "");
  std::vector<std::string> out = {fmt::format(
      "The grid sees {} in the mean and a swing of {} ({}), {} of it within 1 s, over {}.", power_text(grid.mean),
      power_text(grid.swing()), percent_text(grid.swing() / grid.mean, 0), power_text(grid.ramp), seen)};
  out.push_back(fmt::format("{} of the energy of all oscillations lies between 0.1 and 20 Hz, strongest at {}.",
                            percent_text(grid.band_share, 0), lines_text(grid.lines)));
  out.push_back(fmt::format("A storage of {} and {} would make it flat. A lost job takes {} off the grid within 1 s.",
                            power_text(wave.flat.power), energy(wave.flat.energy), power_text(wave.drawn().lost_job)));
  return out;
}

std::string wave_next_step(const JobWave& wave) {
  const auto& verdicts = wave.held().verdicts;
  const auto failing = std::ranges::find(verdicts, false, &LimitVerdict::holds);
  if (failing != verdicts.end())
    return fmt::format("{} fails ({} {}, {} allowed): add storage with --storage, or a floor with --floor",
                       failing->what, power_text(failing->found), failing->where, power_text(failing->allowed));
  if (verdicts.empty()) return "name the limits of your utility with --utility, or see what --storage and --floor do";
  return "ask the utility to confirm its limits; sources stand in `catalog interconnections`";
}

}  // namespace clusterwright
