// SPDX-License-Identifier: Apache-2.0
#include "models/search/choose_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "models/memory/kind_memory.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/plan_pipeline.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr std::array<const char*, 3> recompute_names = {"none", "selective", "full"};
constexpr int largest_micro_batch = 64;

bool try_recompute(ChosenPlan& chosen, Recompute recompute, std::optional<int> layers) {
  chosen.plan.recompute = recompute;
  chosen.plan.recomputed_layers = layers;
  set_memory(chosen);
  return chosen.possible();
}

/// Recomputation by the usual choice of the stack or more, until it fits: selective, then layer by layer, as few as
/// need be; if nothing does, what needs least.
void decide_recompute(ChosenPlan& chosen) {
  const Recompute assumed = chosen.scenario.stack.assumed_recompute;
  if (assumed == Recompute::none && try_recompute(chosen, Recompute::none, {})) return;
  if (assumed != Recompute::full && try_recompute(chosen, Recompute::selective, {})) return;
  const Bytes selective = chosen.memory.total();
  const bool whole_fits = try_recompute(chosen, Recompute::full, {});
  if (assumed == Recompute::full) return;
  if (!whole_fits) {
    // Tensors of deferred weight gradients may be the peak, and recomputation does not shrink them.
    if (chosen.memory.total() >= selective) try_recompute(chosen, Recompute::selective, {});
    return;
  }
  const Plan& plan = chosen.plan;
  const std::int64_t layers = chosen.scenario.transformer.layers;
  const int most = std::max(static_cast<int>(layers) / plan.pipeline + 2, stage_layout(layers, plan).most_layers());
  int too_few = 0, enough = most;
  while (enough - too_few > 1) {
    const int middle = (too_few + enough) / 2;
    (try_recompute(chosen, Recompute::full, middle) ? enough : too_few) = middle;
  }
  try_recompute(chosen, Recompute::full, enough);
}

ChosenPlan at(const Scenario& scenario, std::optional<int> pipeline, std::optional<int> micro_batch) {
  ChosenPlan chosen{scenario, {}, {}, {}};
  Job& job = chosen.scenario.job;
  if (pipeline) job.parallel.pipeline = pipeline;
  if (micro_batch) job.micro_batch = micro_batch;
  ResolvedPlan resolved = resolve_plan(chosen.scenario);
  chosen.plan = resolved.plan;
  chosen.assumptions = std::move(resolved.assumptions);
  if (job.recompute)
    set_memory(chosen);
  else
    decide_recompute(chosen);
  return chosen;
}

/// Powers of two, then all others, each from the least.
std::vector<int> stage_counts(std::int64_t layers) {
  std::vector<int> out, others;
  for (int stages = 1; stages <= layers; ++stages)
    (std::has_single_bit(static_cast<unsigned>(stages)) ? out : others).push_back(stages);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

/// First number of stages that fits with one sequence per micro-batch and the recomputation that users of the stack
/// choose, else the first that fits with more.
std::optional<int> decide_pipeline(const Scenario& s) {
  if (s.job.parallel.pipeline) return {};
  std::optional<int> first_that_fits, last;
  for (const int stages : stage_counts(s.transformer.layers)) {
    const bool given = !s.job.parallel.stage_layers.empty();
    if (stages > 1 && !given && !splits_evenly(s.transformer.layers, stages)) continue;
    try {
      const ChosenPlan chosen = at(s, stages, s.job.micro_batch.value_or(1));
      last = std::max(last.value_or(0), stages);
      if (!chosen.possible()) continue;
      if (s.job.recompute || chosen.plan.recompute == s.stack.assumed_recompute) return stages;
      if (!first_that_fits) first_that_fits = stages;
    } catch (const ConfigError&) {
      // That many stages contradict something; more may not.
    }
  }
  return first_that_fits ? first_that_fits : last;
}

std::string recompute_text(const Plan& plan) {
  const std::string name = recompute_names[static_cast<std::size_t>(plan.recompute)];
  return plan.recomputed_layers ? fmt::format("{}, of {} layers per stage", name, *plan.recomputed_layers) : name;
}

/// Sequences of a micro-batch that the stack's users choose, if they do and the batch goes into such.
std::optional<int> usual_micro_batch(const SoftwareStack& stack, const Plan& of_single_sequences) {
  const int sequences = of_single_sequences.micro_batches;
  const int chunks = of_single_sequences.pipeline * of_single_sequences.virtual_pipeline;
  switch (stack.assumed_micro_batch) {
    case AssumedMicroBatch::fastest:
      return {};
    case AssumedMicroBatch::one_sequence:
      return 1;
    case AssumedMicroBatch::one_per_stage:
      if (of_single_sequences.pipeline == 1 || sequences % chunks != 0) return {};
      return sequences / chunks;
  }
  return {};
}

/// @param best  plan with micro-batches of one sequence @return false if there is no usual one or it does not fit
bool take_usual_micro_batch(const Scenario& given, std::optional<int> pipeline, ChosenPlan& best) {
  const std::optional<int> size = usual_micro_batch(given.stack, best.plan);
  if (!size || !schedule_takes(best.plan, best.plan.micro_batches / *size)) return false;
  ChosenPlan usual = at(given, pipeline, *size);
  if (!usual.possible()) return false;
  best = std::move(usual);
  return true;
}

/// @param best  plan with micro-batches of one sequence
void take_fastest_micro_batch(const Scenario& given, std::optional<int> pipeline, ChosenPlan& best) {
  const int per_replica = best.plan.micro_batches;
  std::optional<Picoseconds> shortest;
  for (int size = 2; size <= std::min(per_replica, largest_micro_batch); size *= 2) {
    if (per_replica % size != 0) continue;
    if (!schedule_takes(best.plan, per_replica / size)) break;
    ChosenPlan larger = at(given, pipeline, size);
    // More recomputation for a larger micro-batch does not make the step faster.
    if (!larger.fits() || larger.plan.recompute != best.plan.recompute) break;
    if (!shortest) shortest = time_step(best.scenario, best.plan).end;
    const Picoseconds time = time_step(larger.scenario, larger.plan).end;
    if (time >= *shortest) break;
    shortest = time;
    best = std::move(larger);
  }
}

void add_assumptions(const Scenario& given, const std::string& micro_batch, ChosenPlan& chosen) {
  auto& list = chosen.assumptions;
  if (!given.job.parallel.pipeline)
    list.push_back(
        {"pipeline stages", std::to_string(chosen.plan.pipeline), "default", "auto: the smallest number that fits"});
  if (!given.job.micro_batch)
    list.push_back({"micro-batch", std::to_string(chosen.plan.micro_batch), "default", "auto: " + micro_batch});
  if (!given.job.recompute)
    list.push_back({"recomputation", recompute_text(chosen.plan), "default",
                    "auto: the least that fits, or the stack's usual choice"});
}

}  // namespace

bool ChosenPlan::possible() const {
  if (!scenario.ran) return fits();
  return memory_range(memory, memory_residual(scenario.steps, scenario.stack)).low <= capacity;
}

MemoryUse memory_under(const Scenario& s, const Plan& plan) {
  return fullest_memory(s, plan).use;
}

void set_memory(ChosenPlan& chosen) {
  const KindMemory fullest = fullest_memory(chosen.scenario, chosen.plan);
  chosen.memory = fullest.use;
  chosen.capacity = fullest.capacity;
  chosen.fullest_kind = fullest.kind;
}

namespace {

ChosenPlan choose_with(const Scenario& given) {
  const std::optional<int> pipeline = decide_pipeline(given);
  ChosenPlan best = at(given, pipeline, given.job.micro_batch.value_or(1));
  std::string why;
  if (!given.job.micro_batch) {
    why = "the stack's usual choice";
    if (!take_usual_micro_batch(given, pipeline, best)) {
      why = "the fastest size that fits";
      take_fastest_micro_batch(given, pipeline, best);
    }
  }
  add_assumptions(given, why, best);
  return best;
}

/// Plan with experts over as few more ranks than `plan` as fit; nothing if none fits.
std::optional<ChosenPlan> with_more_expert_ranks(const Scenario& given, const Plan& plan) {
  Scenario wider = given;
  for (int ranks = plan.expert + 1;
       ranks <= std::min<std::int64_t>(given.transformer.experts->experts, plan.stage_ranks()); ++ranks) {
    if (given.transformer.experts->experts % ranks != 0) continue;
    wider.job.parallel.expert = ranks;
    try {
      ChosenPlan chosen = choose_with(wider);
      if (!chosen.fits()) continue;
      chosen.assumptions.push_back({"expert group", std::to_string(ranks), "default",
                                    "auto: the smallest number beyond a scale-up domain that fits in memory"});
      return chosen;
    } catch (const ConfigError&) {
      // That many ranks contradict something; more may not.
    }
  }
  return {};
}

}  // namespace

ChosenPlan choose_plan(const Scenario& given) {
  ChosenPlan best = choose_with(given);
  if (given.job.parallel.expert || !given.transformer.experts || best.fits()) return best;
  if (auto wider = with_more_expert_ranks(given, best.plan)) return std::move(*wider);
  return best;
}

}  // namespace clusterwright
