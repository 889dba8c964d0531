#include "models/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/pipeline_schedule.hpp"
#include "models/step_links.hpp"
#include "models/step_recipes.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr ChargeId charge_id(StepCharge charge) {
  return ChargeId(static_cast<std::size_t>(charge));
}

StepGraphBuilder make_builder() {
  return {std::vector<std::string>(step_charge_names.begin(), step_charge_names.end()),
          {charge_id(StepCharge::launch), charge_id(StepCharge::throttle), charge_id(StepCharge::bubble)}};
}

/// Consecutive layers of a chunk whose parameters travel together over the data-parallel group.
struct Bucket {
  int first_layer = 0;
  int layers = 0;
  double parameters = 0;  // on this rank; embedding and head travel with their neighbour
};

/// Rendezvous of one kind: the i-th op of every member of a group meets at the i-th entry.
class Meetings {
 public:
  Meetings(StepGraphBuilder& builder, std::size_t groups, std::size_t members, StepCharge late)
      : builder_(builder), late_(late), by_group_(groups), joined_(members, 0) {}

  RendezvousId join(std::size_t group, std::size_t member, ChainId chain) {
    std::vector<RendezvousId>& list = by_group_[group];
    const std::size_t index = joined_[member]++;
    if (index == list.size()) list.push_back(builder_.add_rendezvous(chain, charge_id(late_)));
    return list[index];
  }

 private:
  StepGraphBuilder& builder_;
  StepCharge late_;
  std::vector<std::vector<RendezvousId>> by_group_;
  std::vector<std::size_t> joined_;
};

/// What all programs of a step share.
struct StepContext {
  StepContext(const Scenario& s, const Plan& p, Folding folding)
      : scenario(s),
        plan(p),
        layout(s.transformer.layers, p.pipeline, p.virtual_pipeline),
        memory{s.transformer, plan, layout, s.stack, s.job.sequence},
        builder(make_builder()),
        placement(p, s.stack.rank_order, s.cluster.domain),
        classes(folding == Folding::folded
                    ? RankClasses::fold(placement, s.cluster.fabric, slow_ranks(s.cluster.spec, p.accelerators()))
                    : RankClasses::unfold(placement, s.cluster.fabric, slow_ranks(s.cluster.spec, p.accelerators()))),
        costs(s.cluster.accelerator, s.parameters, s.stack, s.job.precision),
        links(builder, s.cluster, s.parameters, placement, classes),
        recipes(write_recipes(builder, costs, memory)),
        domain(builder.add_power_domain("accelerators and hosts")),
        tensor(builder, classes.count(), classes.count(), StepCharge::imbalance),
        data(builder, classes.count(), classes.count(), StepCharge::imbalance),
        forward(builder, classes.count(), 2 * classes.count(), StepCharge::bubble),
        backward(builder, classes.count(), 2 * classes.count(), StepCharge::bubble),
        tied(builder, classes.count(), classes.count(), StepCharge::bubble),
        norm(builder, 1, classes.count(), p.pipeline > 1 ? StepCharge::bubble : StepCharge::imbalance),
        norm_chain(links.everywhere()) {
    builder.set_power_clock_exponent(s.parameters.power.clock_exponent.value);
    const auto slots = static_cast<std::size_t>(p.micro_batches) * static_cast<std::size_t>(p.virtual_pipeline);
    const std::size_t layers =
        static_cast<std::size_t>(s.transformer.layers) / static_cast<std::size_t>(p.pipeline) + 2;
    const std::size_t per_layer =
        recipes.layer_forward.size() + recipes.layer_backward.size() + recipes.layer_again.size();
    const std::size_t ops =
        classes.count() * (layers * static_cast<std::size_t>(p.micro_batches) * per_layer + 4 * slots);
    builder.reserve(ops, ops);
  }

  /// Activation of one micro-batch, whole.
  Bytes activation() const {
    return 2.0 * scenario.job.sequence * plan.micro_batch * static_cast<double>(scenario.transformer.hidden) * byte;
  }
  Meetings& messages(Stream stream) { return stream == Stream::forward ? forward : backward; }

  const Scenario& scenario;
  Plan plan;
  StageLayout layout;
  MemoryCase memory;
  StepGraphBuilder builder;
  Placement placement;
  RankClasses classes;
  DeviceCosts costs;
  StepLinks links;
  StepRecipes recipes;
  PowerDomainId domain;
  Meetings tensor, data, forward, backward, tied, norm;
  ChainId norm_chain;
};

/// Writes the program of one rank class, in the order in which its host issues it.
class ProgramWriter {
 public:
  ProgramWriter(StepContext& context, std::size_t rank_class);
  void write();

 private:
  struct Lanes {
    LaneId compute, tensor, data;
    LaneId out[2], in[2];  // pipeline messages, by stream
  };

  void add_lanes();
  void choose_chains();
  void fill_buckets(int chunk);
  void gather_parameters();
  void forward(const PipelineSlot& slot);
  void backward(const PipelineSlot& slot);
  void backward_layer(const PipelineSlot& slot, int layer);
  void reduce(const Bucket& bucket, int note);
  void finish();
  void stamp(const Recipe& recipe, int note);
  void receive(Stream stream, std::size_t sender, int note);
  void send(Stream stream, int note);
  void wait_for(OpId op) { pending_.push_back(op); }
  bool reduces(const PipelineSlot& slot) const;
  OpId data_op(CollectiveOp op, Bytes payload, StepCharge charge, int note);
  std::size_t neighbour(int step) const;
  bool first_part(const PipelineSlot& slot) const { return stage_ == 0 && slot.chunk == 0; }
  bool last_part(const PipelineSlot& slot) const {
    return stage_ == c_.plan.pipeline - 1 && slot.chunk == c_.plan.virtual_pipeline - 1;
  }

  StepContext& c_;
  std::size_t class_;
  int stage_;
  std::size_t tensor_group_;
  Lanes lanes_;
  ChainId tensor_chains_[4];  // by TensorCollective
  ChainId message_chains_[2], incoming_chains_[2];
  std::vector<std::vector<Bucket>> buckets_;  // by chunk
  std::vector<std::vector<OpId>> gathers_;    // by chunk and bucket
  std::vector<const Bucket*> unreduced_;
  std::vector<OpId> slot_ends_;  // last compute op of each slot so far
  std::vector<OpId> pending_;    // what the next kernel waits for
  std::vector<OpId> stamped_;
  OpId last_compute_;
};

ProgramWriter::ProgramWriter(StepContext& context, std::size_t rank_class)
    : c_(context),
      class_(rank_class),
      stage_(context.classes.representative(rank_class).pipeline),
      tensor_group_(context.links.tensor_group(rank_class)) {
  add_lanes();
  choose_chains();
  for (int chunk = 0; chunk < c_.plan.virtual_pipeline; ++chunk) fill_buckets(chunk);
}

void ProgramWriter::add_lanes() {
  const Cluster& cluster = c_.scenario.cluster;
  const Watts host = cluster.spec.node.host_power.value / cluster.node_accelerators;
  const auto multiplicity = static_cast<std::uint32_t>(c_.classes.multiplicity(class_));
  const RankClassId rank =
      c_.builder.add_rank_class(fmt::format("stage {}", stage_), multiplicity, c_.domain, c_.costs.idle_power() + host,
                                c_.costs.rated_power() + host, c_.classes.highest_clock(class_));
  const auto lane = [&](LaneKind kind, const char* name) { return c_.builder.add_lane(rank, kind, name); };
  lanes_.compute = lane(LaneKind::compute, "compute");
  lanes_.tensor = lane(LaneKind::communication, "tensor parallel");
  lanes_.data = lane(LaneKind::communication, "data parallel");
  if (c_.plan.pipeline == 1) return;
  lanes_.out[0] = lane(LaneKind::communication, "send forward");
  lanes_.in[0] = lane(LaneKind::communication, "receive forward");
  lanes_.out[1] = lane(LaneKind::communication, "send backward");
  lanes_.in[1] = lane(LaneKind::communication, "receive backward");
}

std::size_t ProgramWriter::neighbour(int step) const {
  RankCoordinates at = c_.classes.representative(class_);
  at.pipeline = (at.pipeline + step + c_.plan.pipeline) % c_.plan.pipeline;
  return c_.classes.class_of(at);
}

void ProgramWriter::choose_chains() {
  if (c_.plan.tensor > 1) {
    const auto chain = [&](CollectiveOp op) { return c_.links.tensor(op, c_.activation(), class_); };
    tensor_chains_[static_cast<int>(TensorCollective::gather)] = chain(CollectiveOp::all_gather);
    tensor_chains_[static_cast<int>(TensorCollective::scatter)] = chain(CollectiveOp::reduce_scatter);
    tensor_chains_[static_cast<int>(TensorCollective::reduce)] = chain(CollectiveOp::all_reduce);
  }
  if (c_.plan.pipeline == 1) return;
  // Each rank of a tensor group sends its share; the group gathers behind the receiver where it needs the whole.
  const Bytes payload = c_.activation() / c_.plan.tensor;
  for (const Stream stream : {Stream::forward, Stream::backward}) {
    const int i = static_cast<int>(stream);
    const std::size_t sender = neighbour(stream == Stream::forward ? -1 : 1);
    message_chains_[i] = c_.links.message(stream, payload, class_);
    incoming_chains_[i] = c_.links.message(stream, payload, sender);
  }
}

void ProgramWriter::fill_buckets(int chunk) {
  const ChunkContents& contents = c_.layout.at(stage_, chunk);
  const Transformer& model = c_.scenario.transformer;
  const double layer = layer_parameters(model) / c_.plan.tensor;
  const double wanted = c_.scenario.stack.bucket.value.in(byte) / c_.scenario.stack.gradient_size.value;
  const int step = std::max(1, static_cast<int>(std::min(wanted / layer, 1e6)));
  std::vector<Bucket> buckets;
  for (int first = 0; first < std::max(1, contents.layers); first += step) {
    const int layers = std::min(step, contents.layers - first);
    buckets.push_back({first, std::max(0, layers), std::max(0, layers) * layer});
  }
  if (contents.embedding) buckets.front().parameters += embedding_parameters(model) / c_.plan.tensor;
  if (contents.head) buckets.back().parameters += head_parameters(model) / c_.plan.tensor;
  buckets_.push_back(std::move(buckets));
}

OpId ProgramWriter::data_op(CollectiveOp op, Bytes payload, StepCharge charge, int note) {
  const ChainId chain = c_.links.data(op, payload, class_);
  const RendezvousId meeting = c_.data.join(c_.links.data_group(class_), class_, chain);
  return c_.builder.add_op(lanes_.data, c_.recipes.data_collective, charge_id(charge), meeting, note);
}

void ProgramWriter::gather_parameters() {
  gathers_.resize(buckets_.size());
  if (c_.plan.sharding == Sharding::none || c_.plan.data == 1) return;
  for (std::size_t chunk = 0; chunk < buckets_.size(); ++chunk)
    for (const Bucket& bucket : buckets_[chunk]) {
      const Bytes payload = 2.0 * bucket.parameters * byte;
      gathers_[chunk].push_back(data_op(CollectiveOp::all_gather, payload, StepCharge::dp_exposed, -1));
    }
  if (!c_.scenario.stack.overlap_parameter_gather) wait_for(gathers_.back().back());
}

void ProgramWriter::stamp(const Recipe& recipe, int note) {
  stamped_.clear();
  for (const RecipeOp& op : recipe) {
    OpId id;
    if (op.collective == TensorCollective::none) {
      id = c_.builder.add_op(lanes_.compute, op.work, charge_id(op.charge), note);
      for (const OpId before : pending_) c_.builder.depends(before, id);
      pending_.clear();
      last_compute_ = id;
    } else {
      const ChainId chain = tensor_chains_[static_cast<int>(op.collective)];
      const RendezvousId meeting = c_.tensor.join(tensor_group_, class_, chain);
      id = c_.builder.add_op(lanes_.tensor, op.work, charge_id(op.charge), meeting, note);
    }
    if (op.after >= 0) c_.builder.depends(stamped_[static_cast<std::size_t>(op.after)], id);
    stamped_.push_back(id);
  }
}

void ProgramWriter::receive(Stream stream, std::size_t sender, int note) {
  const int i = static_cast<int>(stream);
  const std::size_t member = c_.classes.count() + class_;
  const RendezvousId meeting = c_.messages(stream).join(sender, member, incoming_chains_[i]);
  const OpId id = c_.builder.add_op(lanes_.in[i], c_.recipes.message, charge_id(StepCharge::pp_exposed), meeting, note);
  // Posted one slot ahead, so that its kernel does not hold multiprocessors all along.
  if (slot_ends_.size() >= 2) c_.builder.depends(slot_ends_[slot_ends_.size() - 2], id);
  wait_for(id);
}

void ProgramWriter::send(Stream stream, int note) {
  const int i = static_cast<int>(stream);
  const RendezvousId meeting = c_.messages(stream).join(class_, class_, message_chains_[i]);
  const OpId id =
      c_.builder.add_op(lanes_.out[i], c_.recipes.message, charge_id(StepCharge::pp_exposed), meeting, note);
  c_.builder.depends(last_compute_, id);
  if (!c_.scenario.stack.overlap_pipeline_messages) wait_for(id);
}

void ProgramWriter::forward(const PipelineSlot& slot) {
  const auto chunk = static_cast<std::size_t>(slot.chunk);
  const ChunkContents& contents = c_.layout.at(stage_, slot.chunk);
  if (!first_part(slot)) receive(Stream::forward, neighbour(-1), slot.micro_batch);
  std::size_t bucket = 0;
  const auto wait_for_parameters = [&](int layer) {
    const bool due = slot.micro_batch == 0 && bucket < gathers_[chunk].size();
    if (due && buckets_[chunk][bucket].first_layer == layer) wait_for(gathers_[chunk][bucket++]);
  };
  wait_for_parameters(0);
  if (contents.embedding) stamp(c_.recipes.embedding_forward, slot.micro_batch);
  for (int layer = 0; layer < contents.layers; ++layer) {
    wait_for_parameters(layer);
    stamp(c_.recipes.layer_forward, slot.micro_batch);
  }
  if (contents.head) stamp(c_.recipes.head_forward, slot.micro_batch);
  slot_ends_.push_back(last_compute_);
  if (!last_part(slot)) send(Stream::forward, slot.micro_batch);
}

bool ProgramWriter::reduces(const PipelineSlot& slot) const {
  const bool every_time = c_.plan.sharding == Sharding::zero2 && c_.plan.pipeline == 1;
  return c_.plan.data > 1 && (every_time || slot.micro_batch == c_.plan.micro_batches - 1);
}

void ProgramWriter::reduce(const Bucket& bucket, int note) {
  const Bytes payload = bucket.parameters * c_.scenario.stack.gradient_size.value * byte;
  const CollectiveOp op = c_.plan.sharding == Sharding::none ? CollectiveOp::all_reduce : CollectiveOp::reduce_scatter;
  c_.builder.depends(last_compute_, data_op(op, payload, StepCharge::dp_exposed, note));
}

void ProgramWriter::backward_layer(const PipelineSlot& slot, int layer) {
  if (c_.plan.recompute == Recompute::full) stamp(c_.recipes.layer_again, slot.micro_batch);
  stamp(c_.recipes.layer_backward, slot.micro_batch);
  if (layer == 0 || !reduces(slot) || !c_.scenario.stack.overlap_gradient_reduce) return;
  for (const Bucket& bucket : buckets_[static_cast<std::size_t>(slot.chunk)])
    if (bucket.first_layer == layer) reduce(bucket, slot.micro_batch);
}

void ProgramWriter::backward(const PipelineSlot& slot) {
  const ChunkContents& contents = c_.layout.at(stage_, slot.chunk);
  if (!last_part(slot)) receive(Stream::backward, neighbour(1), slot.micro_batch);
  if (contents.head) stamp(c_.recipes.head_backward, slot.micro_batch);
  for (int layer = contents.layers - 1; layer >= 0; --layer) backward_layer(slot, layer);
  if (contents.embedding) stamp(c_.recipes.embedding_backward, slot.micro_batch);
  slot_ends_.push_back(last_compute_);
  if (!first_part(slot)) send(Stream::backward, slot.micro_batch);
  if (!reduces(slot)) return;
  const std::vector<Bucket>& buckets = buckets_[static_cast<std::size_t>(slot.chunk)];
  if (c_.scenario.stack.overlap_gradient_reduce) {
    reduce(buckets.front(), slot.micro_batch);
  } else {
    for (const Bucket& bucket : buckets) unreduced_.push_back(&bucket);
  }
}

void ProgramWriter::finish() {
  for (const Bucket* bucket : unreduced_) reduce(*bucket, -1);
  const Transformer& model = c_.scenario.transformer;
  const int last = c_.plan.pipeline - 1;
  if (model.tied_embeddings && last > 0 && (stage_ == 0 || stage_ == last)) {
    RankCoordinates first = c_.classes.representative(class_);
    first.pipeline = 0;
    const std::size_t group = c_.classes.class_of(first);
    const double rows = static_cast<double>(model.vocabulary * model.hidden) / c_.plan.tensor;
    const ChainId chain = c_.links.tied_table(rows * c_.scenario.stack.gradient_size.value * byte, group);
    const OpId id = c_.builder.add_op(lanes_.data, c_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                                      c_.tied.join(group, class_, chain), -1);
    c_.builder.depends(last_compute_, id);
  }
  const OpId norm = c_.builder.add_op(lanes_.data, c_.recipes.data_collective, charge_id(StepCharge::dp_exposed),
                                      c_.norm.join(0, class_, c_.norm_chain), -1);
  c_.builder.depends(last_compute_, norm);
  const double local = local_parameters(c_.memory, stage_);
  const double owned = c_.plan.sharding == Sharding::none ? local : local / c_.plan.data;
  const WorkId update = add_optimizer(c_.builder, c_.costs, local, owned, c_.scenario.stack.gradient_size.value);
  c_.builder.depends(norm, c_.builder.add_op(lanes_.compute, update, charge_id(StepCharge::optimizer), -1));
}

void ProgramWriter::write() {
  gather_parameters();
  for (const PipelineSlot& slot :
       pipeline_schedule(stage_, c_.plan.pipeline, c_.plan.virtual_pipeline, c_.plan.micro_batches))
    slot.forward ? forward(slot) : backward(slot);
  finish();
}

/// Simulated time is finite; sharing may stretch a step, hence the wide margin below its 106 days.
void check_length(const StepGraph& graph) {
  constexpr double longest_days = 20;
  Seconds total;
  for (std::size_t i = 0; i < graph.structure.op_count(); ++i)
    total += to_seconds(graph.price.works[graph.structure.op_work[OpId(i)]].duration);
  for (const Rendezvous& meeting : graph.structure.rendezvous)
    for (StageId s(graph.structure.chain_begin[meeting.chain.value]);
         s.value < graph.structure.chain_begin[meeting.chain.value + 1]; ++s.value) {
      const StagePrice& stage = graph.price.stages[s];
      if (stage.bytes > 0) total += static_cast<double>(stage.bytes) / static_cast<double>(stage.rate_bound) * second;
    }
  if (total < longest_days * day) return;
  throw ConfigError({"E0502",
                     fmt::format("the kernels of one step take {:.0f} days", total.in(day)),
                     {},
                     "",
                     fmt::format("at most {:.0f} can be simulated: a shorter sequence, a smaller batch or faster links",
                                 longest_days)});
}

}  // namespace

StepGraph lower_training_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  StepContext context(scenario, plan, folding);
  for (std::size_t c = 0; c < context.classes.count(); ++c) ProgramWriter(context, c).write();
  StepGraph graph = std::move(context.builder).build();
  check_length(graph);
  return graph;
}

}  // namespace clusterwright
