#include "models/step_program.hpp"

#include <fmt/format.h>

#include "models/rank_shapes.hpp"

namespace clusterwright {

StepProgram::StepProgram(StepContext& context, std::size_t rank_class)
    : c_(context),
      class_(rank_class),
      stage_(context.classes.representative(rank_class).pipeline),
      tensor_group_(context.links.tensor_group(rank_class)),
      context_group_(context.links.replica_group(ReplicaGroup::context, rank_class)),
      lanes_(add_lanes(context, rank_class)),
      weights_(context, rank_class, lanes_.data, lanes_.host_in, lanes_.host_out) {
  if (c_.input) input_.emplace(c_, class_, lanes_.input);
  if (c_.plan.tensor > 1) choose_tensor_chains();
  if (c_.plan.context > 1) choose_context_chains();
  if (c_.plan.pipeline > 1) choose_message_chains();
}

StepProgram::Lanes StepProgram::add_lanes(StepContext& c, std::size_t rank_class) {
  const Cluster& cluster = c.scenario.cluster;
  const Watts host = cluster.spec.node.host_power.value / cluster.node_accelerators;
  const auto multiplicity = static_cast<std::uint32_t>(c.classes.multiplicity(rank_class));
  const RankClassId rank = c.builder.add_rank_class(
      fmt::format("stage {}", c.classes.representative(rank_class).pipeline), multiplicity, c.domain,
      c.costs.idle_power() + host, c.costs.governed_power() + host, c.classes.highest_clock(rank_class));
  const auto lane = [&](LaneKind kind, const char* name) { return c.builder.add_lane(rank, kind, name); };
  Lanes lanes;
  lanes.compute = lane(LaneKind::compute, "compute");
  lanes.tensor = lane(LaneKind::communication, "tensor parallel");
  lanes.data = lane(LaneKind::communication, "data parallel");
  if (c.plan.context > 1) lanes.context = lane(LaneKind::communication, "context parallel");
  if (c.scenario.job.offload.any()) {
    lanes.host_in = lane(LaneKind::communication, "from host");
    lanes.host_out = lane(LaneKind::communication, "to host");
  }
  if (c.input) lanes.input = lane(LaneKind::communication, "input");
  if (c.plan.pipeline == 1) return lanes;
  lanes.out[0] = lane(LaneKind::communication, "send forward");
  lanes.in[0] = lane(LaneKind::communication, "receive forward");
  lanes.out[1] = lane(LaneKind::communication, "send backward");
  lanes.in[1] = lane(LaneKind::communication, "receive backward");
  return lanes;
}

std::size_t StepProgram::neighbour(int step) const {
  RankCoordinates at = c_.classes.representative(class_);
  at.pipeline = (at.pipeline + step + c_.plan.pipeline) % c_.plan.pipeline;
  return c_.classes.class_of(at);
}

void StepProgram::choose_tensor_chains() {
  const auto chain = [&](LayerCollective kind, CollectiveOp op) {
    layer_chains_[static_cast<std::size_t>(kind)] = c_.links.tensor(op, c_.activation(), class_);
  };
  chain(LayerCollective::gather, CollectiveOp::all_gather);
  chain(LayerCollective::scatter, CollectiveOp::reduce_scatter);
  chain(LayerCollective::reduce, CollectiveOp::all_reduce);
}

void StepProgram::choose_context_chains() {
  const RankShapes shapes(c_.memory);
  const Bytes keys = shapes.split(2 * shapes.key_value, 1), queries = shapes.split(shapes.query, 1);
  const int ranks = c_.plan.context;
  const auto set = [&](LayerCollective kind, ChainId chain) { layer_chains_[static_cast<std::size_t>(kind)] = chain; };
  const auto group = [&](CollectiveOp op, Bytes payload) {
    return c_.links.replicas(ReplicaGroup::context, op, payload, class_);
  };
  set(LayerCollective::context_step, c_.links.context_step(keys, class_));
  set(LayerCollective::context_step_with_gradients, c_.links.context_step(2 * keys, class_));
  set(LayerCollective::context_gather, group(CollectiveOp::all_gather, ranks * keys));
  set(LayerCollective::context_scatter, group(CollectiveOp::reduce_scatter, ranks * keys));
  set(LayerCollective::context_exchange_in, group(CollectiveOp::all_to_all, queries + keys));
  set(LayerCollective::context_exchange_out, group(CollectiveOp::all_to_all, queries));
}

void StepProgram::choose_message_chains() {
  // Each rank of a tensor group sends its share; the group gathers behind the receiver where it needs the whole.
  const Bytes payload = c_.activation() / c_.plan.tensor;
  for (const Stream stream : {Stream::forward, Stream::backward}) {
    const int i = static_cast<int>(stream);
    const std::size_t sender = neighbour(stream == Stream::forward ? -1 : 1);
    message_chains_[i] = c_.links.message(stream, payload, class_);
    incoming_chains_[i] = c_.links.message(stream, payload, sender);
  }
}

void StepProgram::stamp_collective(const RecipeOp& op, int note) {
  const ChainId chain = layer_chains_[static_cast<std::size_t>(op.collective)];
  const bool context = op.collective >= LayerCollective::context_step;
  Meetings& meetings = context ? c_.replicas[static_cast<std::size_t>(ReplicaGroup::context)] : c_.tensor;
  const RendezvousId meeting = meetings.join(context ? context_group_ : tensor_group_, class_, chain);
  stamped_.push_back(
      c_.builder.add_op(context ? lanes_.context : lanes_.tensor, op.work, charge_id(op.charge), meeting, note));
}

void StepProgram::stamp(const Recipe& recipe, int note) {
  stamped_.clear();
  for (const RecipeOp& op : recipe) {
    if (op.collective == LayerCollective::none) {
      last_compute_ = c_.builder.add_op(lanes_.compute, op.work, charge_id(op.charge), note);
      for (const OpId before : pending_) c_.builder.depends(before, last_compute_);
      pending_.clear();
      stamped_.push_back(last_compute_);
    } else {
      stamp_collective(op, note);
    }
    if (op.after >= 0) c_.builder.depends(stamped_[static_cast<std::size_t>(op.after)], stamped_.back());
  }
}

std::size_t StepProgram::slots_ahead(Stream stream) const {
  const bool wraps = stage_ == (stream == Stream::forward ? 0 : c_.plan.pipeline - 1);
  const int early = wraps ? c_.plan.interleaving_group() - c_.plan.pipeline : 0;
  return 1 + 2 * static_cast<std::size_t>(early);
}

void StepProgram::receive(Stream stream, std::size_t sender, int note) {
  const int i = static_cast<int>(stream);
  const std::size_t member = c_.classes.count() + class_;
  const RendezvousId meeting = c_.messages(stream).join(sender, member, incoming_chains_[i]);
  const OpId id = c_.builder.add_op(lanes_.in[i], c_.recipes.message, charge_id(StepCharge::pp_exposed), meeting, note);
  const std::size_t ahead = slots_ahead(stream);
  if (slot_ends_.size() > ahead) c_.builder.depends(slot_ends_[slot_ends_.size() - 1 - ahead], id);
  wait_for(id);
}

void StepProgram::send(Stream stream, int note) {
  const int i = static_cast<int>(stream);
  const RendezvousId meeting = c_.messages(stream).join(class_, class_, message_chains_[i]);
  const OpId id =
      c_.builder.add_op(lanes_.out[i], c_.recipes.message, charge_id(StepCharge::pp_exposed), meeting, note);
  c_.builder.depends(last_compute_, id);
  if (!c_.scenario.stack.overlap_pipeline_messages) wait_for(id);
}

OpId StepProgram::copy_activations(bool to_host, OpId after) {
  const Tier tier = c_.scenario.job.offload.activations;
  const ChainId chain = c_.tiers.copy(tier, to_host, layer_activations(c_.memory), class_);
  const OpId id = c_.builder.add_op(to_host ? lanes_.host_out : lanes_.host_in, c_.recipes.host_copy,
                                    charge_id(StepCharge::recompute), c_.host.join(class_, class_, chain));
  if (after.exists()) c_.builder.depends(after, id);
  return id;
}

void StepProgram::store_activations(const PipelineSlot& slot, int layer) {
  if (c_.scenario.job.offload.activations != Tier::device)
    stored_[{slot.micro_batch, slot.chunk, layer}] = copy_activations(true, last_compute_);
}

/// Activations of a layer come back while the layer behind it runs its backward pass.
void StepProgram::fetch_activations(const PipelineSlot& slot, int layer) {
  if (c_.scenario.job.offload.activations == Tier::device) return;
  const OpId fetched = copy_activations(false, stored_.at({slot.micro_batch, slot.chunk, layer}));
  if (before_fetch_.exists()) c_.builder.depends(before_fetch_, fetched);
  before_fetch_ = last_compute_;
  wait_for(fetched);
}

/// Behind the receive of the slot. On later stages that is what waits: its message cannot come before the data, and so
/// the wait for the message is charged to the data.
void StepProgram::await_data(const PipelineSlot& slot) {
  if (!input_ || slot.chunk > 0) return;
  const OpId data = input_->ready(slot.micro_batch);
  if (!data.exists()) return;
  stage_ == 0 ? wait_for(data) : c_.builder.depends(data, pending_.back());
}

void StepProgram::forward(const PipelineSlot& slot) {
  const ChunkContents& contents = c_.layout.at(stage_, slot.chunk);
  if (!first_part(slot)) receive(Stream::forward, neighbour(-1), slot.micro_batch);
  await_data(slot);
  wait_for(weights_.before_layer(slot, 0, last_compute_));
  if (contents.embedding) stamp(c_.recipes.embedding_forward, slot.micro_batch);
  if (input_ && first_part(slot)) input_->taken(last_compute_);
  for (int layer = 0; layer < contents.layers; ++layer) {
    if (layer > 0) wait_for(weights_.before_layer(slot, layer, last_compute_));
    stamp(c_.recipes.layer_forward, slot.micro_batch);
    store_activations(slot, layer);
  }
  if (contents.head) stamp(c_.recipes.head_forward, slot.micro_batch);
  slot_ends_.push_back(last_compute_);
  if (!last_part(slot)) send(Stream::forward, slot.micro_batch);
}

bool StepProgram::repeats(const PipelineSlot& slot, int layer) const {
  if (c_.plan.recompute != Recompute::full) return false;
  return !c_.plan.recomputed_layers || c_.layout.layers_before(stage_, slot.chunk) + layer < *c_.plan.recomputed_layers;
}

void StepProgram::backward(const PipelineSlot& slot) {
  const ChunkContents& contents = c_.layout.at(stage_, slot.chunk);
  if (!last_part(slot)) receive(Stream::backward, neighbour(1), slot.micro_batch);
  if (contents.head) stamp(c_.recipes.head_backward, slot.micro_batch);
  for (int layer = contents.layers - 1; layer >= 0; --layer) {
    wait_for(weights_.before_layer(slot, layer, last_compute_));
    fetch_activations(slot, layer);
    if (repeats(slot, layer)) stamp(c_.recipes.layer_again, slot.micro_batch);
    stamp(c_.recipes.layer_backward, slot.micro_batch);
    weights_.after_layer(slot, layer, last_compute_);
  }
  if (contents.embedding) stamp(c_.recipes.embedding_backward, slot.micro_batch);
  slot_ends_.push_back(last_compute_);
  if (!first_part(slot)) send(Stream::backward, slot.micro_batch);
  if (const OpId reduced = weights_.after_backward(slot, last_compute_); reduced.exists()) wait_for(reduced);
}

void StepProgram::reduce_tied_table() {
  const Transformer& model = c_.scenario.transformer;
  const int last = c_.plan.pipeline - 1;
  const bool holds = stage_ == 0 || stage_ == last;
  if (!model.tied_embeddings || last == 0 || !holds || c_.memory.lora_rank > 0) return;
  RankCoordinates first = c_.classes.representative(class_);
  first.pipeline = 0;
  const std::size_t group = c_.classes.class_of(first);
  const double rows = static_cast<double>(model.vocabulary * model.hidden) / c_.plan.tensor;
  const ChainId chain = c_.links.tied_table(rows * c_.scenario.stack.gradient_size.value * byte, group);
  const OpId id = c_.builder.add_op(lanes_.data, c_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                                    c_.tied.join(group, class_, chain), -1);
  c_.builder.depends(last_compute_, id);
}

/// States come from the pool and go back layer by layer, one part on its way while another is updated.
void StepProgram::optimize_through_pool(OpId norm) {
  const int parts = std::max(1, c_.layout.layers_on(stage_));
  const WorkId update = add_optimizer(c_.builder, c_.costs, weights_.trained() / parts, weights_.owned() / parts,
                                      c_.scenario.stack.gradient_size.value);
  for (int part = 0; part < parts; ++part) {
    const OpId fetched = weights_.copy_states(false, parts, norm);
    const OpId updated = c_.builder.add_op(lanes_.compute, update, charge_id(StepCharge::optimizer), -1);
    c_.builder.depends(fetched, updated);
    weights_.copy_states(true, parts, updated);
  }
}

void StepProgram::optimize(OpId norm) {
  if (optimizer_tier(c_.memory) == Tier::pool) return optimize_through_pool(norm);
  const double size = c_.scenario.stack.gradient_size.value;
  if (updates_on_host(c_.memory)) {
    const OpId updated = weights_.update_on_host(norm);
    // The device clears its gradients behind the copy.
    const WorkId receive = add_optimizer(c_.builder, c_.costs, weights_.trained(), 0, size);
    c_.builder.depends(updated, c_.builder.add_op(lanes_.compute, receive, charge_id(StepCharge::optimizer), -1));
    return;
  }
  const WorkId update = add_optimizer(c_.builder, c_.costs, weights_.trained(), weights_.owned(), size);
  c_.builder.depends(norm, c_.builder.add_op(lanes_.compute, update, charge_id(StepCharge::optimizer), -1));
}

void StepProgram::finish() {
  weights_.reduce_rest(last_compute_);
  reduce_tied_table();
  const OpId norm = c_.builder.add_op(lanes_.data, c_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                                      c_.norm.join(0, class_, c_.norm_chain), -1);
  c_.builder.depends(last_compute_, norm);
  optimize(norm);
}

void StepProgram::write() {
  weights_.begin_step();
  if (input_) input_->begin_step();
  for (const PipelineSlot& slot : pipeline_schedule(stage_, c_.plan.pipeline, c_.plan.virtual_pipeline,
                                                    c_.plan.micro_batches, c_.plan.interleaving_group()))
    slot.forward ? forward(slot) : backward(slot);
  finish();
}

}  // namespace clusterwright
