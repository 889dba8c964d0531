// SPDX-License-Identifier: Apache-2.0
/// Writes the program of one rank class, in the order in which its host issues it.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "models/lowering/input_lane.hpp"
#include "models/lowering/layer_chains.hpp"
#include "models/lowering/step_context.hpp"
#include "models/lowering/weight_traffic.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

class StepProgram {
 public:
  StepProgram(StepContext& context, RankClassId rank_class);
  void write();
  /// One layer and nothing else.
  void write_layer(LayerKind kind, bool backward);

 private:
  struct Lanes {
    LaneId compute, tensor, context, experts, data, host_in, host_out, issue, input;
    LaneId out[message_route_count], in[message_route_count];  // pipeline messages, by route
  };

  static Lanes add_lanes(StepContext& c, RankClassId rank_class);
  void choose_message_chains();
  void run(const PipelineSlot& slot);
  void begin_forward(const PipelineSlot& slot);
  void await_data(const PipelineSlot& slot);
  void forward_layer(const PipelineSlot& slot, int layer);
  void end_forward(const PipelineSlot& slot);
  void begin_backward(const PipelineSlot& slot);
  void backward_layer(const PipelineSlot& slot, int layer);
  void prepare_backward(const PipelineSlot& slot, int layer);
  void end_backward(const PipelineSlot& slot);
  void end_gradients(const PipelineSlot& slot);
  void weight_gradients(const PipelineSlot& slot);
  /// A forward and a backward pass of different chunks: whatever one waits for runs behind the other's kernels.
  void side_by_side(const PipelineSlot& forward, const PipelineSlot& backward);
  void layers_side_by_side(const PipelineSlot& forward, int ahead, const PipelineSlot& backward, int back);
  void finish();
  void optimize(OpId norm);
  void optimize_through_pool(OpId norm);
  void reduce_tied_table();
  /// A recipe on its way into the graph.
  struct Stamping {
    const Recipe& recipe;
    int note;
    OpId entry;  // last kernel in front
    std::vector<OpId>& ops;
    bool ended() const { return ops.size() == recipe.size(); }
  };
  Stamping start(const Recipe& recipe, int note, int which = 0);
  void stamp(const Recipe& recipe, int note);
  void stamp_next(Stamping& stamping);
  OpId stamp_collective(const RecipeOp& op, int note);
  OpId stamp_host(const RecipeOp& op, int note);
  /// Up to and with its next collective.
  void stamp_until_collective(Stamping& stamping);
  const LayerPasses& passes(const PipelineSlot& slot, int layer) const;
  void stamp_head_forward(const PipelineSlot& slot);
  void stamp_head_backward(const PipelineSlot& slot, BackwardPart part);
  OpId copy_activations(bool to_host, OpId after);
  void store_activations(const PipelineSlot& slot, int layer);
  void fetch_activations(const PipelineSlot& slot, int layer);
  /// A receive is posted one slot ahead, so that its kernel does not hold multiprocessors all along. Between the ends
  /// of the pipeline, groups of more micro-batches than stages are sent so many forwards (and backwards) before use.
  std::size_t slots_ahead(Stream stream) const;
  MessageRoute route(const PipelineSlot& slot) const;
  void receive(const PipelineSlot& slot);
  void send(const PipelineSlot& slot);
  void wait_for(OpId op) { pending_.push_back(op); }
  void wait_for(const std::vector<OpId>& ops) { pending_.insert(pending_.end(), ops.begin(), ops.end()); }
  RankClassId neighbour(int step) const;
  /// The layer's forward pass comes once more in front of its backward pass.
  bool repeats(const PipelineSlot& slot, int layer) const;
  const ChunkContents& contents(const PipelineSlot& slot) const { return context_.layout.at(stage_, slot.chunk); }

  StepContext& context_;
  RankClassId class_;
  int stage_;
  RankClassId tensor_group_;
  std::array<RankClassId, replica_group_count> groups_;  // names, by ReplicaGroup
  Lanes lanes_;
  LayerChains chains_;
  WeightTraffic weights_;
  std::optional<InputLane> input_;
  ChainId message_chains_[2], incoming_chains_[2];  // by stream
  std::vector<OpId> slot_ends_;  // last compute op of each slot so far, without those for weight gradients
  std::vector<OpId> pending_;    // what the next kernel waits for
  std::vector<OpId> stamped_[2];
  OpId last_compute_;
  std::map<std::array<int, 3>, OpId> stored_;  // by micro-batch, chunk and layer: copies of activations to the host
  OpId before_fetch_;                          // last kernel before the layer whose activations came last
};

}  // namespace clusterwright
