// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/mixed_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/job/uniform_scenario.hpp"
#include "models/memory/kind_memory.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "topology/cluster/uniform_cluster.hpp"

namespace clusterwright {

namespace {

/// Place of a kind in the list.
std::size_t place_of(const std::vector<KindUse>& kinds, std::vector<KindUse>::const_iterator kind) {
  return static_cast<std::size_t>(kind - kinds.begin());
}

}  // namespace

std::optional<MixedUse> mixed_use(const Scenario& s, const Plan& plan, const StepTime& step) {
  if (s.cluster.kinds() == 1) return {};
  MixedUse use;
  for (const KindMemory& memory : memory_by_kind(s, plan)) {
    const auto place = static_cast<std::size_t>(memory.kind);
    const Seconds alone = to_seconds(time_step(uniform_scenario(s, memory.kind), plan).end);
    use.kinds.push_back({kind_name(s.cluster, memory.kind), accelerators_of_kind(s.cluster, memory.kind),
                         memory.use.total(), memory.capacity, step.busy.at(place), alone});
  }
  use.waited_for = place_of(use.kinds, std::ranges::max_element(std::as_const(use.kinds), {}, &KindUse::busy));
  use.fastest = place_of(use.kinds, std::ranges::min_element(std::as_const(use.kinds), {}, &KindUse::alone));
  use.loss = std::max(Seconds{}, to_seconds(step.end) - use.kinds[use.fastest].alone);
  return use;
}

std::string mixed_sentence(const MixedUse& use, Seconds step) {
  std::string others;
  int all = 0;
  for (std::size_t i = 0; i < use.kinds.size(); ++i) {
    all += use.kinds[i].accelerators;
    if (i != use.waited_for)
      others += fmt::format("{}{} for {:.0f} %", others.empty() ? "" : ", ", use.kinds[i].name,
                            100 * (use.kinds[i].busy / step));
  }
  const KindUse& slow = use.kinds[use.waited_for];
  const KindUse& fast = use.kinds[use.fastest];
  return fmt::format(
      "nodes of {} kinds: the step waits for {}, whose ranks compute for {:.0f} % of it ({}); under the same plan "
      "{} {} take {:.3f} s, {:.3f} s less ({:.1f} %)",
      use.kinds.size(), slow.name, 100 * (slow.busy / step), others, all, fast.name, fast.alone.in(second),
      use.loss.in(second), 100 * (use.loss / step));
}

}  // namespace clusterwright
