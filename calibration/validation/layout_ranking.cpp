// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/layout_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibration/validation/error_figures.hpp"
#include "calibration/validation/published_job.hpp"

namespace clusterwright {

namespace {

struct Row {
  const Measurement* measurement;
  const CaseResult* result;

  const MeasuredJob& job() const { return measurement->step->job; }
  double rate() const { return result->measured.front(); }
};

/// Fields that two layouts of one job share. One slice and two slices of a torus are different machines here, though
/// sizes of one job may mix them.
std::string job_of(const Measurement& m) {
  const MeasuredStep& step = *m.step;
  JobKey key = JobKey().model(step.model).software(step.job).machine(m.hardware);
  key.add(m.hardware.scale_out_kind).add(std::int64_t{m.hardware.scale_up_domain});
  return key.add(std::int64_t{m.hardware.accelerators}).add(*step.job.global_batch).text();
}

/// Name of a group; depth and heads tell models of one name apart.
std::string group_name(const Measurement& m) {
  const MeasuredModel& model = m.step->model;
  return fmt::format("{} ({} layers, {} heads), {} {}, batch {}", model.name.empty() ? "model" : model.name,
                     model.layers.value_or(0), model.heads.value_or(0), m.hardware.accelerators, m.hardware.accelerator,
                     *m.step->job.global_batch);
}

std::ptrdiff_t unpublished(const Row& row) {
  const auto fields = layout_fields(row.job());
  return std::count_if(fields.begin(), fields.end(), [](const LayoutField& field) { return field.value.empty(); });
}

/// One row for each layout. The most complete layouts come first, so that one with gaps joins a layout that it may
/// equal.
std::vector<Row> best_of_repeats(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return unpublished(a) < unpublished(b); });
  std::vector<Row> out;
  for (const Row& row : rows) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Row& one) { return !surely_differ(one.job(), row.job()); });
    if (same == out.end())
      out.push_back(row);
    else if (row.rate() > same->rate())
      *same = row;
  }
  return out;
}

RankedLayout ranked(const Row& row) {
  RankedLayout out;
  out.id = row.result->id;
  out.words = layout_words(row.job());
  out.predicted = row.result->predicted.front();
  out.measured = row.rate();
  out.scored = row.result->scored;
  out.cell = row.measurement->cell;
  out.tensor = row.job().tensor.value_or(1);
  out.inside_node = out.tensor <= row.measurement->hardware.accelerators_per_node;
  return out;
}

bool same_cell(const RankedLayout& one, const RankedLayout& other) {
  return !one.cell.empty() && one.cell == other.cell;
}

void share_cells(std::vector<RankedLayout>& layouts) {
  for (RankedLayout& one : layouts) {
    const auto equal =
        std::count_if(layouts.begin(), layouts.end(), [&](const RankedLayout& other) { return same_cell(one, other); });
    one.weight = 1 / std::max(1.0, static_cast<double>(equal));
  }
}

/// Mean regret of the layouts that `is_drawn` holds for; 0 without any.
double drawn_regret(const LayoutGroup& group, auto is_drawn) {
  double sum = 0, weight = 0;
  for (const RankedLayout& one : group.layouts) {
    if (!is_drawn(one)) continue;
    sum += one.weight * std::log(group.true_best.measured / one.measured);
    weight += one.weight;
  }
  return weight > 0 ? sum / weight : 0;
}

/// Regret of the rule "largest tensor degree that a node allows". Where no layout is inside a node, any is drawn.
double rule_regret(const LayoutGroup& group) {
  std::int64_t largest = 0;
  for (const RankedLayout& one : group.layouts)
    if (one.inside_node) largest = std::max(largest, one.tensor);
  return drawn_regret(group, [&](const RankedLayout& one) { return largest == 0 || one.tensor == largest; });
}

void judge(LayoutGroup& group) {
  const auto& all = group.layouts;
  group.predicted_best = *std::max_element(all.begin(), all.end(), [](const RankedLayout& a, const RankedLayout& b) {
    return a.predicted != b.predicted ? a.predicted < b.predicted : a.measured > b.measured;
  });
  group.true_best = *std::max_element(
      all.begin(), all.end(), [](const RankedLayout& a, const RankedLayout& b) { return a.measured < b.measured; });
  group.regret = std::log(group.true_best.measured / group.predicted_best.measured);
  group.blind_regret = drawn_regret(group, [](const RankedLayout&) { return true; });
  group.rule_regret = rule_regret(group);
  group.kendall_tau = kendall_tau(all);
}

std::optional<LayoutGroup> group_of(const std::vector<Row>& rows) {
  const std::vector<Row> layouts = best_of_repeats(rows);
  if (layouts.size() < 2) return std::nullopt;
  LayoutGroup out;
  out.name = group_name(*layouts.front().measurement);
  out.family = layouts.front().result->family;
  for (const Row& row : layouts) out.layouts.push_back(ranked(row));
  const auto same = [&](const RankedLayout& one) { return same_cell(out.layouts.front(), one); };
  if (std::all_of(out.layouts.begin(), out.layouts.end(), same)) return std::nullopt;
  share_cells(out.layouts);
  judge(out);
  return out;
}

/// Adds the group of the scored rows, and that of all rows if it has an unscored layout.
void add_groups(const std::vector<Row>& rows, std::vector<LayoutGroup>& groups) {
  std::vector<Row> scored;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(scored), [](const Row& r) { return r.result->scored; });
  if (auto group = group_of(scored)) groups.push_back(std::move(*group));
  auto all = group_of(rows);
  if (all && !all->is_scored()) groups.push_back(std::move(*all));
}

/// Votes of cells. Scored groups and those with unscored layouts are figures of their own and share no vote.
void share_votes(std::vector<LayoutGroup>& groups) {
  std::map<std::pair<bool, std::string>, double> holders;
  const auto cells = [](const LayoutGroup& group) {
    std::set<std::string> out;
    for (const RankedLayout& one : group.layouts)
      if (!one.cell.empty()) out.insert(one.cell);
    return out;
  };
  for (const LayoutGroup& group : groups)
    for (const std::string& cell : cells(group)) ++holders[{group.is_scored(), cell}];
  for (LayoutGroup& group : groups) {
    double votes = 0, count = 0;
    for (const RankedLayout& one : group.layouts) {
      votes += one.weight / (one.cell.empty() ? 1 : holders[{group.is_scored(), one.cell}]);
      count += one.weight;
    }
    group.weight = votes / count;
  }
}

RankingFigures figures_of(const std::string& name, const std::vector<LayoutGroup>& groups, auto belongs) {
  RankingFigures out;
  out.name = name;
  std::vector<Weighted> regrets, taus;
  for (const LayoutGroup& group : groups) {
    if (!belongs(group)) continue;
    ++out.groups;
    out.layouts += static_cast<int>(group.layouts.size());
    out.votes += group.weight;
    regrets.push_back({group.regret, group.weight});
    if (group.kendall_tau) taus.push_back({*group.kendall_tau, group.weight});
    const double share = group.weight / out.votes;
    out.right_best += ((group.regret <= 0) - out.right_best) * share;
    out.within_3_percent += ((group.regret <= std::log(1.03)) - out.within_3_percent) * share;
    out.mean_regret += (group.regret - out.mean_regret) * share;
    out.mean_blind_regret += (group.blind_regret - out.mean_blind_regret) * share;
    out.mean_rule_regret += (group.rule_regret - out.mean_rule_regret) * share;
  }
  out.median_regret = weighted_quantile(regrets, 0.5);
  out.p90_regret = weighted_quantile(regrets, 0.9);
  out.median_tau = weighted_quantile(taus, 0.5);
  return out;
}

std::vector<RankingFigures> by_family(const std::vector<LayoutGroup>& groups) {
  std::vector<RankingFigures> out;
  for (const LayoutGroup& one : groups) {
    const auto known = [&](const RankingFigures& figures) { return figures.name == one.family; };
    if (!one.is_scored() || std::any_of(out.begin(), out.end(), known)) continue;
    out.push_back(figures_of(
        one.family, groups, [&](const LayoutGroup& group) { return group.is_scored() && group.family == one.family; }));
  }
  return out;
}

}  // namespace

bool LayoutGroup::is_scored() const {
  return std::all_of(layouts.begin(), layouts.end(), [](const RankedLayout& one) { return one.scored; });
}

std::optional<double> kendall_tau(const std::vector<RankedLayout>& layouts) {
  double agreement = 0, by_prediction = 0, by_measurement = 0;
  const auto sign = [](double difference) { return (difference > 0) - (difference < 0); };
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (same_cell(layouts[i], layouts[j])) continue;
      const double weight = layouts[i].weight * layouts[j].weight;
      const int p = sign(layouts[i].predicted - layouts[j].predicted);
      const int m = sign(layouts[i].measured - layouts[j].measured);
      agreement += weight * p * m;
      by_prediction += weight * p * p;
      by_measurement += weight * m * m;
    }
  if (by_prediction <= 0 || by_measurement <= 0) return std::nullopt;
  return agreement / std::sqrt(by_prediction * by_measurement);
}

LayoutRanking layout_ranking(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<Row>> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Measurement& m = measurements[i];
    if (results[i].step && is_valid(results[i]) && m.step && m.step->job.global_batch)
      jobs[job_of(m)].push_back({&m, &results[i]});
  }
  LayoutRanking out;
  for (const auto& [key, rows] : jobs) add_groups(rows, out.groups);
  share_votes(out.groups);
  out.families = by_family(out.groups);
  std::stable_sort(out.groups.begin(), out.groups.end(),
                   [](const LayoutGroup& a, const LayoutGroup& b) { return a.regret > b.regret; });
  out.scored = figures_of("all", out.groups, [](const LayoutGroup& group) { return group.is_scored(); });
  out.with_unscored =
      figures_of("unscored steps too", out.groups, [](const LayoutGroup& group) { return !group.is_scored(); });
  return out;
}

}  // namespace clusterwright
