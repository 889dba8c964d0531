/// Writes the program of one rank class, in the order in which its host issues it.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "models/input_lane.hpp"
#include "models/pipeline_schedule.hpp"
#include "models/step_context.hpp"
#include "models/weight_traffic.hpp"

namespace clusterwright {

class StepProgram {
 public:
  StepProgram(StepContext& context, std::size_t rank_class);
  void write();

 private:
  struct Lanes {
    LaneId compute, tensor, context, data, host_in, host_out, input;
    LaneId out[2], in[2];  // pipeline messages, by stream
  };

  static Lanes add_lanes(StepContext& c, std::size_t rank_class);
  void choose_tensor_chains();
  void choose_context_chains();
  void choose_message_chains();
  void forward(const PipelineSlot& slot);
  void await_data(const PipelineSlot& slot);
  void backward(const PipelineSlot& slot);
  void finish();
  void optimize(OpId norm);
  void optimize_through_pool(OpId norm);
  void reduce_tied_table();
  void stamp(const Recipe& recipe, int note);
  void stamp_collective(const RecipeOp& op, int note);
  OpId copy_activations(bool to_host, OpId after);
  void store_activations(const PipelineSlot& slot, int layer);
  void fetch_activations(const PipelineSlot& slot, int layer);
  /// A receive is posted one slot ahead, so that its kernel does not hold multiprocessors all along. Between the ends
  /// of the pipeline, groups of more micro-batches than stages are sent so many forwards (and backwards) before use.
  std::size_t slots_ahead(Stream stream) const;
  void receive(Stream stream, std::size_t sender, int note);
  void send(Stream stream, int note);
  void wait_for(OpId op) { pending_.push_back(op); }
  void wait_for(const std::vector<OpId>& ops) { pending_.insert(pending_.end(), ops.begin(), ops.end()); }
  std::size_t neighbour(int step) const;
  /// The layer's forward pass comes once more in front of its backward pass.
  bool repeats(const PipelineSlot& slot, int layer) const;
  bool first_part(const PipelineSlot& slot) const { return stage_ == 0 && slot.chunk == 0; }
  bool last_part(const PipelineSlot& slot) const {
    return stage_ == c_.plan.pipeline - 1 && slot.chunk == c_.plan.virtual_pipeline - 1;
  }

  StepContext& c_;
  std::size_t class_;
  int stage_;
  std::size_t tensor_group_, context_group_;
  Lanes lanes_;
  WeightTraffic weights_;
  std::optional<InputLane> input_;
  std::array<ChainId, layer_collective_count> layer_chains_;  // by LayerCollective
  ChainId message_chains_[2], incoming_chains_[2];
  std::vector<OpId> slot_ends_;  // last compute op of each slot so far
  std::vector<OpId> pending_;    // what the next kernel waits for
  std::vector<OpId> stamped_;
  OpId last_compute_;
  std::map<std::array<int, 3>, OpId> stored_;  // by micro-batch, chunk and layer: copies of activations to the host
  OpId before_fetch_;                          // last kernel before the layer whose activations came last
};

}  // namespace clusterwright
