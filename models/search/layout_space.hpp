// SPDX-License-Identifier: Apache-2.0
/// Every legal layout of a job on its accelerators, level by level: what the outer levels decide is computed once for
/// all layouts below.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/search/layout.hpp"
#include "models/search/layout_limits.hpp"

namespace clusterwright {

/// Groups inside a stage.
struct InnerGroups {
  int tensor = 1, context = 1, expert = 1, expert_tensor = 1;
  std::size_t cluster = 0;  ///< number of the scenario whose blocks fit these groups
};

struct StageCounts {
  int pipeline = 1, data = 1;
};

struct ScheduleChoice {
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  int virtual_pipeline = 1;
};

struct StateChoice {
  Sharding sharding = Sharding::zero1;
  int shard_group = 1;
  Offload offload;
};

/// Rows of layers of one rank, which layouts of the same groups, micro-batch and recomputation share, are lowered and
/// replayed; that takes as long as some hundred layouts.
inline constexpr double layouts_of_a_row = 200;

/// Chunks of a pipeline, over all of its stages, that take as long as a layout: what a stage holds and exchanges is
/// found chunk by chunk.
inline constexpr double chunks_of_a_layout = 10;

/// Size of a space.
struct SpaceExtent {
  double layouts = 0;  ///< partial recomputation aside
  double rows = 0;     ///< about
  double chunks = 0;   ///< of all stages of all layouts that differ in more than their states
  double work() const { return layouts + layouts_of_a_row * rows + chunks / chunks_of_a_layout; }  ///< in layouts
};

/// Layouts whose degrees resolve_plan() accepts. Left out are those that do the same as another one in the space:
/// orders of ranks where nothing changes places, sharding beyond zero1 where a pipeline keeps weights and gradients
/// whole or where nobody holds the same weights (but fsdp, which keeps no second weights even then), groups of hsdp
/// that are all of the ranks, selective recomputation that repeats nothing. Left out too are orders that the stack has
/// not, and groups that fill fewer accelerators of each domain than the scenario uses: they would need more machines
/// than were asked for.
class LayoutSpace {
 public:
  /// @param scenario  whose cluster has the wanted size; what the job states of a layout does not matter
  /// @throws ConfigError as check_any_layout
  LayoutSpace(Scenario scenario, LayoutLimits limits);

  const Scenario& given() const { return base_; }
  const LayoutLimits& limits() const { return limits_; }
  /// Memory that the fullest rank may take.
  Bytes capacity(const Scenario& scenario) const;
  const SoftwareStack& stack() const { return base_.stack; }
  std::int64_t layers() const { return base_.transformer.layers; }

  SpaceExtent extent();
  double size() { return extent().layouts; }
  /// Leaves out values that are seldom best, as few as need be to come to at most the work of `most` layouts: offload
  /// to the host, groups of hsdp, the second order of ranks, micro-batches (but small ones that the limits keep)
  /// and then groups other than powers of two, numbers of chunks other than those.
  /// @return the last that was left out, after all before it
  LeftOut thin_out(double most);

  /// Scenario for groups, with blocks of accelerators that they fill. Its job is the given one.
  const Scenario& scenario(const InnerGroups& groups) const { return *scenarios_[groups.cluster]; }

  /// Number of the scenario whose blocks such groups fill. @pre a space of the same scenario has these groups
  std::size_t cluster_of(InnerGroups groups);

  /// Groups that are seldom best come last, so that a search that ends early has seen the others.
  std::vector<InnerGroups> groups();
  std::vector<StageCounts> stages(const InnerGroups& groups) const;
  std::vector<ScheduleChoice> schedules(int pipeline) const;
  std::vector<int> micro_batches(const StageCounts& stages) const;
  /// Whether a schedule of the space runs backward passes in two parts.
  bool splits_backward() const;
  bool takes(const ScheduleChoice& choice, int pipeline, int micro_batches) const;
  std::vector<Recompute> recomputes() const;
  std::vector<StateChoice> states(const InnerGroups& groups, const StageCounts& stages) const;
  bool fills_sites(const InnerGroups& groups, const StageCounts& stages) const;
  std::vector<RankOrder> orders(const StageCounts& stages) const;

 private:
  int accelerators() const { return base_.cluster.spec.accelerators; }
  bool splits_model(int tensor) const;
  bool splits_sequence(int tensor, int context) const;
  void add_expert_groups(int tensor, int context, std::vector<InnerGroups>& out);
  bool splits_experts(int tensor, int expert, int expert_tensor, int used) const;
  void add_groups(InnerGroups groups, std::vector<InnerGroups>& out);
  const Scenario* fitting(const InnerGroups& groups, std::size_t& number);
  std::vector<Offload> offloads(Sharding sharding, const StageCounts& stages) const;
  bool leaves_out(LeftOut what) const { return left_out_ >= what; }
  bool repeats_attention() const;
  int oddness(const InnerGroups& groups) const;
  std::vector<InnerGroups> in_turns(std::vector<InnerGroups> groups) const;
  bool is_usual_context(int tensor, int context) const;
  struct Schedules;
  Schedules schedules_and_sizes(const StageCounts& stages) const;
  bool distinct(Sharding sharding, const StageCounts& stages, int replicas) const;

  Scenario base_;
  LayoutLimits limits_;
  LeftOut left_out_ = LeftOut::nothing;
  Sharding unshared_ = Sharding::zero1;               ///< stands for all where nobody holds the same weights
  Sharding staged_ = Sharding::zero1;                 ///< stands for all but none under several pipeline stages
  std::vector<std::unique_ptr<Scenario>> scenarios_;  // by blocks
  std::map<std::pair<int, int>, std::size_t> known_;  // by tensor and expert groups
};

}  // namespace clusterwright
