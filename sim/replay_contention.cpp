#include <algorithm>

#include "sim/replay_run.hpp"

namespace clusterwright::replay_state {

namespace {

/// What a lane may ask of a resource at one time: it runs one op after the other, so the largest of its chains counts.
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

/// What the ops of each lane can ask for; a rendezvous counts for the lane of its first op.
IndexedVector<LaneId, Replay::LaneSurvey> Replay::survey_lanes() const {
  IndexedVector<LaneId, LaneSurvey> lanes(structure_.lanes.size());
  std::vector<char> seen(structure_.rendezvous.size(), 0);
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpState& op = ops_[OpId(i)];
    LaneSurvey& lane = lanes[op.lane];
    lane.memory = std::max(lane.memory, works_[op.work].memory_demand);
    if (!op.rendezvous.exists() || seen[op.rendezvous.value]) continue;
    seen[op.rendezvous.value] = 1;
    const ChainId chain = structure_.rendezvous[op.rendezvous].chain;
    if (std::find(lane.chains.rbegin(), lane.chains.rend(), chain) == lane.chains.rend()) lane.chains.push_back(chain);
  }
  return lanes;
}

/// Whether the memory of some rank can ever be asked for more than it has.
bool Replay::memory_can_be_short(const IndexedVector<LaneId, LaneSurvey>& lanes) const {
  IndexedVector<RankClassId, std::uint64_t> together(structure_.ranks.size(), 0);
  for (std::size_t i = 0; i < lanes.size(); ++i) together[lanes_[LaneId(i)].rank] += lanes[LaneId(i)].memory;
  return std::any_of(together.begin(), together.end(), [](std::uint64_t demand) { return demand > whole_memory; });
}

template <class Visit>
void Replay::for_each_use(ChainId chain, Visit visit) const {
  for (std::uint32_t s = structure_.chain_begin[chain.value]; s < structure_.chain_begin[chain.value + 1]; ++s)
    for (std::uint32_t u = structure_.use_begin[s]; u < structure_.use_begin[s + 1]; ++u) {
      const UInt128 amount =
          UInt128{price_.coefficients[u]} * structure_.uses[u].count * price_.stages[StageId(s)].rate_bound;
      visit(structure_.uses[u].resource, amount);
    }
}

/// A resource that holds the largest demand of every lane at once never restrains anybody. Chains that cross only such
/// resources always take their time alone: one event ends them, and capacity sharing need not know.
void Replay::prepare_free_chains() {
  free_chains_.assign(chain_alone_.size(), false);
  const IndexedVector<LaneId, LaneSurvey> lanes = survey_lanes();
  if (memory_can_be_short(lanes)) return;
  IndexedVector<ResourceId, UInt128> together(price_.capacity.size(), 0);
  for (const LaneSurvey& lane : lanes) {
    std::vector<LaneDemand> demands;
    for (const ChainId chain : lane.chains)
      for_each_use(chain, [&](ResourceId resource, UInt128 amount) { raise(demands, resource, amount); });
    for (const LaneDemand& demand : demands) together[demand.resource] += demand.amount;
  }
  for (std::size_t i = 0; i < free_chains_.size(); ++i) {
    bool free = true;
    for_each_use(ChainId(i), [&](ResourceId resource, UInt128) {
      free = free && together[resource] <= UInt128{price_.capacity[resource]} * coefficient_one;
    });
    free_chains_[i] = free;
  }
}

}  // namespace clusterwright::replay_state
