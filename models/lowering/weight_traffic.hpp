// SPDX-License-Identifier: Apache-2.0
/// What a rank exchanges about its weights in the course of a step: gathers of sharded weights, reductions of
/// gradients.
#pragma once

#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_context.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/interleaved_schedule.hpp"

namespace clusterwright {

/// Consecutive layers of a chunk whose weights travel together.
struct Bucket {
  int first_layer = 0;
  int layers = 0;
  RankParameters weights;  ///< of the layers on this rank
  double root = 0;         ///< those of embedding, head and last norm
  RankParameters trained;  ///< those with gradients
};

/// Two regimes. Weights that every replica keeps (or gathers once per step: ZeRO-1, ZeRO-2, and any sharding under a
/// pipeline) travel in buckets, gathered in front of the first forward pass, reduced behind the last backward pass.
/// Weights that are sharded layer by layer (ZeRO-3, FSDP) are gathered for each pass of each layer, a few layers ahead,
/// and their gradients are scattered behind it.
class WeightTraffic {
 public:
  WeightTraffic(StepContext& context, RankClassId rank_class, LaneId data, LaneId host_in, LaneId host_out);

  void begin_step();
  /// In front of a layer's kernels. @param compute  last op of the compute lane so far; may not exist
  /// @return ops that the layer must wait for
  std::vector<OpId> before_layer(const PipelineSlot& slot, int layer, OpId compute);
  /// Behind the kernels of the backward pass of a layer.
  void after_layer(const PipelineSlot& slot, int layer, OpId compute);
  /// Behind the backward pass of a chunk.
  /// @return op that the next micro-batch must wait for where nothing overlaps; may not exist
  OpId after_backward(const PipelineSlot& slot, OpId compute);
  /// What was not reduced yet.
  /// @return the last reduction; does not exist if there was none
  OpId reduce_rest(OpId compute);
  /// The optimizer step where its states are in host memory. @return the last copy
  OpId update_on_host(OpId after);

  /// One of `parts` of the optimizer states, to the pool that they are in, or back. @return the copy
  OpId copy_states(bool out, int parts, OpId after);

  double trained() const { return trained_.total(); }  ///< parameters with gradients on this rank
  double owned() const;                                ///< those that it updates

 private:
  void fill_buckets(int chunk);
  std::vector<OpId> streamed_before(const PipelineSlot& slot, int layer, OpId compute);
  OpId gather_layer(int position, OpId after);
  OpId gather_bucket(const Bucket& bucket);
  OpId reduce(const RankParameters& trained, OpId compute, int note);
  /// Among the ranks that hold the same parameters: those of experts, or those that share all others.
  OpId reduce_group(ReplicaGroup kind, Bytes payload, OpId compute, int note);
  OpId gather_group(ReplicaGroup kind, Bytes payload, OpId after);
  /// Of a layer by its place on the stage, chunk after chunk.
  RankParameters layer_at(int place) const;
  /// All gathers of so many parameters. @param after  op that they wait for; may not exist @return the last one
  OpId gather(const RankParameters& layers, double root, OpId after);
  OpId exchange(ReplicaGroup kind, CollectiveOp op, Bytes payload, int note);
  /// Between the two ranks that hold copies of the same part of the model (DualPipe).
  OpId exchange_copies(CollectiveOp op, Bytes payload, int note);
  /// The same chunk of the model first on both.
  std::vector<int> chunks_in_common_order() const;
  /// Of the device, to `tier` or back.
  OpId copy(MemoryLevel tier, bool out, Bytes payload, OpId after, StepCharge charge);
  OpId host_op(bool out, ChainId chain, OpId after, StepCharge charge);
  bool reduces(const PipelineSlot& slot) const;
  ReplicaGroup shard_kind() const;
  Bytes gathered(double layers, double root) const;  ///< payload of a gather of so many parameters

  StepContext& context_;
  RankClassId class_;
  int stage_;
  LaneId data_, host_in_, host_out_;
  bool streamed_;
  RankParameters trained_;
  std::vector<std::vector<Bucket>> buckets_;  // by chunk
  std::vector<std::vector<OpId>> gathers_;    // by chunk and bucket
  OpId last_gather_;
  std::vector<RankParameters> unreduced_;  // trained parameters
  // Layer by layer: passes run over positions 0..layers-1 (forward) and on to 2 layers - 1 (backward).
  std::vector<OpId> streamed_gathers_;  // by position of the present micro-batch
  OpId root_gather_;
  double root_weights_ = 0, root_trained_ = 0;  // embedding, head and last norm
  double root_routed_ = 0;                      // trained experts of the layers that predict further tokens
};

}  // namespace clusterwright
