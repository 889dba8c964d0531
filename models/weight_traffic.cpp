#include "models/weight_traffic.hpp"

#include <algorithm>

#include "models/memory/parameter_memory.hpp"

namespace clusterwright {

namespace {

constexpr double bytes_16bit = 2;
/// Adam's states and the master weights.
constexpr double state_bytes = 12;

}  // namespace

WeightTraffic::WeightTraffic(StepContext& context, std::size_t rank_class, LaneId data, LaneId host_in, LaneId host_out)
    : c_(context),
      class_(rank_class),
      stage_(context.classes.representative(rank_class).pipeline),
      data_(data),
      host_in_(host_in),
      host_out_(host_out),
      streamed_(streams_weights(context.memory)) {
  for (int chunk = 0; chunk < c_.plan.virtual_pipeline; ++chunk) fill_buckets(chunk);
  for (const auto& buckets : buckets_)
    for (const Bucket& bucket : buckets) trained_ += bucket.trained;
}

void WeightTraffic::fill_buckets(int chunk) {
  const ChunkContents& contents = c_.layout.at(stage_, chunk);
  const Transformer& model = c_.scenario.transformer;
  const bool adapters = c_.memory.lora_rank > 0;
  const double layer = layer_parameters(model) / c_.plan.tensor;
  const double trained = adapters ? adapter_parameters(model, c_.memory.lora_rank) / c_.plan.tensor : layer;
  const double wanted = c_.scenario.stack.bucket.value.in(byte) / c_.scenario.stack.gradient_size.value;
  const int step = std::max(1, static_cast<int>(std::min(wanted / trained, 1e6)));
  std::vector<Bucket> buckets;
  for (int first = 0; first < std::max(1, contents.layers); first += step) {
    const int layers = std::max(0, std::min(step, contents.layers - first));
    buckets.push_back({first, layers, layers * layer, 0, layers * trained});
  }
  const double table = contents.embedding ? embedding_parameters(model) / c_.plan.tensor : 0;
  const double head = contents.head ? head_weights(c_.memory) / c_.plan.tensor : 0;
  root_weights_ += table + head;
  root_trained_ += adapters ? 0 : table + head;
  buckets.front().root += table;
  buckets.back().root += head;
  if (!adapters) buckets.front().trained += table, buckets.back().trained += head;
  buckets_.push_back(std::move(buckets));
}

ReplicaGroup WeightTraffic::shard_kind() const {
  return c_.plan.sharding == Sharding::hsdp ? ReplicaGroup::shard : ReplicaGroup::all;
}

Bytes WeightTraffic::gathered(double layers, double root) const {
  return (layers * gathered_layer_size(c_.memory) + root * c_.scenario.stack.gathered_size.value) * byte;
}

double WeightTraffic::owned() const {
  return c_.plan.sharding == Sharding::none ? trained_ : trained_ / shard_ranks(c_.memory);
}

OpId WeightTraffic::exchange(ReplicaGroup kind, CollectiveOp op, Bytes payload, int note) {
  const ChainId chain = c_.links.replicas(kind, op, payload, class_);
  Meetings& meetings = c_.replicas[static_cast<std::size_t>(kind)];
  const RendezvousId meeting = meetings.join(c_.links.replica_group(kind, class_), class_, chain);
  return c_.builder.add_op(data_, c_.recipes.data_collective, charge_id(StepCharge::dp_exposed), meeting, note);
}

OpId WeightTraffic::copy(Tier tier, bool out, Bytes payload, OpId after, StepCharge charge) {
  return host_op(out, c_.tiers.copy(tier, out, payload, class_), after, charge);
}

OpId WeightTraffic::host_op(bool out, ChainId chain, OpId after, StepCharge charge) {
  const RendezvousId meeting = c_.host.join(class_, class_, chain);
  const OpId id = c_.builder.add_op(out ? host_out_ : host_in_, c_.recipes.host_copy, charge_id(charge), meeting);
  if (after.exists()) c_.builder.depends(after, id);
  return id;
}

void WeightTraffic::begin_step() {
  gathers_.assign(buckets_.size(), {});
  const bool once = c_.plan.sharding != Sharding::none && !streamed_ && c_.plan.gradient_ranks() > 1;
  for (std::size_t chunk = 0; once && chunk < buckets_.size(); ++chunk)
    for (const Bucket& bucket : buckets_[chunk]) {
      // With adapters only they change; frozen weights stay where they are, unless they are sharded.
      const bool all = shards_weights(c_.plan.sharding) || c_.memory.lora_rank == 0;
      const Bytes changed = all ? gathered(bucket.weights, bucket.root) : gathered(bucket.trained, 0);
      gathers_[chunk].push_back(exchange(shard_kind(), CollectiveOp::all_gather, changed, -1));
    }
}

std::vector<OpId> WeightTraffic::before_layer(const PipelineSlot& slot, int layer, OpId compute) {
  if (streamed_) return streamed_before(slot, layer, compute);
  const auto chunk = static_cast<std::size_t>(slot.chunk);
  if (!slot.forward || slot.micro_batch > 0 || gathers_[chunk].empty()) return {};
  if (!c_.scenario.stack.overlap_parameter_gather) {
    if (layer == 0 && chunk == 0) return {gathers_.back().back()};
    return {};
  }
  for (std::size_t i = 0; i < buckets_[chunk].size(); ++i)
    if (buckets_[chunk][i].first_layer == layer) return {gathers_[chunk][i]};
  return {};
}

OpId WeightTraffic::gather_layer(int position, OpId after) {
  const int layers = c_.layout.layers_on(stage_);
  const double weights = layer_parameters(c_.scenario.transformer) / c_.plan.tensor;
  const bool present = position >= layers && !c_.scenario.stack.regather_for_backward;
  if (present) return {};
  OpId fetched = after;
  if (const Tier tier = c_.scenario.job.offload.weights; tier != Tier::device)
    fetched = copy(tier, false, weights / shard_ranks(c_.memory) * bytes_16bit * byte, after, StepCharge::dp_exposed);
  const OpId id = exchange(shard_kind(), CollectiveOp::all_gather, gathered(weights, 0), -1);
  if (fetched.exists()) c_.builder.depends(fetched, id);
  return id;
}

/// Gathers of the layers up to `prefetched_layers` ahead are issued first; each may start when the layer before its own
/// so many back has ended, so that no more are in memory.
std::vector<OpId> WeightTraffic::streamed_before(const PipelineSlot& slot, int layer, OpId compute) {
  const int layers = c_.layout.layers_on(stage_);
  const int position = slot.forward ? layer : 2 * layers - 1 - layer;
  std::vector<OpId> wait;
  if (position == 0) {
    streamed_gathers_.clear();
    root_gather_ = exchange(shard_kind(), CollectiveOp::all_gather, gathered(0, root_weights_), -1);
    if (compute.exists()) c_.builder.depends(compute, root_gather_);
    wait.push_back(root_gather_);
  }
  const int ahead = std::min(position + c_.scenario.stack.prefetched_layers, 2 * layers - 1);
  while (static_cast<int>(streamed_gathers_.size()) <= ahead)
    streamed_gathers_.push_back(gather_layer(static_cast<int>(streamed_gathers_.size()), compute));
  const OpId own = streamed_gathers_[static_cast<std::size_t>(position)];
  if (own.exists()) wait.push_back(own);
  return wait;
}

bool WeightTraffic::reduces(const PipelineSlot& slot) const {
  if (c_.plan.gradient_ranks() == 1 || trained_ <= 0) return false;
  const bool early = c_.scenario.stack.reduce_every_micro_batch && shards_gradients(c_.plan.sharding);
  const bool every_time = c_.plan.pipeline == 1 && (early || c_.plan.sharding == Sharding::zero2);
  return every_time || slot.micro_batch == c_.plan.micro_batches - 1;
}

OpId WeightTraffic::reduce(double trained, OpId compute, int note) {
  if (trained <= 0) return {};
  const bool sharded = c_.plan.sharding != Sharding::none;
  const Bytes payload = trained * c_.scenario.stack.reduced_size.value * byte;
  const OpId id = exchange(sharded ? shard_kind() : ReplicaGroup::all,
                           sharded ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, payload, note);
  c_.builder.depends(compute, id);
  if (c_.plan.sharding != Sharding::hsdp || c_.plan.shard_group == c_.plan.gradient_ranks()) return id;
  return exchange(ReplicaGroup::mirrors, CollectiveOp::all_reduce, payload / shard_ranks(c_.memory), note);
}

void WeightTraffic::after_layer(const PipelineSlot& slot, int layer, OpId compute) {
  if (!reduces(slot) || !c_.scenario.stack.overlap_gradient_reduce) return;
  if (streamed_) {
    const double layers = std::max(1, c_.layout.layers_on(stage_));
    reduce((trained_ - root_trained_) / layers, compute, slot.micro_batch);
    return;
  }
  if (layer == 0) return;  // the first bucket ends with the embedding
  const std::vector<Bucket>& buckets = buckets_[static_cast<std::size_t>(slot.chunk)];
  for (const Bucket& bucket : buckets)
    if (bucket.first_layer == layer) reduce(bucket.trained, compute, slot.micro_batch);
}

OpId WeightTraffic::after_backward(const PipelineSlot& slot, OpId compute) {
  if (!reduces(slot)) return {};
  const std::vector<Bucket>& buckets = buckets_[static_cast<std::size_t>(slot.chunk)];
  if (c_.scenario.stack.overlap_gradient_reduce) {
    reduce(streamed_ ? root_trained_ : buckets.front().trained, compute, slot.micro_batch);
    return {};
  }
  for (const Bucket& bucket : buckets) unreduced_.push_back(bucket.trained);
  return slot.micro_batch < c_.plan.micro_batches - 1 ? reduce_rest(compute) : OpId{};
}

OpId WeightTraffic::reduce_rest(OpId compute) {
  OpId last;
  for (const double trained : unreduced_)
    if (const OpId id = reduce(trained, compute, -1); id.exists()) last = id;
  unreduced_.clear();
  return last;
}

/// Gradients go to the host, which updates its states and sends new weights to where they are kept.
OpId WeightTraffic::update_on_host(OpId after) {
  const OpId out =
      copy(Tier::host, true, owned() * c_.scenario.stack.reduced_size.value * byte, after, StepCharge::optimizer);
  const OpId updated =
      host_op(true, c_.tiers.update(optimizer_tier(c_.memory), owned(), class_), out, StepCharge::optimizer);
  const Bytes weights = owned() * bytes_16bit * byte;
  switch (c_.scenario.job.offload.weights) {
    case Tier::nvme:
      return host_op(true, c_.tiers.host_to_drives(weights, class_), updated, StepCharge::optimizer);
    case Tier::pool:
      return copy(Tier::pool, true, weights, updated, StepCharge::optimizer);
    default:
      return copy(Tier::host, false, weights, updated, StepCharge::optimizer);
  }
}

OpId WeightTraffic::copy_states(bool out, int parts, OpId after) {
  const bool with_weights = out && c_.scenario.job.offload.weights == Tier::pool;
  const double each = state_bytes + (with_weights ? bytes_16bit : 0);
  return copy(Tier::pool, out, owned() / parts * each * byte, after, StepCharge::optimizer);
}

}  // namespace clusterwright
