// SPDX-License-Identifier: Apache-2.0
#include "tools/output/prediction_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_charge.hpp"
#include "sim/plain_number.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/svg_chart.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

const ScalePoint* first_fitting(const ScaleCurve& curve) {
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty() && point.step.fits) return &point;
  return nullptr;
}

std::string efficiency_sentence(const ScalePoint& first, const ScalePoint& last) {
  const std::string size = count_text(last.step.accelerators);
  if (&first == &last) return fmt::format("Only the size of {} GPUs could be computed, so there is no curve.", size);
  return fmt::format("From {} to {} GPUs the throughput grows {} times and efficiency ends at {} (90 %: {} to {}).",
                     count_text(first.step.accelerators), size, significant_text(last.speedup, 3),
                     percent_text(last.efficiency), percent_text(last.efficiency_low),
                     percent_text(last.efficiency_high));
}

std::string knee_sentence(const ScaleCurve& curve, int smallest, int largest) {
  constexpr const char* growth = "1.8 times per doubling";
  switch (curve.knee_place) {
    case KneePlace::unknown:
      return "Two sizes are needed to find a knee.";
    case KneePlace::beyond:
      return fmt::format("Throughput grows at least {} between all neighbouring sizes: the knee lies beyond {} GPUs.",
                         growth, count_text(largest));
    case KneePlace::before:
      return fmt::format("Throughput grows less than {} from the first size on: the knee lies below {} GPUs.", growth,
                         count_text(smallest));
    case KneePlace::inside:
      break;
  }
  return fmt::format("The knee is at {} GPUs: up to there throughput grows at least {}, to the next size it does not.",
                     count_text(*curve.knee), growth);
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string misfits_sentence(const ScaleCurve& curve) {
  std::vector<std::string> sizes;
  std::string reason;
  for (const ScalePoint& point : curve.points) {
    if (point.reason.empty() && point.step.fits) continue;
    sizes.push_back(count_text(point.step.accelerators));
    if (reason.empty()) reason = point.reason.empty() ? point.step.verdict : point.reason;
  }
  if (sizes.empty()) return {};
  if (sizes.size() == 1) return fmt::format("{} GPUs are not possible: {}", sizes[0], sentence(reason));
  const std::size_t all = curve.points.size();
  if (sizes.size() > 4)
    return fmt::format("{} of {} sizes are not possible; the first: {}", sizes.size(), all, sentence(reason));
  return fmt::format("{} of {} sizes are not possible ({}); the first: {}", sizes.size(), all, fmt::join(sizes, "; "),
                     sentence(reason));
}

/// Sizes whose memory fits by less than its error; empty if there are none.
std::string doubtful_sentence(const ScaleCurve& curve) {
  std::vector<const StepPrediction*> doubtful;
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty() && point.step.fits && point.step.memory_range.high > point.step.memory_capacity)
      doubtful.push_back(&point.step);
  if (doubtful.empty()) return {};
  const StepPrediction& first = *doubtful.front();
  return fmt::format(
      "Memory may not suffice at {} of {} sizes, as its model errs: {} GPUs use {} GB (90 %: {} to {}) of {}.",
      doubtful.size(), curve.points.size(), count_text(first.accelerators),
      fixed_text(first.memory.total().in(gigabyte), 1), fixed_text(first.memory_range.low.in(gigabyte), 1),
      fixed_text(first.memory_range.high.in(gigabyte), 1), significant_text(first.memory_capacity.in(gigabyte)));
}

}  // namespace

std::vector<std::string> verdict_sentences(const ScaleCurve& curve) {
  std::vector<std::string> sentences;
  const ScalePoint* const first = first_fitting(curve);
  const ScalePoint* const last = largest_fitting(curve);
  if (first) {
    sentences.push_back(efficiency_sentence(*first, *last));
    if (first != last) sentences.push_back(knee_sentence(curve, first->step.accelerators, last->step.accelerators));
  } else {
    sentences.emplace_back("None of these sizes is possible.");
  }
  if (const std::string misfits = misfits_sentence(curve); !misfits.empty()) sentences.push_back(misfits);
  if (const std::string doubtful = doubtful_sentence(curve); !doubtful.empty()) sentences.push_back(doubtful);
  if (curve.interrupted)
    sentences.emplace_back("The computation was interrupted: the curve is incomplete, sizes are missing.");
  return sentences;
}

std::vector<std::string> verdict_sentences(const StepPrediction& step) {
  std::vector<std::string> sentences;
  const double width = (step.high - step.low) / (2 * step.step_time);
  sentences.push_back(step.fits ? sentence(step.verdict) : "This plan does not fit: " + misfit_reason(step) + ".");
  sentences.push_back(fmt::format("One step {} {} s, within {} at 90 % confidence.", step.fits ? "takes" : "would take",
                                  significant_text(step.step_time.in(second)), percent_text(width, 0)));
  if (step.training) sentences.push_back(training_run_sentence(step));
  return sentences;
}

namespace {

std::string no_size_sentence(const ScaleCurve& curve) {
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty())
      return fmt::format("none of these sizes is possible; at {} GPUs: {}", count_text(point.step.accelerators),
                         point.step.remedy);
  return "none of these sizes is possible: change the plan, or ask for other sizes";
}

}  // namespace

std::string next_step(const ScaleCurve& curve) {
  const ScalePoint* const largest = largest_fitting(curve);
  if (!largest) return no_size_sentence(curve);
  return fmt::format("at {} GPUs: {}", count_text(largest->step.accelerators), largest->step.bottleneck);
}

std::string next_step(const StepPrediction& step) {
  return step.fits || step.remedy.empty() ? step.bottleneck : step.remedy;
}

namespace {

/// Subject of a page: a curve, or its one point.
struct Page {
  const ResultContext& context;
  const ScaleCurve& curve;
  bool single = false;
  const StepPrediction* focus = nullptr;  ///< the step that the figures at the top show; may be missing
};

std::string title_of(const Page& page) {
  const std::string size = page.single ? count_text(page.focus->accelerators) + " \xc3\x97 " : std::string();
  return fmt::format("{} on {}{}", page.context.transformer, size, page.context.accelerator);
}

std::string tiles(const Page& page) {
  if (!page.focus) return {};
  const StepPrediction& step = *page.focus;
  const std::string width = percent_text((step.high - step.low) / (2 * step.step_time), 0);
  const std::string size = fmt::format("on {} GPUs", count_text(step.accelerators));
  const Watts machines = step.power.site ? step.power.site->it_mean : step.power.nodes_mean;
  const bool megawatts = machines >= megawatt;
  const bool millions = step.tokens_per_second >= 1e6;
  const Watts unit = megawatts ? megawatt : kilowatt;
  return "<dl class=\"tiles\">\n" +
         html_tile("Step time", significant_text(step.step_time.in(second)), "s",
                   fmt::format("\xc2\xb1 {} (90 %), {}", width, size)) +
         html_tile("Throughput", significant_text(step.tokens_per_second / (millions ? 1e6 : 1e3)),
                   millions ? "M tokens/s" : "k tokens/s",
                   fmt::format("{} per GPU", significant_text(step.tokens_per_second_per_accelerator()))) +
         html_tile("MFU", fixed_text(100 * step.mfu, 1), "%",
                   fmt::format("{} TFLOP/s per GPU",
                               significant_text(step.model_flops_per_accelerator.in(teraflop_per_second), 3))) +
         html_tile(step.power.site ? "IT power" : "Power of the nodes", significant_text(machines.in(unit), 3),
                   megawatts ? "MW" : "kW",
                   fmt::format("{} J per token", significant_text(step.power.energy_per_token.in(joule), 3))) +
         "</dl>\n";
}

std::string head(const Page& page) {
  std::vector<std::string> sentences = page.single ? verdict_sentences(*page.focus) : verdict_sentences(page.curve);
  const bool bad = page.single ? !page.focus->fits : !page.focus;
  sentences.push_back("Next: " + (page.single ? next_step(*page.focus) : next_step(page.curve)));
  const std::string kind = page.single ? "One training step" : page.curve.strong ? "Strong scaling" : "Weak scaling";
  return fmt::format(
      "<header>\n<p class=\"kind\">{}</p>\n<h1>{}</h1>\n<p class=\"job\">{}. Cluster: {}.</p>\n{}{}</header>\n",
      html_text(kind), html_text(title_of(page)), html_text(page.context.job), html_text(page.context.cluster),
      html_verdict(sentences, bad), tiles(page));
}

EfficiencyChart efficiency_chart(const ScaleCurve& curve) {
  EfficiencyChart chart;
  for (const ScalePoint& point : curve.points) {
    const StepPrediction& step = point.step;
    if (!point.reason.empty() || !step.fits) {
      chart.impossible.push_back(step.accelerators);
    } else {
      chart.points.push_back({step.accelerators, point.efficiency, point.efficiency_low, point.efficiency_high});
    }
  }
  chart.knee = curve.knee;
  chart.text = {"efficiency", "Scaling efficiency", ""};
  if (!chart.points.empty())
    chart.text.description =
        fmt::format("Efficiency goes from {} at {} GPUs to {} at {} GPUs.",
                    percent_text(chart.points.front().efficiency), count_text(chart.points.front().gpus),
                    percent_text(chart.points.back().efficiency), count_text(chart.points.back().gpus));
  return chart;
}

std::string efficiency_section(const ScaleCurve& curve) {
  const EfficiencyChart chart = efficiency_chart(curve);
  if (chart.points.empty()) return {};
  const std::string caption =
      chart.text.description + " The band is the 90 % interval of each size's own throughput." +
      (chart.impossible.empty() ? "" : " A cross marks a size that does not fit or that the plan cannot use.");
  return html_section("Scaling", "", html_figure("", both_widths(chart, efficiency_svg), caption));
}

std::string legend(const std::vector<StepCharge>& charges) {
  std::string items;
  for (const StepCharge charge : charges)
    items += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"{}\" width=\"12\" height=\"12\" "
        "rx=\"3\"/></svg>{}</li>\n",
        charge_class(static_cast<std::size_t>(charge)), html_text(people_name(charge)));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

BreakdownBar bar_of(const StepPrediction& step) {
  BreakdownBar bar{count_text(step.accelerators), significant_text(step.step_time.in(second), 3) + " s", {}};
  for (const Seconds part : step.breakdown) bar.shares.push_back(part / step.step_time);
  return bar;
}

/// A bar per size; of very many sizes an even selection with the first and the last.
BreakdownChart breakdown_chart(const ScaleCurve& curve) {
  constexpr std::size_t most = 24;
  std::vector<const StepPrediction*> steps;
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty() && point.step.step_time > Seconds()) steps.push_back(&point.step);
  BreakdownChart chart;
  chart.text = {"breakdown", "Step time by cause", ""};
  const std::size_t bars = std::min(most, steps.size());
  for (std::size_t i = 0; i < bars; ++i)
    chart.bars.push_back(bar_of(*steps[bars > 1 ? i * (steps.size() - 1) / (bars - 1) : 0]));
  if (!steps.empty())
    chart.text.description = fmt::format(
        "At {} GPUs {} of the step is GEMM and the largest loss is {}.", count_text(steps.back()->accelerators),
        percent_text(steps.back()->breakdown[0] / steps.back()->step_time, 0), limited_by(*steps.back()));
  return chart;
}

std::string breakdown_section(const Page& page) {
  const BreakdownChart chart = breakdown_chart(page.curve);
  if (chart.bars.empty()) return {};
  const std::string figure =
      html_figure(legend(charges_in_use(page.curve)), both_widths(chart, breakdown_svg), chart.text.description);
  const ResultTable table = page.single ? breakdown_table(*page.focus) : breakdown_by_size(page.curve);
  return html_section("Step time by cause", "Mean over all GPUs; every wait is charged to the event that ended it.",
                      figure + render_html(table));
}

/// Training run of a job that states its end.
std::string training_section(const Page& page) {
  ResultTable runs = training_runs_by_size(page.curve);
  if (runs.rows.empty()) return {};
  if (!page.single) {
    const std::string price = run_price_sentence(page.curve);
    return html_section("Training run", runs.title + ". " + price, render_html(runs));
  }
  runs = training_run_table(*page.focus);
  runs.columns[0].title = "Result";
  runs.columns[1].title = "Value";
  return html_section(runs.title, "", render_html(runs));
}

std::string data_sections(const Page& page) {
  const Bytes capacity = page.context.memory_capacity;
  ResultTable results = page.single ? headline_table(*page.focus, capacity) : scale_table(page.curve, capacity);
  results.title = "Results";
  if (page.single) {
    results.columns[0].title = "Result";
    results.columns[1].title = "Value";
  }
  std::string out = html_section("In numbers", "", render_html(results)) + training_section(page);
  const std::string lead =
      fmt::format("Memory of the fullest GPU, which has {} GB.", plain_number(capacity.in(gigabyte)));
  out += html_section("Memory", lead,
                      render_html(page.single ? memory_table(*page.focus, capacity) : memory_by_size(page.curve)));
  return out + html_section("Power and energy", "Power of the IT equipment, from the replayed activity of the step.",
                            render_html(power_by_size(page.curve)));
}

std::string origin_sections(const Page& page) {
  std::string out;
  if (page.focus && !page.focus->assumptions.empty())
    out +=
        html_section("Assumptions", "Choices that the scenario left open, and the numbers that the result depends on.",
                     styled_table(assumptions_table(page.focus->assumptions), "wrap"));
  return out + inputs_section(page.context);
}

}  // namespace

std::string html_report(const ResultContext& context, const ScaleCurve& curve, const ResultTable& more) {
  Page page{context, curve, context.command == "run", nullptr};
  if (const ScalePoint* largest = largest_fitting(curve)) page.focus = &largest->step;
  if (page.single) page.focus = &curve.points.front().step;
  std::string body = head(page) + warnings_section(warnings_of(context.warnings, curve));
  if (!page.single) body += efficiency_section(curve);
  body += breakdown_section(page) + data_sections(page);
  if (!more.rows.empty()) body += html_section(more.title, "", render_html(more));
  body += origin_sections(page);
  return html_page(title_of(page), "", body, repeat_footer(page.context));
}

}  // namespace clusterwright
