// SPDX-License-Identifier: Apache-2.0
#include "tools/output/search_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/interval.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/search_choice.hpp"

namespace clusterwright {

namespace {

double in_gb(double bytes) {
  return bytes / 1e9;
}

}  // namespace

std::string left_out_text(LeftOut left_out) {
  constexpr std::array<const char*, 6> words = {"offload to the host",
                                                "groups of hsdp",
                                                "the second order of ranks",
                                                "micro-batches other than powers of two",
                                                "groups other than powers of two",
                                                "numbers of virtual stages other than powers of two"};
  std::string text;
  for (int i = 0; i < static_cast<int>(left_out); ++i)
    text += fmt::format("{}{}", i > 0 ? "; " : "", words[static_cast<std::size_t>(i)]);
  return text;
}

namespace {

/// Outermost ranks, which is all that orders differ in: "data-pipeline".
std::string order_text(RankOrder order) {
  constexpr std::string_view same = "tensor-context-";
  return std::string(EnumNames<RankOrder>::names[static_cast<std::size_t>(order)].substr(same.size()));
}

std::string heading_of(const std::vector<SearchPlan>& found) {
  std::vector<const Plan*> plans;
  for (const SearchPlan& plan : found) plans.push_back(&plan.step.plan);
  return plan_heading(plans);
}

}  // namespace

ResultTable plans_table(const SearchAnswer& answer) {
  ResultTable table{"",
                    {{"rank", "", ""},
                     words_column("plan", heading_of(answer.plans)),
                     {"virtual_pipeline", "Virtual", ""},
                     {"micro_batch", "Micro-batch", ""},
                     words_column("schedule", "Schedule"),
                     words_column("recompute", "Recompute"),
                     words_column("sharding", "Sharding"),
                     words_column("offload", "Offload"),
                     words_column("order", "Order"),
                     {"step_time_s", "Step", "s"},
                     {"half_width_s", "± 90 %", "s", 1, 2},
                     percent_column("behind", "Behind"),
                     percent_column("mfu", "MFU"),
                     {"memory_gb", "Memory", "GB", 1, 1},
                     {"energy_j_per_token", "Energy", "J/token"},
                     words_column("limited_by", "Limited by")},
                    {}};
  if (answer.usd_per_hour)
    table.columns.insert(table.columns.end() - 1, {"usd_per_million_tokens", "Rent", "$/Mtoken"});
  int rank = 0;
  for (const SearchPlan& plan : answer.plans) {
    const StepPrediction& step = plan.step;
    const auto text = [&](SearchedField field) { return Cell(value_text(field, plan.layout)); };
    std::vector<Cell> row = {++rank,
                             plan_text(step.plan),
                             plan.layout.virtual_pipeline,
                             plan.layout.micro_batch,
                             text(SearchedField::schedule),
                             text(SearchedField::recompute),
                             text(SearchedField::sharding),
                             text(SearchedField::offload),
                             order_text(plan.layout.order),
                             step.step_time.in(second),
                             (step.high - step.low).in(second) / 2,
                             plan.behind,
                             step.mfu,
                             step.memory.total().in(gigabyte),
                             step.power.energy_per_token.in(joule),
                             limited_by(step)};
    if (answer.usd_per_hour) row.insert(row.end() - 1, Cell(plan.usd_per_million_tokens.value_or(0)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable choices_table(const SearchAnswer& answer) {
  ResultTable table{"Best plan with each value of a field, and why it lost",
                    {words_column("field", "Field"),
                     words_column("value", "Value"),
                     {"layouts", "Layouts", ""},
                     {"feasible", "Feasible", ""},
                     {"least_memory_gb", "Least memory", "GB", 1, 1},
                     {"step_time_s", "Best step", "s"},
                     percent_column("behind", "Behind"),
                     words_column("why", "Why")},
                    {}};
  std::string last;
  for (const SearchChoice& c : worth_a_line(choices_of(answer))) {
    table.rows.push_back(
        {c.field == last ? "" : c.field, c.value, c.counts->layouts, c.counts->fitting, in_gb(c.counts->least_memory),
         c.found ? Cell(to_seconds(c.found->step.end).in(second)) : Cell(), c.found ? Cell(c.behind) : Cell(), c.why});
    last = c.field;
  }
  return table;
}

namespace {

std::string counts_sentence(const SearchAnswer& answer) {
  const SearchResult& r = answer.result;
  std::string text =
      fmt::format("Evaluated {} layouts in closed form: {} feasible, {} short of memory",
                  count_text(r.counts.evaluated), count_text(r.counts.feasible), count_text(r.counts.short_of_memory));
  if (r.counts.beyond_stack > 0)
    text += fmt::format(", {} beyond what {} runs", count_text(r.counts.beyond_stack), answer.stack);
  if (r.nearby > 0) text += fmt::format("; {} more around the best", count_text(r.nearby));
  text += fmt::format("; replayed {}.", count_text(r.replayed));
  if (r.refused > 0) text += fmt::format(" {} replayed layouts exceed a limit.", count_text(r.refused));
  if (r.short_of_host > 0)
    text += fmt::format(" {} candidates do not fit in host memory.", count_text(r.short_of_host));
  return text;
}

std::string proof_sentence(const SearchAnswer& answer) {
  const SearchResult& r = answer.result;
  const double best = r.found.front().value;
  if (r.proven()) return "Proven: no other layout of the space has a bound below the best.";
  if (!r.counts.complete)
    return fmt::format("Not proven: the search ended after {} of about {} layouts; add --constraint or --layouts.",
                       count_text(r.counts.evaluated), count_text(std::llround(r.space)));
  std::string text;
  if (r.left_out != LeftOut::nothing)
    text = fmt::format("Not proven for the whole space of {} layouts, which was thinned out: without {}. ",
                       count_text(std::llround(r.space)), left_out_text(r.left_out));
  if (r.least_open >= best) return text + "Proven for what was searched.";
  return text + fmt::format("Not proven: a layout without a replay has a bound {} below the best (--replays).",
                            percent_text(1 - r.least_open / best, 1));
}

std::string second_sentence(const SearchAnswer& answer) {
  const SearchPlan& next = answer.plans[1];
  const double width = half_width_90 * next.paired_sigma;
  const bool inside = std::log(next.step.step_time / answer.plans[0].step.step_time) <= width;
  return fmt::format("The second plan is {} behind, {} the paired 90 % interval of the two (± {}).",
                     percent_text(next.behind, 1), inside ? "inside" : "outside", percent_text(width, 1));
}

bool may_not_fit(const SearchPlan& plan) {
  return plan.step.memory_range.high > plan.step.memory_capacity;
}

/// On a best plan whose memory is within its error of the capacity, and the first shown that is not.
std::string memory_sentence(const SearchAnswer& answer) {
  const StepPrediction& best = answer.plans[0].step;
  const auto sure = std::ranges::find_if_not(answer.plans, may_not_fit);
  return fmt::format("The best plan may not fit: {} GB (90 %: {} to {}) of {}. {}.",
                     fixed_text(best.memory.total().in(gigabyte), 1), fixed_text(best.memory_range.low.in(gigabyte), 1),
                     fixed_text(best.memory_range.high.in(gigabyte), 1),
                     significant_text(best.memory_capacity.in(gigabyte)),
                     sure == answer.plans.end()
                         ? std::string("The same holds for all plans shown")
                         : fmt::format("Plan {} does, errors of memory included", sure - answer.plans.begin() + 1));
}

std::string own_sentence(const SearchAnswer& answer) {
  if (!answer.own)
    return fmt::format("The scenario's own plan cannot run on {} GPUs: {}.", count_text(answer.gpus), answer.no_own);
  const StepPrediction &own = *answer.own, &best = answer.plans[0].step;
  const bool energy = answer.objective == SearchObjective::energy;
  const double ratio =
      energy ? own.power.energy_per_token / best.power.energy_per_token : own.step_time / best.step_time;
  const std::string value = energy ? significant_text(own.power.energy_per_token.in(joule)) + " J per token"
                                   : significant_text(own.step_time.in(second)) + " s";
  return fmt::format("The scenario's own plan, {} with micro-batches of {}, takes {}: {} {} than the best{}.",
                     plan_text(own.plan), own.plan.micro_batch, value, percent_text(std::abs(ratio - 1), 1),
                     ratio >= 1 ? "more" : "less", own.fits ? "" : " and does not fit");
}

std::string beyond_sentence(const SearchAnswer& answer) {
  const Candidate& beyond = answer.result.counts.best_beyond;
  const double best = answer.result.found.front().value;
  if (beyond.bound >= best) return fmt::format("No layout beyond what {} runs could be better.", answer.stack);
  return fmt::format(
      "Beyond what {} runs: a layout with {} has a bound {} below the best. Naming that field in --constraint "
      "includes such layouts.",
      answer.stack, answer.beyond_field, percent_text(1 - beyond.bound / best));
}

std::string miss_sentence(const SearchAnswer& answer) {
  const SweepCounts& counts = answer.result.counts;
  if (answer.result.refused > 0) return "No replayed layout stays within the limits on results.";
  if (counts.feasible == 0 && counts.beyond_stack > 0)
    return fmt::format("No layout that {} runs fits; one with {} does.", answer.stack, answer.beyond_field);
  if (answer.result.short_of_host > 0) return "No layout fits: offloaded tensors exceed the memory of the hosts.";
  const Layout& leanest = counts.leanest.layout;
  return fmt::format(
      "No layout fits. The nearest miss needs {} of {} GB, {} GB too much: tensor {}, pipeline {}, context {}, data "
      "{}, "
      "micro-batch {}, recompute {}, sharding {}, offload {}.",
      fixed_text(in_gb(counts.least_memory), 1), significant_text(answer.context.memory_capacity.in(gigabyte)),
      fixed_text(in_gb(counts.least_memory) - answer.context.memory_capacity.in(gigabyte), 1), leanest.tensor,
      leanest.pipeline, leanest.context, leanest.data, leanest.micro_batch,
      value_text(SearchedField::recompute, leanest), value_text(SearchedField::sharding, leanest),
      value_text(SearchedField::offload, leanest));
}

}  // namespace

std::vector<std::string> search_sentences(const SearchAnswer& answer) {
  std::vector<std::string> out = {counts_sentence(answer)};
  if (answer.plans.empty()) {
    out.push_back(miss_sentence(answer));
    return out;
  }
  out.push_back(proof_sentence(answer));
  const bool compares_times = answer.objective != SearchObjective::energy;
  if (answer.plans.size() > 1 && compares_times) out.push_back(second_sentence(answer));
  if (may_not_fit(answer.plans[0])) out.push_back(memory_sentence(answer));
  out.push_back(own_sentence(answer));
  if (answer.result.counts.beyond_stack > 0) out.push_back(beyond_sentence(answer));
  if (answer.objective == SearchObjective::cost)
    out.push_back(fmt::format("At ${} per GPU-hour, rent follows the step time: {} GPUs are held either way.",
                              significant_text(*answer.usd_per_hour),
                              count_text(rented_accelerators(answer.plans[0].step))));
  return out;
}

}  // namespace clusterwright
