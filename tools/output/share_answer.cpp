// SPDX-License-Identifier: Apache-2.0
#include "tools/output/share_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/plain_number.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

constexpr int digits_of_limit = 6;  // limits are whole hundredths of a watt
constexpr std::array<std::string_view, 4> division_names = {"by_job", "proportional", "equal", "fewer_nodes"};

std::string name_of(PowerDivision division) {
  return std::string(division_names[static_cast<std::size_t>(division)]);
}

double all_useful(const ShareAnswer& answer) {
  double sum = 0;
  for (const PowerCurve& curve : answer.shared.curves) sum += curve.weight * curve.accelerators;
  return sum;
}

std::vector<Cell> row_of(const ShareAnswer& answer, const DividedPower& division, std::size_t job) {
  const JobShare& share = division.jobs[job];
  const StepPrediction& step = share.held.step;
  return {name_of(division.division),
          answer.jobs[job].name,
          step.accelerators,
          share.limit ? Cell(share.limit->in(watt)) : Cell(),
          share.drawn.in(kilowatt),
          share.held.plan.mean.facility.in(kilowatt),
          step.step_time.in(second),
          step.tokens_per_second,
          share.speed,
          step.power.energy_per_token.in(joule)};
}

/// Divisions of limits, and that with nodes switched off.
std::vector<const DividedPower*> every_division(const ShareAnswer& answer) {
  std::vector<const DividedPower*> out;
  for (const DividedPower& division : answer.shared.divisions) out.push_back(&division);
  if (answer.shared.fewer) out.push_back(&*answer.shared.fewer);
  return out;
}

const DividedPower& best_division(const ShareAnswer& answer) {
  const auto useful = [](const DividedPower* division) { return division->useful; };
  const std::vector<const DividedPower*> divisions = every_division(answer);
  return **std::ranges::max_element(divisions, {}, useful);
}

std::string useful_words(const ShareAnswer& answer, const DividedPower& division) {
  return fmt::format("{} of {}", count_text(std::llround(division.useful)),
                     count_text(std::llround(all_useful(answer))));
}

bool weighted(const ShareAnswer& answer) {
  return std::ranges::any_of(answer.shared.curves, [](const PowerCurve& curve) { return curve.weight != 1; });
}

JsonValue share_json(const ShareAnswer& answer, const DividedPower& division, std::size_t job) {
  const JobShare& share = division.jobs[job];
  return JsonValue::object({{"job", answer.jobs[job].name},
                            {"budget_kw", share.budget.in(kilowatt)},
                            {"limit_w", share.limit ? JsonValue(share.limit->in(watt)) : JsonValue()},
                            {"drawn_kw", share.drawn.in(kilowatt)},
                            {"facility_kw_mean", share.held.plan.mean.facility.in(kilowatt)},
                            {"speed", share.speed},
                            {"step", step_to_json(share.held.step)}});
}

JsonValue division_json(const ShareAnswer& answer, const DividedPower& division) {
  JsonValue jobs = JsonValue::list();
  for (std::size_t job = 0; job < answer.jobs.size(); ++job) jobs.push_back(share_json(answer, division, job));
  return JsonValue::object(
      {{"division", name_of(division.division)}, {"useful_gpus", division.useful}, {"jobs", jobs}});
}

JsonValue curve_json(const ShareAnswer& answer, std::size_t job) {
  const PowerCurve& curve = answer.shared.curves[job];
  JsonValue points = JsonValue::list();
  for (const PowerPoint& point : curve.points)
    points.push_back(JsonValue::object(
        {{"limit_w", point.limit.in(watt)}, {"drawn_kw", point.drawn.in(kilowatt)}, {"speed", point.speed}}));
  return JsonValue::object({{"job", answer.jobs[job].name},
                            {"gpus", curve.accelerators},
                            {"weight", curve.weight},
                            {"scenario", answer.jobs[job].context.scenario},
                            {"curve", points}});
}

}  // namespace

/// Powers that budgets hold are those of the design day: the grid must carry the jobs on the hottest one too.
std::string share_title(const ShareAnswer& answer) {
  return fmt::format(
      "{} jobs on {} kW from the grid: steps draw {} kW on the design day without limits, {} kW at the lowest",
      answer.jobs.size(), significant_text(answer.budget.in(kilowatt)),
      significant_text(answer.shared.free.in(kilowatt)), significant_text(answer.shared.least.in(kilowatt)));
}

ResultTable share_table(const ShareAnswer& answer) {
  ResultTable table;
  table.columns = {words_column("division", "Division"),
                   words_column("job", "Job"),
                   {"gpus", "GPUs", ""},
                   {"limit_w", "Limit", "W", 1, 0},
                   {"drawn_kw", "Grid, design day", "kW"},
                   {"facility_kw_mean", "Grid, year mean", "kW"},
                   {"step_time_s", "Step", "s"},
                   {"tokens_per_s", "Tokens", "/s", 1, 0},
                   percent_column("speed", "Of full speed"),
                   {"energy_j_per_token", "Energy", "J/token"}};
  for (const DividedPower* division : every_division(answer))
    for (std::size_t job = 0; job < answer.jobs.size(); ++job) table.rows.push_back(row_of(answer, *division, job));
  return table;
}

std::vector<std::string> share_sentences(const ShareAnswer& answer) {
  if (answer.shared.divisions.size() == 1) return {"The power feeds all jobs without limits."};
  const DividedPower& best = best_division(answer);
  std::string text = fmt::format("Most work: {}, as much as {} {}GPUs without limits", name_of(best.division),
                                 useful_words(answer, best), weighted(answer) ? "weighted " : "");
  for (const DividedPower* other : every_division(answer))
    if (other != &best)
      text += fmt::format(", {} more than {}", percent_text(best.useful / other->useful - 1), name_of(other->division));
  std::vector<std::string> out = {text + ".", "The hall of each job is planned for that job alone."};
  if (best.division == PowerDivision::fewer_nodes)
    out.emplace_back("Jobs with fewer GPUs keep their batch; the nodes that they leave are off and draw nothing.");
  return out;
}

std::string share_confirmation(const ShareAnswer& answer) {
  const DividedPower& best = best_division(answer);
  std::size_t job = 0;
  const auto changed = [&](std::size_t i) {
    return best.jobs[i].limit || best.jobs[i].held.step.accelerators != answer.shared.curves[i].accelerators;
  };
  while (job + 1 < best.jobs.size() && !changed(job)) ++job;
  const JobShare& share = best.jobs[job];
  const bool smaller = share.held.step.accelerators != answer.shared.curves[job].accelerators;
  std::string command = smaller ? fmt::format("clusterwright run {} --gpus {}", answer.jobs[job].unsized_words,
                                              share.held.step.accelerators)
                                : "clusterwright run " + answer.jobs[job].words;
  if (share.limit) command += fmt::format(" --cap {}W", plain_number(share.limit->in(watt), digits_of_limit));
  return command;
}

Warnings share_warnings(const ShareAnswer& answer) {
  Warnings inputs;
  std::vector<NamedWarnings> steps;
  for (std::size_t job = 0; job < answer.jobs.size(); ++job) {
    const Warnings& own = answer.jobs[job].context.warnings;
    inputs.insert(inputs.end(), own.begin(), own.end());
    steps.push_back({answer.jobs[job].name, best_division(answer).jobs[job].held.step.warnings});
  }
  return warnings_of(inputs, steps, {"of ", ""});
}

JsonValue share_to_json(const ShareAnswer& answer) {
  std::vector<InputFile> inputs;
  for (const NamedJob& job : answer.jobs)
    for (const InputFile& file : job.context.inputs)
      if (std::ranges::find(inputs, file.path, &InputFile::path) == inputs.end()) inputs.push_back(file);
  JsonValue document = result_header("share", answer.jobs.front().context.seed, inputs);
  JsonValue jobs = JsonValue::list(), divisions = JsonValue::list();
  for (std::size_t job = 0; job < answer.jobs.size(); ++job) jobs.push_back(curve_json(answer, job));
  for (const DividedPower* division : every_division(answer)) divisions.push_back(division_json(answer, *division));
  document.set("budget_kw", answer.budget.in(kilowatt));
  document.set("free_kw", answer.shared.free.in(kilowatt));
  document.set("least_kw", answer.shared.least.in(kilowatt));
  document.set("jobs", jobs);
  document.set("divisions", divisions);
  document.set("warnings", warnings_json(share_warnings(answer)));
  return document;
}

}  // namespace clusterwright
