// SPDX-License-Identifier: Apache-2.0
#include "tools/output/compare_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double told_apart = 0.8;      // probability from which an order is called likely
constexpr double equal_figures = 5e-3;  // difference of costs and energies below which no order is named

using LineFigure = std::function<std::optional<double>(std::size_t)>;

std::string title_of(const CompareAnswer& answer, std::size_t line) {
  return fmt::format("{} ({})", letter_of(line), answer.lines[line].option.name);
}

/// "A (...), B (...) and C (...)".
std::string titles_of_lines(const CompareAnswer& answer, const std::vector<std::size_t>& lines) {
  std::string out;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const bool last = k + 1 == lines.size();
    out += (k == 0 ? "" : last ? " and " : ", ") + title_of(answer, lines[k]);
  }
  return out;
}

/// Buildable line that is least in a figure; nothing where fewer than two have it.
std::optional<std::size_t> least_in(const CompareAnswer& answer, const LineFigure& figure) {
  std::optional<std::size_t> best;
  int known = 0;
  for (const std::size_t i : buildable(answer)) {
    const std::optional<double> value = figure(i);
    if (!value) continue;
    ++known;
    if (!best || *value < *figure(*best)) best = i;
  }
  return known > 1 ? best : std::nullopt;
}

/// The buildable line that is second to the best one in a figure.
std::size_t runner_up(const CompareAnswer& answer, std::size_t best, const LineFigure& figure) {
  const auto value = [&](std::size_t i) { return figure(i).value_or(INFINITY); };
  std::optional<std::size_t> second_best;
  for (const std::size_t i : buildable(answer))
    if (i != best && (!second_best || value(i) < value(*second_best))) second_best = i;
  return *second_best;
}

/// Buildable lines whose figure is about that of the best one, which is among them.
std::vector<std::size_t> equal_lines(const CompareAnswer& answer, std::size_t best, const LineFigure& figure) {
  std::vector<std::size_t> out = buildable(answer);
  std::erase_if(out, [&](std::size_t i) {
    const std::optional<double> value = figure(i);
    return i != best && (!value || 1 - *figure(best) / *value >= equal_figures);
  });
  return out;
}

std::string likelihood(double probability) {
  const std::string text = fmt::format("with a probability of {:.0f} %", 100 * probability);
  return probability >= told_apart ? text : text + ", which is not sure";
}

OptionRatio ratio_of_lines(const CompareAnswer& answer, std::size_t line, std::size_t over) {
  return ratio_of(answer.lines[line].option, answer.lines[over].option);
}

std::string fastest_sentence(const CompareAnswer& answer) {
  const LineFigure slowness = [&](std::size_t i) { return 1 / step_of(answer, i).tokens_per_second; };
  const auto best = least_in(answer, slowness);
  if (!best) return {};
  const std::size_t other = runner_up(answer, *best, slowness);
  const OptionRatio ratio = ratio_of_lines(answer, *best, other);
  if (ratio.speed.value < 1 + 1e-9)
    return fmt::format("{} and {} are equally fast.", title_of(answer, *best), title_of(answer, other));
  return fmt::format("Fastest: {}, {} tokens/s, {} more than {}, {}.", title_of(answer, *best),
                     count_text(std::llround(step_of(answer, *best).tokens_per_second)),
                     percent_text(ratio.speed.value - 1), letter_of(other), likelihood(ratio.probability_faster));
}

std::string cheapest_sentence(const CompareAnswer& answer) {
  const LineFigure price = [&](std::size_t i) -> std::optional<double> {
    const auto& sized = answer.lines[i].option.sized;
    return sized && !sized->cost.lower_bound() ? sized->cost.usd_per_million_tokens : std::nullopt;
  };
  const auto best = least_in(answer, price);
  if (!best) return {};
  const std::string amount = significant_text(*price(*best));
  if (const auto equal = equal_lines(answer, *best, price); equal.size() > 1)
    return fmt::format("Cheapest tokens: {} are equal within 0.5 %, ${} a million.", titles_of_lines(answer, equal),
                       amount);
  const std::size_t other = runner_up(answer, *best, price);
  const OptionRatio ratio = ratio_of_lines(answer, *best, other);
  return fmt::format("Cheapest tokens: {}, ${} a million, {} less than {}, {}.", title_of(answer, *best), amount,
                     percent_text(1 - ratio.price->value), letter_of(other), likelihood(*ratio.probability_cheaper));
}

std::string frugal_sentence(const CompareAnswer& answer) {
  const LineFigure energy = [&](std::size_t i) { return step_of(answer, i).power.energy_per_token.in(joule); };
  const auto best = least_in(answer, energy);
  if (!best) return {};
  const auto equal = equal_lines(answer, *best, energy);
  return fmt::format("Least energy: {}{}, {} J a token in the nodes.", titles_of_lines(answer, equal),
                     equal.size() > 1 ? " are equal within 0.5 %" : "", significant_text(*energy(*best)));
}

/// Rent of an accelerator for an hour in use; nothing where the option is bought or the list has no rent of it.
std::optional<Dollars> hourly_rent(const ComparedOption& option) {
  if (!option.sized || !option.sized->cost.rented || option.sized->cost.lower_bound()) return {};
  return option.sized->cost.per_hour.total();
}

/// Rent and purchase are different bargains: what is rented, and how much of the time what is bought is used.
std::string rented_sentence(const CompareAnswer& answer) {
  std::map<std::string, std::vector<std::size_t>> by_rent;
  const CostReport* bought = nullptr;
  for (const std::size_t i : running(answer)) {
    const ComparedOption& option = answer.lines[i].option;
    if (const auto rent = hourly_rent(option)) by_rent[money_text(*rent)].push_back(i);
    if (option.sized && !option.sized->cost.rented) bought = &option.sized->cost;
  }
  if (by_rent.empty()) return {};
  std::vector<std::string> rented;
  for (const auto& [rent, lines] : by_rent)
    rented.push_back(
        fmt::format("{} {} rented at {}", titles_of_lines(answer, lines), lines.size() > 1 ? "are" : "is", rent));
  const std::string others = bought ? fmt::format("; what is not rented is bought and used {} of the time",
                                                  percent_text(bought->utilisation, 0))
                                    : "";
  return fmt::format("{} per accelerator-hour of the price list{}.", fmt::join(rented, ", "), others);
}

/// Options whose memory fits by less than its error; empty if there are none.
std::string doubtful_memory_sentence(const CompareAnswer& answer) {
  std::vector<std::string> doubtful;
  for (const std::size_t i : running(answer)) {
    const StepPrediction& step = step_of(answer, i);
    if (step.memory_range.high <= step.memory_capacity) continue;
    const auto gigabytes = [](Bytes bytes) { return fixed_text(bytes.in(gigabyte), 1); };
    doubtful.push_back(fmt::format("{} uses {} GB (90 %: {} to {}) of {}", title_of(answer, i),
                                   gigabytes(step.memory.total()), gigabytes(step.memory_range.low),
                                   gigabytes(step.memory_range.high),
                                   significant_text(step.memory_capacity.in(gigabyte))));
  }
  if (doubtful.empty()) return {};
  return fmt::format("Memory may not suffice, as its model errs: {}.", fmt::join(doubtful, "; "));
}

/// What an option lacks, said of one and of several options, and why.
struct Complaint {
  const char* one = "";
  const char* several = "";
  std::string why;
  bool named = false;  ///< options are named even where it holds for all
  std::vector<std::string> options = {};
};

/// Failed verdicts: "air for the nodes (DGX H100 is sold for air only; ...)".
std::string failures_of(const ComparedOption& option) {
  std::vector<std::string> out;
  for (const SiteVerdict& verdict : option.failed_verdicts())
    out.push_back(fmt::format("{} ({})", verdict.what, verdict.arithmetic));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::vector<Complaint> complaints_of(const ComparedOption& option) {
  if (!option.runs()) return {{"does not run", "do not run", option.reason}};
  if (!option.sized) return {{"has no price and no site", "have no price and no site", option.reason}};
  std::vector<Complaint> out;
  if (!option.can_be_built()) out.push_back({"cannot be built so", "cannot be built so", failures_of(option), true});
  const auto& cost = option.sized->cost;
  if (cost.lower_bound())
    out.push_back({"has no whole price", "have no whole price",
                   fmt::format("the list has none of {}", fmt::join(cost.unpriced, ", "))});
  return out;
}

/// Complaints, each once with all options that it holds for.
std::vector<Complaint> complaints_of(const CompareAnswer& answer) {
  std::vector<Complaint> out;
  for (std::size_t i = 0; i < answer.lines.size(); ++i)
    for (Complaint& found : complaints_of(answer.lines[i].option)) {
      const auto same = std::ranges::find_if(
          out, [&](const Complaint& c) { return c.one == std::string_view(found.one) && c.why == found.why; });
      Complaint& complaint = same == out.end() ? out.emplace_back(std::move(found)) : *same;
      complaint.options.push_back(title_of(answer, i));
    }
  return out;
}

std::string sentence_of(const Complaint& complaint, std::size_t all) {
  if (complaint.options.size() == 1)
    return fmt::format("{} {}: {}.", complaint.options.front(), complaint.one, complaint.why);
  const bool everyone = complaint.options.size() == all && !complaint.named;
  return fmt::format("{} {}: {}.", everyone ? "All options" : fmt::format("{}", fmt::join(complaint.options, ", ")),
                     complaint.several, complaint.why);
}

/// Why there is no order, where sites leave fewer than two options to order.
std::string few_buildable_sentence(const CompareAnswer& answer) {
  const std::vector<std::size_t> left = buildable(answer);
  if (running(answer).size() < 2 || left.size() > 1) return {};
  if (left.empty()) return "None of the options that run can be built so.";
  return fmt::format("Of the options that run, only {} can be built so.", title_of(answer, left.front()));
}

/// Warnings of a plan that name the server which stands in for that of the option.
Warnings stand_in_warnings(const ComparedOption& option) {
  Warnings out;
  if (!option.sized || option.scenario->cluster.spec.node.part == option.sized->plan.node_part) return out;
  for (const std::string& warning : option.sized->plan.warnings)
    if (warning.find(option.sized->plan.node_part) != std::string::npos) out.push_back(warning);
  return out;
}

}  // namespace

std::vector<std::string> compare_sentences(const CompareAnswer& answer) {
  std::vector<std::string> out = {few_buildable_sentence(answer), fastest_sentence(answer), cheapest_sentence(answer),
                                  frugal_sentence(answer), rented_sentence(answer)};
  for (const Complaint& complaint : complaints_of(answer)) out.push_back(sentence_of(complaint, answer.lines.size()));
  out.push_back(doubtful_memory_sentence(answer));
  std::erase(out, std::string());
  if (running(answer).size() == 1)
    out.push_back(
        fmt::format("Only {} runs: there is nothing to compare it with.", title_of(answer, *reference_of(answer))));
  if (running(answer).size() < 2) return out;
  if (!answer.replanned)
    out.push_back(
        "What an option states of its layout is kept, and what it leaves open is searched; --replan searches all of "
        "it.");
  out.push_back(
      "Low, high (90 %) and probabilities are between two predictions: errors that both share, and prices of the same "
      "parts, cancel. The range of a price counts as its 90 % interval.");
  return out;
}

Warnings compare_warnings(const CompareAnswer& answer) {
  std::vector<NamedWarnings> named;
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const ComparedOption& option = answer.lines[i].option;
    Warnings warnings = answer.lines[i].context.warnings;
    if (option.step) warnings = warnings_of(warnings, option.step->warnings);
    named.push_back({letter_of(i), warnings_of(warnings, stand_in_warnings(option))});
  }
  return warnings_of(Warnings{}, named);
}

std::string next_of(const CompareAnswer& answer) {
  std::vector<std::size_t> lines = buildable(answer);
  if (lines.empty()) lines = running(answer);
  if (lines.empty()) return {};
  const std::size_t best =
      *std::ranges::max_element(lines, {}, [&](std::size_t i) { return step_of(answer, i).tokens_per_second; });
  return answer.lines[best].command;
}

}  // namespace clusterwright
