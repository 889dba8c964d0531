/// Links of the folded machine as resources of a step graph, and the chains of communication that cross them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "models/collectives/collective_cost.hpp"
#include "models/placement.hpp"
#include "models/rank_classes.hpp"
#include "sim/step_graph_builder.hpp"
#include "topology/cluster.hpp"

namespace clusterwright {

class StepLinks {
 public:
  StepLinks(StepGraphBuilder& builder, const Cluster& cluster, const ParameterSet& parameters,
            const Placement& placement, const RankClasses& classes);

  /// A collective of a tensor group that holds class `c`.
  ChainId tensor(CollectiveOp op, Bytes payload, std::size_t c);
  /// A collective over the data-parallel group of the ranks of class `c`.
  ChainId data(CollectiveOp op, Bytes payload, std::size_t c);
  /// A pipeline message from class `c` along `stream`. @param payload  bytes that this rank sends
  ChainId message(Stream stream, Bytes payload, std::size_t c);
  /// A few bytes reduced over every rank of the job.
  ChainId everywhere();
  /// The gradient of a tied table, reduced over the first and the last stage; `c` is on the first.
  ChainId tied_table(Bytes payload, std::size_t c);

  /// Lowest class of each group that `c` belongs to: names the group.
  std::size_t tensor_group(std::size_t c) const;
  std::size_t data_group(std::size_t c) const;
  /// Class at the other end of a message from `c`.
  std::size_t receiver(Stream stream, std::size_t c) const;

 private:
  using Uses = std::vector<StepGraphBuilder::StageUse>;

  ChainId chain(const CollectiveCost& cost, Uses uses);
  CollectiveCost price(CollectiveOp op, Bytes payload, const GroupShape& group, Seconds switches) const;
  void use_ports(Uses& uses, std::size_t c, const CollectiveCost& cost, int members_per_node) const;
  void use_uplinks(Uses& uses, Stream stream, std::size_t c, const CollectiveCost& cost) const;
  std::vector<std::size_t> classes_of_data_group(std::size_t c) const;
  Seconds worst_ring_hop() const;

  struct Ports {
    ResourceId scale_up_out, scale_up_in, network_out, network_in;
  };

  StepGraphBuilder& builder_;
  const Cluster& cluster_;
  const ParameterSet& parameters_;
  const Placement& placement_;
  const RankClasses& classes_;
  std::vector<Ports> ports_;         // by class
  std::vector<ResourceId> uplinks_;  // by RankClasses resource number
  std::map<std::tuple<int, double, std::size_t>, ChainId> data_chains_;
};

}  // namespace clusterwright
