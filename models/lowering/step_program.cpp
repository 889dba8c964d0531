// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_program.hpp"
#include "models/lowering/step_charge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

/// Towards which neighbour messages travel.
Stream stream_of(MessageRoute route) {
  const bool down = route == MessageRoute::forward || route == MessageRoute::backward_up;
  return down ? Stream::forward : Stream::backward;
}

}  // namespace

StepProgram::StepProgram(StepContext& context, RankClassId rank_class)
    : context_(context),
      class_(rank_class),
      stage_(context.classes.representative(rank_class).pipeline),
      tensor_group_(context.links.tensor_group(rank_class)),
      lanes_(add_lanes(context, rank_class)),
      chains_(context, rank_class),
      weights_(context, rank_class, lanes_.data, lanes_.host_in, lanes_.host_out) {
  for (std::size_t kind = 0; kind < replica_group_count; ++kind)
    groups_[kind] = context.links.replica_group(static_cast<ReplicaGroup>(kind), rank_class);
  if (context_.input) input_.emplace(context_, class_, lanes_.input);
  if (context_.plan.pipeline > 1) choose_message_chains();
}

StepProgram::Lanes StepProgram::add_lanes(StepContext& c, RankClassId rank_class) {
  const Cluster& cluster = c.scenario.cluster;
  const Watts host = cluster.spec.node.host_power.value / cluster.node_accelerators;
  const auto multiplicity = static_cast<std::uint32_t>(c.classes.multiplicity(rank_class));
  const RankClassId rank = c.builder.add_rank_class(
      fmt::format("stage {}", c.classes.representative(rank_class).pipeline), multiplicity, c.domain,
      c.kernels.idle_power() + host, c.kernels.governed_power() + host, c.classes.highest_clock(rank_class));
  const auto lane = [&](LaneKind kind, std::string name) { return c.builder.add_lane(rank, kind, std::move(name)); };
  Lanes lanes;
  lanes.compute = lane(LaneKind::compute, "compute");
  lanes.tensor = lane(LaneKind::communication, "tensor parallel");
  lanes.data = lane(LaneKind::communication, "data parallel");
  if (c.plan.context > 1) lanes.context = lane(LaneKind::communication, "context parallel");
  if (c.scenario.transformer.experts) {
    lanes.experts = lane(LaneKind::communication, "expert parallel");
    lanes.issue = lane(LaneKind::communication, "host");
  }
  if (c.scenario.job.offload.any()) {
    lanes.host_in = lane(LaneKind::communication, "from host");
    lanes.host_out = lane(LaneKind::communication, "to host");
  }
  if (c.input) lanes.input = lane(LaneKind::communication, "input");
  if (c.plan.pipeline == 1) return lanes;
  constexpr std::array<const char*, message_route_count> routes = {"forward", "backward", "forward up", "backward up"};
  for (std::size_t i = 0; i < (c.layout.is_mirrored() ? message_route_count : 2); ++i) {
    lanes.out[i] = lane(LaneKind::communication, fmt::format("send {}", routes[i]));
    lanes.in[i] = lane(LaneKind::communication, fmt::format("receive {}", routes[i]));
  }
  return lanes;
}

RankClassId StepProgram::neighbour(int step) const {
  RankCoordinates at = context_.classes.representative(class_);
  at.pipeline = (at.pipeline + step + context_.plan.pipeline) % context_.plan.pipeline;
  return context_.classes.class_of(at);
}

void StepProgram::choose_message_chains() {
  // Each rank of a tensor group sends its share; the group gathers behind the receiver where it needs the whole.
  const Bytes payload = context_.activation() / context_.plan.tensor;
  for (const Stream stream : {Stream::forward, Stream::backward}) {
    const int i = static_cast<int>(stream);
    const RankClassId sender = neighbour(stream == Stream::forward ? -1 : 1);
    message_chains_[i] = context_.links.message(stream, payload, class_);
    incoming_chains_[i] = context_.links.message(stream, payload, sender);
  }
}

OpId StepProgram::stamp_collective(const RecipeOp& op, int note) {
  const ChainId chain = chains_.of(op.collective);
  const ReplicaGroup kind = group_of(op.collective);
  const bool tensor = kind == ReplicaGroup::all;
  Meetings& meetings = tensor ? context_.tensor : context_.replicas[static_cast<std::size_t>(kind)];
  const RankClassId group = tensor ? tensor_group_ : groups_[static_cast<std::size_t>(kind)];
  const LaneId lane = tensor ? lanes_.tensor : kind == ReplicaGroup::context ? lanes_.context : lanes_.experts;
  return context_.builder.add_op(lane, op.work, charge_id(op.charge), meetings.join(group, class_, chain), note);
}

OpId StepProgram::stamp_host(const RecipeOp& op, int note) {
  return context_.builder.add_op(lanes_.issue, context_.recipes.host_issue, charge_id(op.charge),
                                 context_.issue.join(class_, class_, chains_.host(op.host_time)), note);
}

void StepProgram::stamp_next(Stamping& s) {
  const RecipeOp& op = s.recipe[s.ops.size()];
  if (op.collective == LayerCollective::none) {
    last_compute_ = context_.builder.add_op(lanes_.compute, op.work, charge_id(op.charge), s.note);
    for (const OpId before : pending_) context_.builder.depends(before, last_compute_);
    pending_.clear();
    s.ops.push_back(last_compute_);
  } else if (op.collective == LayerCollective::host) {
    s.ops.push_back(stamp_host(op, s.note));
  } else {
    s.ops.push_back(stamp_collective(op, s.note));
    // What waits for no op of its own recipe could start any time, and does with the layer.
    if (op.after < 0 && s.entry.exists()) context_.builder.depends(s.entry, s.ops.back());
  }
  if (op.after >= 0) context_.builder.depends(s.ops[static_cast<std::size_t>(op.after)], s.ops.back());
}

StepProgram::Stamping StepProgram::start(const Recipe& recipe, int note, int which) {
  stamped_[which].clear();
  return {recipe, note, last_compute_, stamped_[which]};
}

void StepProgram::stamp(const Recipe& recipe, int note) {
  Stamping stamping = start(recipe, note);
  while (!stamping.ended()) stamp_next(stamping);
}

void StepProgram::stamp_until_collective(Stamping& s) {
  bool waits = false;
  while (!s.ended() && !waits) {
    const LayerCollective kind = s.recipe[s.ops.size()].collective;
    waits = kind != LayerCollective::none && kind != LayerCollective::host;
    stamp_next(s);
  }
}

std::size_t StepProgram::slots_ahead(Stream stream) const {
  const bool wraps = stage_ == (stream == Stream::forward ? 0 : context_.plan.pipeline - 1);
  const int early = wraps ? context_.plan.interleaving_group() - context_.plan.pipeline : 0;
  return 1 + 2 * static_cast<std::size_t>(early);
}

MessageRoute StepProgram::route(const PipelineSlot& slot) const {
  const bool up = context_.layout.is_mirrored() && slot.chunk == 1;
  if (slot.forward) return up ? MessageRoute::forward_up : MessageRoute::forward;
  return up ? MessageRoute::backward_up : MessageRoute::backward;
}

void StepProgram::receive(const PipelineSlot& slot) {
  const auto lane = static_cast<std::size_t>(route(slot));
  const Stream stream = stream_of(route(slot));
  const RankClassId sender = neighbour(stream == Stream::forward ? -1 : 1);
  const RendezvousId meeting =
      context_.messages[lane].receive(sender, class_, incoming_chains_[static_cast<int>(stream)]);
  const OpId id = context_.builder.add_op(lanes_.in[lane], context_.recipes.message, charge_id(StepCharge::pp_exposed),
                                          meeting, slot.micro_batch);
  const std::size_t ahead = slots_ahead(stream);
  if (slot_ends_.size() > ahead) context_.builder.depends(slot_ends_[slot_ends_.size() - 1 - ahead], id);
  wait_for(id);
}

void StepProgram::send(const PipelineSlot& slot) {
  const auto lane = static_cast<std::size_t>(route(slot));
  const ChainId chain = message_chains_[static_cast<int>(stream_of(route(slot)))];
  const RendezvousId meeting = context_.messages[lane].send(class_, chain);
  const OpId id = context_.builder.add_op(lanes_.out[lane], context_.recipes.message, charge_id(StepCharge::pp_exposed),
                                          meeting, slot.micro_batch);
  context_.builder.depends(last_compute_, id);
  // Pairs of passes post messages of both directions together; one at a time, they would wait for each other.
  if (!context_.scenario.stack.overlap_pipeline_messages && !context_.layout.is_mirrored() && !context_.plan.paired)
    wait_for(id);
}

OpId StepProgram::copy_activations(bool to_host, OpId after) {
  const MemoryLevel tier = context_.scenario.job.offload.activations;
  const ChainId chain = context_.tiers.copy(tier, to_host, layer_activations(context_.memory), class_);
  const OpId id = context_.builder.add_op(to_host ? lanes_.host_out : lanes_.host_in, context_.recipes.host_copy,
                                          charge_id(StepCharge::recompute), context_.host.join(class_, class_, chain));
  if (after.exists()) context_.builder.depends(after, id);
  return id;
}

void StepProgram::store_activations(const PipelineSlot& slot, int layer) {
  if (context_.scenario.job.offload.activations != MemoryLevel::device)
    stored_[{slot.micro_batch, slot.chunk, layer}] = copy_activations(true, last_compute_);
}

/// Activations of a layer come back while the layer behind it runs its backward pass.
void StepProgram::fetch_activations(const PipelineSlot& slot, int layer) {
  if (context_.scenario.job.offload.activations == MemoryLevel::device) return;
  const OpId fetched = copy_activations(false, stored_.at({slot.micro_batch, slot.chunk, layer}));
  if (before_fetch_.exists()) context_.builder.depends(before_fetch_, fetched);
  before_fetch_ = last_compute_;
  wait_for(fetched);
}

void StepProgram::reduce_tied_table() {
  const Transformer& model = context_.scenario.transformer;
  const int last = context_.plan.pipeline - 1;
  const bool copied = last > 0 && !context_.layout.is_mirrored();
  const bool holds = stage_ == 0 || stage_ == last;
  if (!model.tied_embeddings || !copied || !holds || context_.memory.lora_rank > 0) return;
  RankCoordinates first = context_.classes.representative(class_);
  first.pipeline = 0;
  const RankClassId group = context_.classes.class_of(first);
  const double rows = static_cast<double>(model.vocabulary * model.hidden) / context_.plan.tensor;
  const Bytes table = rows * context_.scenario.stack.gradient_size.value * byte;
  const ChainId chain = context_.links.between_stages(CollectiveOp::all_reduce, table, group, last);
  const OpId id =
      context_.builder.add_op(lanes_.data, context_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                              context_.tied.join(group, class_, chain), -1);
  context_.builder.depends(last_compute_, id);
}

/// States come from the pool and go back layer by layer, one part on its way while another is updated.
void StepProgram::optimize_through_pool(OpId norm) {
  const int parts = std::max(1, context_.layout.layers_on(stage_));
  const WorkId update = add_optimizer(context_.builder, context_.kernels, weights_.trained() / parts,
                                      weights_.owned() / parts, context_.scenario.stack);
  for (int part = 0; part < parts; ++part) {
    const OpId fetched = weights_.copy_states(false, parts, norm);
    const OpId updated = context_.builder.add_op(lanes_.compute, update, charge_id(StepCharge::optimizer), -1);
    context_.builder.depends(fetched, updated);
    weights_.copy_states(true, parts, updated);
  }
}

void StepProgram::optimize(OpId norm) {
  if (optimizer_level(context_.memory) == MemoryLevel::pool) return optimize_through_pool(norm);
  const SoftwareStack& stack = context_.scenario.stack;
  if (updates_on_host(context_.memory)) {
    const OpId updated = weights_.update_on_host(norm);
    // The device clears its gradients behind the copy.
    const WorkId receive = add_optimizer(context_.builder, context_.kernels, weights_.trained(), 0, stack);
    context_.builder.depends(updated,
                             context_.builder.add_op(lanes_.compute, receive, charge_id(StepCharge::optimizer), -1));
    return;
  }
  const WorkId update = add_optimizer(context_.builder, context_.kernels, weights_.trained(), weights_.owned(), stack);
  context_.builder.depends(norm, context_.builder.add_op(lanes_.compute, update, charge_id(StepCharge::optimizer), -1));
}

void StepProgram::finish() {
  weights_.reduce_rest(last_compute_);
  reduce_tied_table();
  const OpId norm =
      context_.builder.add_op(lanes_.data, context_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                              context_.norm.join(RankClassId(0), class_, context_.norm_chain), -1);
  context_.builder.depends(last_compute_, norm);
  optimize(norm);
}

void StepProgram::write_layer(LayerKind kind, bool backward) {
  const LayerPasses& layer = context_.recipes.layers[static_cast<std::size_t>(kind)];
  stamp(layer.forward, 0);
  if (backward) stamp(layer.backward, 0);
}

void StepProgram::write() {
  weights_.begin_step();
  if (input_) input_->begin_step();
  const std::vector<PipelineSlot> slots = stage_schedule(context_.plan, stage_);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].with_next) {
      side_by_side(slots[i], slots[i + 1]);
      ++i;
    } else {
      run(slots[i]);
    }
  }
  finish();
}

}  // namespace clusterwright
