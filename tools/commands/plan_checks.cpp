// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/plan_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "models/job/scenario_loader.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/sizing/part_price.hpp"
#include "tools/error_codes.hpp"
#include "tools/output/output_text.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr double forgotten_millions = 1e5;   // dollars without a unit, up to which "M" may have been meant
constexpr double forgotten_trillions = 1e3;  // tokens without a unit, up to which "T" may have been meant
constexpr double least_tokens = 1e6;         // of a run that anybody buys machines for

bool has_no_unit(const std::string& amount) {
  return !amount.empty() && amount.back() >= '0' && amount.back() <= '9';
}

ScenarioOptions options_on(const PurchaseJob& job, const MachineChoice& machine, bool with_variant) {
  ScenarioOptions options;
  options.settings = job.settings;
  if (with_variant) options.settings.insert(options.settings.end(), machine.settings.begin(), machine.settings.end());
  options.node = machine.node;
  options.accelerators = 1;
  options.catalog = job.catalog;
  return options;
}

/// Error of the job on one node of a machine, and in its hall; nothing where it can be read.
std::optional<ConfigError> error_on(const PurchaseJob& job, const MachineChoice& machine, bool with_variant) {
  try {
    std::vector<InputFile> unused;
    JobSite(scenario_of_document(job.scenario, options_on(job, machine, with_variant)), unused);
  } catch (const ConfigError& error) {
    return error;
  }
  return {};
}

/// Tokens of a global batch on the first machine that the job can be read for; nothing where there is none.
std::optional<double> tokens_of_a_batch(const PurchaseRequest& asked) {
  for (const MachineChoice& machine : asked.machines) {
    try {
      const Job job = scenario_of_document(asked.job.scenario, options_on(asked.job, machine, true)).job;
      return static_cast<double>(job.global_batch) * job.sequence;
    } catch (const ConfigError&) {
      // The reason is said where the machine is planned.
    }
  }
  return {};
}

/// Refuses a setting of a field that an option of plan gives too, which the option would replace without a word.
/// @param value  of the option as it was typed; empty: the field is asked for
void refuse_given_twice(const std::vector<std::string>& settings, const char* typed_as, const std::string& path,
                        const std::string& option, const std::string& value) {
  for (const std::string& setting : settings) {
    if (!setting.starts_with(path + "=") || setting.ends_with("=auto")) continue;
    throw option_error(typed_as, setting,
                       value.empty() ? fmt::format("{} gives what plan asks for without {}", setting, option)
                                     : fmt::format("{} gives what {} {} gives too", setting, option, value),
                       fmt::format("leave out the setting, and say it with {}", option));
  }
}

/// Refuses settings of nodes, which plan chooses or --on names.
void refuse_chosen_nodes(const std::string& on, const std::vector<std::string>& settings, const char* typed_as) {
  const std::string setting = setting_of_nodes(settings);
  if (setting.empty()) return;
  throw option_error(
      typed_as, setting,
      on.empty() ? fmt::format("{} names nodes, and plan chooses them; --on names those that it chooses from", setting)
                 : fmt::format("{} names nodes, and so does --on {}", setting, on),
      "leave out the setting; fields that leave the node as it is may be set: cluster.fabric.taper=2");
}

}  // namespace

void check_given_once(const PlanRequest& request, const std::vector<MachineChoice>& machines) {
  const auto check = [&](const std::vector<std::string>& settings, const char* typed_as) {
    refuse_chosen_nodes(request.scenario.on, settings, typed_as);
    for (const char* length : {"job.tokens", "job.steps"})
      refuse_given_twice(settings, typed_as, length, "--tokens", request.tokens);
  };
  const std::vector<std::string>& settings = request.scenario.settings;
  check(settings, "--set");
  for (const MachineChoice& machine : machines) check(machine.settings, "--vary");
  if (!request.precisions.empty())
    refuse_given_twice(settings, "--set", "job.precision", "--precisions", request.precisions);
  if (!request.hall.empty()) refuse_given_twice(settings, "--set", "cluster.facility.like", "--hall", request.hall);
}

void check_question(const PlanRequest& request, const PurchaseLimits& limits) {
  if (request.tokens.empty() && !limits.time)
    throw option_error("--tokens", "", "neither the tokens of the run nor its days are given",
                       "--tokens 15T --days 90, or one of them with --budget or --power");
  if (request.tokens.empty() && !limits.money && !limits.power && !limits.racks)
    throw option_error("--days", request.days, "nothing limits the tokens", "add --budget, --power or --racks");
}

double parse_tokens(const std::string& text) {
  const double tokens = parse_amount({"--tokens", text});
  if (tokens > most_tokens)
    throw option_error("--tokens", text,
                       fmt::format("a run has at most {} T tokens", count_text(std::llround(most_tokens / 1e12))),
                       "15T is 15 trillion tokens");
  if (tokens < least_tokens)
    throw option_error("--tokens", text,
                       fmt::format("{:.6g} tokens are no training run: it has at least {}", tokens,
                                   count_text(std::llround(least_tokens))),
                       has_no_unit(text) && tokens <= forgotten_trillions ? fmt::format("did you mean {}T?", text)
                                                                          : "write tokens with M, B or T: 15T");
  return tokens;
}

void check_tokens(const PlanRequest& request, const PurchaseRequest& asked, double tokens) {
  const std::optional<double> batch = tokens_of_a_batch(asked);
  if (!batch || tokens >= *batch) return;
  throw option_error("--tokens", request.tokens,
                     fmt::format("{} tokens are fewer than the {} of one global batch",
                                 count_text(std::llround(tokens)), count_text(std::llround(*batch))),
                     "name the tokens of the whole run, or a smaller batch: --set job.global_batch=8");
}

void check_caps(const PlanRequest& request, const std::vector<MachineChoice>& machines, const Catalog& catalog) {
  const AcceleratorPart* lowest = nullptr;  // that takes the least share of its rating
  const auto least_share_of = [](const AcceleratorPart& part) { return least_power_limit(part) / part.power.value; };
  for (const MachineChoice& machine : machines) {
    const AcceleratorPart& part = *catalog.find_accelerator(machine.accelerator);
    if (machine.cap >= least_share_of(part)) return;
    if (!lowest || least_share_of(part) < least_share_of(*lowest)) lowest = &part;
  }
  if (!lowest) return;
  throw option_error(
      "--caps", request.caps,
      fmt::format("every limit is below the least one of its accelerators: {} takes no less than {}, {} "
                  "of its rating",
                  lowest->id, power_text(least_power_limit(*lowest)), percent_text(least_share_of(*lowest))),
      "percent of the rating from there on: 100,80");
}

void check_budget(const PlanRequest& request, const PurchaseLimits& limits, const std::vector<MachineChoice>& machines,
                  const Catalog& catalog, const PriceList& prices) {
  if (!limits.money) return;
  std::optional<Dollars> least;
  std::string cheapest;
  for (const MachineChoice& machine : machines) {
    if (catalog.find_node(machine.node)->rented) return;  // for which a budget buys hours
    const std::optional<Dollars> each = price_of(machine.node, catalog, prices).each;
    if (each && (!least || *each < *least)) least = each, cheapest = machine.node;
  }
  if (!least || *limits.money >= *least) return;
  const bool bare = has_no_unit(request.budget) && limits.money->in(dollar) <= forgotten_millions;
  throw option_error("--budget", request.budget,
                     fmt::format("{} buys no node: the cheapest, {}, costs {}", money_text(*limits.money), cheapest,
                                 money_text(*least)),
                     bare ? fmt::format("did you mean {}M?", request.budget) : "write dollars with k, M or B: 150M");
}

std::string setting_of_hall(const std::string& hall) {
  return "cluster.facility.like=" + hall;
}

void check_variants(const PurchaseRequest& asked) {
  std::set<std::string> checked;
  for (const MachineChoice& machine : asked.machines) {
    if (machine.variant.empty() || checked.contains(machine.variant) || error_on(asked.job, machine, false)) continue;
    checked.insert(machine.variant);
    if (const auto error = error_on(asked.job, machine, true); error && is_of_words(*error)) throw *error;
  }
}

void check_hall(const PlanRequest& request, const PurchaseRequest& asked) {
  if (request.hall.empty()) return;
  PurchaseJob usual = asked.job;  // in the usual hall of each node
  std::erase(usual.settings, setting_of_hall(request.hall));
  for (const MachineChoice& machine : asked.machines) {
    if (error_on(usual, machine, false)) continue;
    const auto error = error_on(asked.job, machine, false);
    if (!error || !is_of_words(*error)) return;
    Diagnostic first = error->diagnostics().front();
    if (first.places.empty() || first.places.front().source->name().starts_with("--set"))
      first.places = {option_place("--hall", request.hall)};
    throw ConfigError(first);
  }
}

}  // namespace clusterwright
