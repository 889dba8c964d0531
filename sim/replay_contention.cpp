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

void Replay::survey_lanes() {
  surveys_.resize(structure_.lanes.size());
  const std::size_t works = structure_.work_names.size();
  std::vector<bool> works_seen(structure_.lanes.size() * works, false);
  std::vector<char> seen(structure_.rendezvous.size(), 0);
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpState& op = ops_[OpId(i)];
    LaneSurvey& lane = surveys_[op.lane];
    const std::size_t work = op.lane.value * works + op.work.value;
    if (!works_seen[work]) lane.works.push_back(op.work);
    works_seen[work] = true;
    if (!op.rendezvous.exists() || seen[op.rendezvous.value]) continue;
    seen[op.rendezvous.value] = 1;
    const ChainId chain = structure_.rendezvous[op.rendezvous].chain;
    if (std::find(lane.chains.rbegin(), lane.chains.rend(), chain) == lane.chains.rend()) lane.chains.push_back(chain);
  }
}

/// Whether the memory of some rank can ever be asked for more than it has: the largest demands of its lanes, together.
bool Replay::memory_can_be_short() const {
  IndexedVector<RankClassId, std::uint64_t> together(structure_.ranks.size(), 0);
  for (std::size_t i = 0; i < surveys_.size(); ++i) {
    std::uint32_t most = 0;
    for (const WorkId work : surveys_[LaneId(i)].works) most = std::max(most, works_[work].memory_demand);
    together[structure_.lanes[LaneId(i)].rank] += most;
  }
  return std::any_of(together.begin(), together.end(), [](std::uint64_t demand) { return demand > whole_memory; });
}

template <class Visit>
void Replay::for_each_use(ChainId chain, Visit visit) const {
  for (std::uint32_t s = structure_.chain_begin[chain.value]; s < structure_.chain_begin[chain.value + 1]; ++s)
    for (std::uint32_t u = structure_.use_begin[s]; u < structure_.use_begin[s + 1]; ++u) {
      const UInt128 amount =
          UInt128{timing_->coefficients[u]} * structure_.uses[u].count * timing_->legs[LegId(s)].rate_bound;
      visit(structure_.uses[u].resource, amount);
    }
}

/// A resource that holds the largest demand of every lane at once never restrains anybody. Chains that cross only such
/// resources always take their time alone: one event ends them, and capacity sharing need not know.
void Replay::find_free_chains() {
  free_chains_.assign(chain_alone_.size(), 0);
  if (memory_can_be_short()) return;
  IndexedVector<ResourceId, UInt128> together(timing_->capacity.size(), 0);
  for (const LaneSurvey& lane : surveys_) {
    std::vector<LaneDemand> demands;
    for (const ChainId chain : lane.chains)
      for_each_use(chain, [&](ResourceId resource, UInt128 amount) { raise(demands, resource, amount); });
    for (const LaneDemand& demand : demands) together[demand.resource] += demand.amount;
  }
  for (std::size_t i = 0; i < free_chains_.size(); ++i) {
    bool free = true;
    for_each_use(ChainId(i), [&](ResourceId resource, UInt128) {
      free = free && together[resource] <= UInt128{timing_->capacity[resource]} * coefficient_one;
    });
    free_chains_[i] = free;
  }
}

}  // namespace clusterwright::replay_state
