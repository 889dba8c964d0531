// SPDX-License-Identifier: Apache-2.0
#include "sim/contention_survey.hpp"

#include <algorithm>

#include "sim/wide_integer.hpp"

namespace clusterwright::engine {
namespace {

/// Largest demand of a lane on a resource.
struct LaneDemand {
  ResourceId resource;
  UInt128 amount = 0;  // bytes per second of one instance, in 1/coefficient_one
};

void raise(std::vector<LaneDemand>& demands, ResourceId resource, UInt128 amount) {
  for (LaneDemand& demand : demands)
    if (demand.resource == resource) return void(demand.amount = std::max(demand.amount, amount));
  demands.push_back({resource, amount});
}

}  // namespace

ContentionSurvey::ContentionSurvey(const PreparedStep& step)
    : structure_(step.structure()), lanes_(structure_.lanes.size()) {
  std::vector<bool> works_seen(structure_.lanes.size() * structure_.work_names.size(), false);
  const auto add_work = [&](LaneId lane, WorkId work) {
    auto seen = works_seen[lane.value * structure_.work_names.size() + work.value];
    if (!seen) lanes_[lane].works.push_back(work);
    seen = true;
  };
  const auto add_chain = [&](LaneId lane, ChainId chain) {
    std::vector<ChainId>& chains = lanes_[lane].chains;
    if (std::find(chains.rbegin(), chains.rend(), chain) == chains.rend()) chains.push_back(chain);
  };
  std::vector<char> seen(structure_.rendezvous.size(), 0);
  std::vector<char> passes_seen(structure_.passes.size() * structure_.ranks.size(), 0);
  for (std::size_t i = 0; i < step.op_count(); ++i) {
    const OpState& op = step.op(OpId(i));
    add_work(op.lane, op.work);
    if (const PassId pass = structure_.op_pass[OpId(i)]; pass.exists()) {
      const RankClassId rank = step.rank_of(op.lane);
      char& known = passes_seen[rank.value * structure_.passes.size() + pass.value];
      if (known) continue;
      known = 1;
      for (const PassOp& inner : structure_.passes[pass].ops) {
        const LaneId lane = structure_.pass_lanes[rank][inner.lane];
        add_work(lane, inner.work);
        if (inner.collective != PassOp::kernel) add_chain(lane, structure_.pass_chains[rank][inner.collective]);
      }
    }
    if (!op.rendezvous.exists() || seen[op.rendezvous.value]) continue;
    seen[op.rendezvous.value] = 1;
    add_chain(op.lane, structure_.rendezvous[op.rendezvous].chain);
  }
}

bool ContentionSurvey::memory_can_be_short(const WorkTimes& works) const {
  IndexedVector<RankClassId, std::uint64_t> together(structure_.ranks.size(), 0);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    std::uint32_t most = 0;
    for (const WorkId work : lanes_[LaneId(i)].works) most = std::max(most, works.needs(work).memory_demand);
    together[structure_.lanes[LaneId(i)].rank] += most;
  }
  return std::any_of(together.begin(), together.end(), [](std::uint64_t demand) { return demand > whole_memory; });
}

template <class Visit>
void ContentionSurvey::for_each_use(const StepTiming& timing, ChainId chain, Visit visit) const {
  for (std::uint32_t leg = structure_.chain_begin[chain.value]; leg < structure_.chain_begin[chain.value + 1]; ++leg)
    for (std::uint32_t use = structure_.use_begin[leg]; use < structure_.use_begin[leg + 1]; ++use) {
      const UInt128 amount =
          UInt128{timing.coefficients[use]} * structure_.uses[use].count * timing.legs[LegId(leg)].rate_bound;
      visit(structure_.uses[use].resource, amount);
    }
}

std::vector<char> ContentionSurvey::free_chains(const StepTiming& timing) const {
  IndexedVector<ResourceId, UInt128> together(timing.capacity.size(), 0);
  for (const LaneSurvey& lane : lanes_) {
    std::vector<LaneDemand> demands;
    for (const ChainId chain : lane.chains)
      for_each_use(timing, chain, [&](ResourceId resource, UInt128 amount) { raise(demands, resource, amount); });
    for (const LaneDemand& demand : demands) together[demand.resource] += demand.amount;
  }
  std::vector<char> free_chains(structure_.chain_begin.size() - 1, 1);
  for (std::size_t i = 0; i < free_chains.size(); ++i)
    for_each_use(timing, ChainId(i), [&](ResourceId resource, UInt128) {
      if (together[resource] > UInt128{timing.capacity[resource]} * coefficient_one) free_chains[i] = 0;
    });
  return free_chains;
}

}  // namespace clusterwright::engine
