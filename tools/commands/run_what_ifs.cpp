// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/run_what_ifs.hpp"

#include <fmt/format.h>

#include "models/job/scenario_loader.hpp"
#include "models/search/best_plan.hpp"
#include "sim/json_value.hpp"
#include "tools/config_kinds.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_text.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

std::string sentence_of(const UnfoldedCheck& check) {
  const auto count = [](double number) { return count_text(static_cast<std::int64_t>(number)); };
  const std::string what =
      fmt::format("Unfolded: {} accelerators, each for itself ({} ops, {} events), take {:.6f} s{}",
                  count_text(check.ranks), count(check.ops), count(check.events), to_seconds(check.end).in(second),
                  check.has_jitter ? " without jitter" : "");
  if (check.same()) return what + ", as the folded step does to the picosecond.";
  const double off = to_seconds(check.end) / to_seconds(check.folded_end) - 1;
  if (check.approximate)
    return what +
           fmt::format(", {:+.3f} % off the folded step, whose classes run at the pace of their slowest members.",
                       100 * off);
  return what + fmt::format(", {} ps off the folded step: please report this.", (check.end - check.folded_end).count);
}

JsonValue json_of(const std::optional<UnfoldedCheck>& check) {
  if (!check) return {};
  return JsonValue::object({{"accelerators", JsonValue(std::int64_t{check->ranks})},
                            {"ops", JsonValue(static_cast<std::int64_t>(check->ops))},
                            {"events", JsonValue(static_cast<std::int64_t>(check->events))},
                            {"step_time_s", JsonValue(to_seconds(check->end).in(second))},
                            {"same_to_the_picosecond", JsonValue(check->same())}});
}

/// Number of seeds to draw; 0: none. Refuses draws that change nothing, before the step is predicted.
int samples_asked(const RunRequest& request, const ScenarioSession& session) {
  if (request.samples.empty()) return 0;
  constexpr int most = 100'000;
  const int count = parse_count({"--samples", request.samples}, most, "more draws than a run should take");
  if (!draws_anything(session.before_draws, session.slow))
    throw ConfigError(
        {Diagnostic{"E0339",
                    "--samples changes nothing: there is one replica, no flow is hashed, no node is shuffled, "
                    "no slow device is drawn",
                    {option_place("--samples", request.samples)},
                    "",
                    "add --set cluster.fabric.routing=hash, --placement shuffled or --slow node:5%"}});
  return count;
}

/// The other job of --beside, on the machine of both.
std::optional<Scenario> share_if_asked(const RunRequest& request, ScenarioSession& session) {
  if (request.beside.empty()) return {};
  const Place place = option_place("--beside", request.beside);
  if (!request.samples.empty() || request.blast_radius)
    throw ConfigError({"E0339",
                       fmt::format("{} a job alone, --beside has another one on its machine",
                                   request.blast_radius ? "--blast-radius is of" : "--samples draws for"),
                       {place},
                       "",
                       "ask for one of them"});
  const std::filesystem::path file = named_file(request.beside, {"scenarios"});
  require_kind(file, ConfigKind::scenario, "run --beside");
  Scenario other = load_scenario(file, {});
  share_machine(session.scenario, other);
  session.context.inputs.insert(session.context.inputs.end(), other.inputs.begin(), other.inputs.end());
  return other;
}

}  // namespace

WhatIfQuestions::WhatIfQuestions(const RunRequest& request, ScenarioSession& session)
    : request_(request),
      session_(session),
      other_(share_if_asked(request, session)),
      samples_(samples_asked(request, session)) {}

std::optional<UnfoldedCheck> WhatIfQuestions::unfolded(const Plan& plan) const {
  if (!request_.unfold) return {};
  check_unfolded(step_size(session_.scenario, plan), machine_memory());
  return check_folding(session_.scenario, plan);
}

std::optional<SampledSteps> WhatIfQuestions::samples(const Plan& plan) const {
  if (samples_ == 0) return {};
  return sample_steps(session_.before_draws, session_.slow, plan, session_.seed, samples_);
}

std::optional<BesideAnswer> WhatIfQuestions::beside(const Plan& plan) const {
  if (!other_) return {};
  const ChosenPlan theirs = decide_plan(*other_, OpenFields::best).chosen;
  return BesideAnswer{std::filesystem::path(request_.beside).stem().string(),
                      replay_beside(session_.scenario, plan, theirs.scenario, theirs.plan)};
}

std::optional<FailureCosts> WhatIfQuestions::blast(const StepPrediction& step) const {
  if (!request_.blast_radius) return {};
  return FailureCosts{step, session_.scenario.job.sequence, blast_radius(session_.scenario, step)};
}

WhatIfs WhatIfQuestions::answer(const StepPrediction& step) const {
  const bool named = !request_.scenario.parameters.empty();
  return {against_usual(session_.scenario, named, step.step_time), unfolded(step.plan), samples(step.plan),
          beside(step.plan), blast(step)};
}

std::vector<Addition> additions(const WhatIfs& what_ifs) {
  std::vector<Addition> out;
  if (what_ifs.samples) out.push_back({samples_table(*what_ifs.samples), samples_sentence(*what_ifs.samples)});
  if (what_ifs.beside) out.push_back({beside_table(*what_ifs.beside), beside_sentence(*what_ifs.beside)});
  if (what_ifs.blast) out.push_back({blast_table(*what_ifs.blast), ""});
  if (what_ifs.against) out.push_back({{}, sentence_of(*what_ifs.against)});
  if (what_ifs.unfolded) out.push_back({{}, sentence_of(*what_ifs.unfolded)});
  return out;
}

void add_to(JsonValue& document, const WhatIfs& what_ifs) {
  document.set("against_usual", json_of(what_ifs.against));
  document.set("unfolded", json_of(what_ifs.unfolded));
  document.set("samples", samples_json(what_ifs.samples));
  document.set("beside", beside_json(what_ifs.beside));
  document.set("blast_radius", blast_json(what_ifs.blast));
}

}  // namespace clusterwright
