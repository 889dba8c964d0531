// SPDX-License-Identifier: Apache-2.0
/// Builder of a StepGraph: convenient here, compact in what it builds.
///
/// Ops are kept in the order in which they are added, one array per property. Dependencies are gathered as pairs and
/// sorted into place by build() with a counting sort: count the successors of each op, turn counts into begins, and
/// fill. Example: pairs (0, 2) (1, 2) (0, 1) give successor_begin 0 2 3 3 and successor 2 1 2.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// The ops of a rank class must be added in the order in which its host issues them. Dependencies may join any two ops
/// already added.
class StepGraphBuilder {
 public:
  /// @param charge_names  one name per ChargeId, in order
  StepGraphBuilder(std::vector<std::string> charge_names, EngineCharges engine_charges);

  PowerDomainId add_power_domain(std::string name);
  /// Control of the rank classes that are added from now on.
  void set_power_control(const PowerControl& control) { control_ = control; }
  /// Kind of the rank classes that are added from now on.
  void set_kind(std::uint32_t kind) { kind_ = kind; }

  /// @param idle_power, power_limit  watts of one rank; an unlimited rank has a very large limit
  RankClassId add_rank_class(std::string name, std::uint32_t multiplicity, PowerDomainId domain, Watts idle_power,
                             Watts power_limit, double highest_clock = 1, double relative_clock = 1);
  /// @throws std::logic_error if it is the second compute lane of the rank
  LaneId add_lane(RankClassId rank, LaneKind kind, std::string name);

  WorkId add_work(std::string name, const WorkTiming& timing);
  SmTableId add_sm_table(SmTable table);
  ResourceId add_resource(std::string name, BytesPerSecond capacity);

  /// Use of a resource by a leg of a chain.
  struct LegUse {
    ResourceId resource;
    std::uint32_t count = 1;
    double coefficient = 1;  ///< bytes on the resource per byte of progress
  };
  struct Leg {
    LegTiming timing;
    std::vector<LegUse> uses;
  };
  ChainId add_chain(const std::vector<Leg>& legs);

  /// @param late  charge of members that wait for a member of another rank class
  RendezvousId add_rendezvous(ChainId chain, ChargeId late);

  /// @throws std::logic_error on a communication lane, where an op must join a rendezvous
  OpId add_op(LaneId lane, WorkId work, ChargeId charge, std::int32_t note = -1);
  OpId add_op(LaneId lane, WorkId work, ChargeId charge, RendezvousId rendezvous, std::int32_t note = -1);
  void depends(OpId before, OpId after);

  /// Adds the work of passes now, rather than with the first pass.
  void prepare_passes();
  /// @throws std::logic_error if an op inside does not come behind the first and before the last, which are kernels
  PassId add_pass(PassTemplate pass);
  /// Lane of ops inside passes. @return its place in StepStructure::pass_lanes; the first one is the compute lane
  std::uint32_t add_pass_lane(RankClassId rank, LaneId lane);
  /// Chain of collectives inside passes. @return its place in StepStructure::pass_chains
  std::uint32_t add_pass_chain(RankClassId rank, ChainId chain);
  /// Pass of a rank class, which has its lanes and chains.
  OpId add_pass_op(RankClassId rank, PassId pass, std::int32_t note = -1, std::int32_t second_note = -1);

  void reserve(std::size_t ops, std::size_t dependencies);
  /// Makes room for so many rank classes with about as many ops as those that are there.
  void reserve_classes(std::size_t there, std::size_t all);

  /// Sorts dependencies into place and checks every timing.
  /// @throws std::logic_error if a timing is negative or not finite, or a rendezvous has no members
  StepGraph build() &&;

 private:
  void check_timings() const;
  OpId append(LaneId lane, WorkId work, ChargeId charge, RendezvousId rendezvous, PassId pass, std::int32_t note);

  struct PassNeeds {
    std::uint32_t lanes = 0, chains = 0;
  };

  StepGraph graph_;
  PowerControl control_;
  std::uint32_t kind_ = 0;
  WorkId pass_work_;  // of ops that stand for passes
  IndexedVector<PassId, PassNeeds> pass_needs_;
  std::vector<std::pair<OpId, OpId>> dependencies_;
  IndexedVector<LaneId, OpId> last_in_lane_;
  IndexedVector<RankClassId, char> has_compute_;
};

}  // namespace clusterwright
