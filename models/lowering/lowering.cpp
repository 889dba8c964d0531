// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/lowering.hpp"

#include <fmt/format.h>

#include "models/lowering/step_context.hpp"
#include "models/lowering/step_program.hpp"
#include "models/plan/plan.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Simulated time is finite; sharing may stretch a step, hence the wide margin below its 106 days.
void check_length(const StepGraph& graph) {
  constexpr double longest_days = 20;
  Seconds total;
  for (std::size_t i = 0; i < graph.structure.op_count(); ++i)
    total += to_seconds(graph.timing.works[graph.structure.op_work[OpId(i)]].duration);
  for (const Rendezvous& meeting : graph.structure.rendezvous)
    for (LegId s(graph.structure.chain_begin[meeting.chain.value]);
         s.value < graph.structure.chain_begin[meeting.chain.value + 1]; ++s.value) {
      const LegTiming& leg = graph.timing.legs[s];
      if (leg.bytes > 0) total += static_cast<double>(leg.bytes) / static_cast<double>(leg.rate_bound) * second;
    }
  if (total < longest_days * day) return;
  throw ConfigError({"E0502",
                     fmt::format("the kernels of one step take {:.0f} days", total.in(day)),
                     {},
                     "",
                     fmt::format("at most {:.0f} can be simulated: a shorter sequence, a smaller batch or faster links",
                                 longest_days)});
}

}  // namespace

StepGraph lower_training_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  StepContext context(scenario, plan, folding);
  for (const RankClassId c : context.classes.ids()) StepProgram(context, c).write();
  StepGraph graph = std::move(context.builder).build();
  check_length(graph);
  return graph;
}

StepGraph lower_layer(const Scenario& scenario, const Plan& plan, LayerKind kind, bool backward) {
  StepContext context(scenario, plan, Folding::folded);
  for (const RankClassId c : context.classes.ids()) StepProgram(context, c).write_layer(kind, backward);
  return std::move(context.builder).build();
}

}  // namespace clusterwright
