// SPDX-License-Identifier: Apache-2.0
#include "models/job/unused_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "models/job/scenario_loader.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

struct Question {
  const Scenario& scenario;
  ScenarioReader reader;

  const Job& job() const { return scenario.job; }
  bool sizes_a_site() const { return reader == ScenarioReader::size; }
  bool copies_messages() const { return scenario.cluster.spec.fabric.transport == Transport::ethernet; }
  bool plans_a_site() const { return sizes_a_site() || reader == ScenarioReader::wave; }
};

/// Why a field below `path` does not matter; nullptr if it may matter.
using Reason = const char* (*)(const Question& asked);

struct Rule {
  std::string_view path;  ///< the field, or an object of which no field matters; "*" at the end is any field of it
  Reason reason;
  UnusedKind kind = UnusedKind::needless;
};

bool has_stages(const Question& q) {
  return q.job().parallel.pipeline.value_or(2) > 1;
}

/// Without a rent, or without an end of the job, only `size` prices something.
const char* no_prices(const Question& q) {
  const auto& prices = q.scenario.prices;
  const bool rented = prices && prices->rent_of(q.scenario.cluster.accelerator.id) && (q.job().tokens || q.job().steps);
  return q.sizes_a_site() || rented ? nullptr : "size reads it";
}

const char* read_with_rent(const Question&) {
  return nullptr;
}

const char* only_rent(const Question& q) {
  return q.sizes_a_site() ? nullptr : "size reads it";
}

const char* no_context(const Question& q) {
  return q.job().parallel.context.value_or(2) == 1 ? "context is 1" : nullptr;
}

const char* no_tensor(const Question& q) {
  return q.job().parallel.tensor.value_or(2) == 1 ? "tensor is 1" : nullptr;
}

const char* no_stages(const Question& q) {
  return has_stages(q) ? nullptr : "pipeline is 1";
}

/// Stages and replicas are what changes places.
const char* no_order(const Question& q) {
  return q.job().parallel.data == 1 ? "data is 1" : no_stages(q);
}

const char* one_site(const Question& q) {
  const bool several = q.scenario.cluster.spec.fabric.sites && q.scenario.cluster.has_network();
  return several ? nullptr : "the cluster is on one site";
}

const char* never_apart(const Question& q) {
  return q.job().local_steps == 1 ? "local_steps is 1" : nullptr;
}

const char* no_experts(const Question& q) {
  return q.scenario.transformer.experts ? nullptr : "the transformer has no experts";
}

/// Under pipeline stages weights and gradients stay whole through the step.
const char* whole_weights(const Question& q) {
  const bool below = q.job().sharding == Sharding::zero2;
  return has_stages(q) && q.job().parallel.pipeline && below
             ? "pipeline stages keep whole weights and gradients, as zero1 does"
             : nullptr;
}

const char* nothing_prepared(const Question& q) {
  return q.job().input->tokens_per_core ? nullptr : "tokens_per_s_per_core is not given, so nothing is prepared";
}

const char* no_window(const Question& q) {
  return q.scenario.transformer.sliding_window || q.scenario.transformer.attention_chunk ? nullptr
                                                                                         : "no window is given";
}

const char* filled_sequence(const Question& q) {
  return q.job().sample_tokens >= q.job().sequence ? "samples are not shorter than a sequence" : nullptr;
}

const char* no_files(const Question& q) {
  return q.job().input ? nullptr : "the job reads no data and writes no checkpoints";
}

template <bool size_too>
const char* no_wave(const Question& q) {
  if (q.reader == ScenarioReader::wave || (size_too && q.sizes_a_site())) return nullptr;
  return size_too ? "size and wave read it" : "wave reads it";
}

const char* no_hashing(const Question& q) {
  const bool hashed = routing_of(q.scenario.cluster.spec.fabric) == Routing::hash;
  return hashed ? nullptr : "paths are not hashed";
}

const char* one_path(const Question& q) {
  const Cluster& cluster = q.scenario.cluster;
  const bool one_tier = cluster.spec.fabric.kind == FabricKind::fat_tree && cluster.fabric.tiers().size() < 2;
  return one_tier && !cluster.spec.fabric.sites ? "all nodes are on one tier of switches: there is one path" : nullptr;
}

const char* no_network(const Question& q) {
  return !q.scenario.cluster.has_network() ? "the cluster is one node or one scale-up domain" : nullptr;
}

/// Slots are read where they are slower than the NICs, and where copies to the host meet these.
const char* no_nic_paths(const Question& q) {
  if (q.job().offload.uses_host()) return nullptr;
  const Cluster& cluster = q.scenario.cluster;
  const NicReach& reach = cluster.groups.front().nic_reach;
  const auto limits = [&](BytesPerSecond slot) { return slot > BytesPerSecond{} && slot < reach.stated; };
  const BytesPerSecond slots = cluster.links.wiring().pcie.slot * cluster.node_accelerators;
  if (limits(reach.slot) || limits(fastest_pcie_slot()) || limits(slots / std::max(1, cluster.nics))) return nullptr;
  return "NICs reach their own rate wherever they are plugged in";
}

/// Between accelerators that scale-up links do not join, and where the slots are slower than the NICs.
const char* no_pcie_paths(const Question& q) {
  const Cluster& cluster = q.scenario.cluster;
  const NodeWiring& wiring = cluster.links.wiring();
  const bool joined = wiring.scale_up != ScaleUpWiring::none && wiring.domain >= cluster.node_accelerators;
  return joined ? "scale-up links join all accelerators of a node" : nullptr;
}

const char* no_switches(const Question& q) {
  return q.job().offload.uses_host() ? nullptr : no_pcie_paths(q);
}

const char* no_slots(const Question& q) {
  return q.scenario.cluster.has_network() || q.job().offload.any() ? nullptr : no_pcie_paths(q);
}

const char* no_rails(const Question& q) {
  const bool one_tier = q.scenario.cluster.spec.fabric.tiers.size() == 1;
  return one_tier && !q.plans_a_site() ? "one tier of switches joins all NICs" : nullptr;
}

const char* no_link_rate(const Question& q) {
  const bool tree = q.scenario.cluster.spec.fabric.kind == FabricKind::fat_tree;
  return tree ? "links of a fat tree run at the rate of NICs and switch ports" : nullptr;
}

bool keeps_on_host(const Question& q) {
  return q.job().offload.uses(MemoryLevel::host) || q.job().offload.uses(MemoryLevel::nvme);
}

const char* no_drives(const Question& q) {
  const std::optional<InputSpec>& input = q.job().input;
  const bool files =
      input && (input->from == Store::local || (input->checkpoint && input->checkpoint->to == Store::local));
  return q.job().offload.uses(MemoryLevel::nvme) || files ? nullptr : "nothing is kept on the drives of a node";
}

const char* no_host_memory(const Question& q) {
  return keeps_on_host(q) || q.job().input || q.plans_a_site() ? nullptr : "nothing is kept in the memory of a host";
}

const char* no_host_copies(const Question& q) {
  return keeps_on_host(q) || q.job().input || q.copies_messages() ? nullptr
                                                                  : "nothing is copied through the memory of a host";
}

const char* no_host_work(const Question& q) {
  const bool prepares = q.job().input && q.job().input->tokens_per_core;
  return prepares || q.copies_messages() ? nullptr : "hosts prepare no data and copy no messages";
}

const char* no_pool(const Question& q) {
  return q.job().offload.uses(MemoryLevel::pool) ? nullptr : "nothing is kept in the pool";
}

const char* enough_positions(const Question& q) {
  const Transformer& model = q.scenario.transformer;
  const bool read = model.positions == PositionEncoding::learned || model.max_sequence < q.job().sequence;
  return read ? nullptr : "no table of positions is kept";
}

const char* no_torus(const Question& q) {
  return q.scenario.cluster.links.wiring().scale_up == ScaleUpWiring::torus ? nullptr
                                                                            : "the scale-up links form no torus";
}

/// Above the batch nothing happens, except to a batch that grows.
const char* not_reached(const Question& q) {
  const bool within = std::int64_t{q.job().global_batch} * q.job().sequence <= q.job().max_global_batch_tokens;
  return within && q.reader != ScenarioReader::scale ? "the batch is within it" : nullptr;
}

const char* sized_alone(const Question& q) {
  return q.reader == ScenarioReader::size ? "size plans the nodes of the job alone" : nullptr;
}

/// Places matter where switches, faults or slow devices tell nodes apart.
const char* places_alike(const Question& q) {
  const ClusterSpec& spec = q.scenario.cluster.spec;
  if (sized_alone(q)) return sized_alone(q);
  if (!spec.fabric.faults.empty() || !spec.slow.empty()) return nullptr;
  if (no_network(q)) return no_network(q);
  return one_path(q) ? "all nodes are on one tier of switches: their places are alike" : nullptr;
}

const char* not_shuffled(const Question& q) {
  const PlacementSpec& placement = *q.job().placement;
  if (!placement.nodes.empty()) return "the nodes are given one by one";
  return placement.order == PlacementOrder::shuffled ? places_alike(q) : "nodes are not shuffled";
}

const char* nodes_given(const Question& q) {
  return q.job().placement->nodes.empty() ? places_alike(q) : "the nodes are given one by one";
}

const char* only_replicas(const Question& q) {
  return q.reader == ScenarioReader::scale ? "scale takes as many replicas as each size has" : nullptr;
}

constexpr Rule rules[] = {
    {"prices", no_prices, UnusedKind::describes},
    {"prices.like", read_with_rent},
    {"prices.rent_usd_per_accelerator_hour", read_with_rent},
    {"prices.rents_usd_per_accelerator_hour", read_with_rent},
    {"prices.goodput", read_with_rent},
    {"prices.*", only_rent, UnusedKind::describes},
    {"cluster.storage", no_files, UnusedKind::describes},
    {"cluster.fabric", no_network, UnusedKind::describes},
    {"cluster.facility.stabilization.storage", no_wave<true>, UnusedKind::describes},
    {"cluster.facility.stabilization.*", no_wave<false>, UnusedKind::describes},
    {"cluster.fabric.routing", one_path, UnusedKind::describes},
    {"cluster.fabric.queue_pairs", no_hashing, UnusedKind::describes},
    {"cluster.fabric.routing_seed", no_hashing, UnusedKind::describes},
    {"cluster.fabric.rails", no_rails, UnusedKind::describes},
    {"cluster.node.nic_rate_gbit_per_s", no_network, UnusedKind::describes},
    {"cluster.node.pcie.nic_slot_gb_per_s", no_network, UnusedKind::describes},
    {"cluster.node.pcie.link_gb_per_s", no_slots, UnusedKind::describes},
    {"cluster.fabric.link_rate_gbit_per_s", no_link_rate, UnusedKind::describes},
    {"cluster.pool", no_pool, UnusedKind::describes},
    {"cluster.node.host.nvme_gb", no_drives, UnusedKind::describes},
    {"cluster.node.host.nvme_read_gb_per_s", no_drives, UnusedKind::describes},
    {"cluster.node.host.nvme_write_gb_per_s", no_drives, UnusedKind::describes},
    {"cluster.node.host.memory_gb", no_host_memory, UnusedKind::describes},
    {"cluster.node.host.memory_gb_per_s", no_host_copies, UnusedKind::describes},
    {"cluster.node.host.cores", no_host_work, UnusedKind::describes},
    {"cluster.node.pcie.accelerators_per_switch", no_switches, UnusedKind::describes},
    {"cluster.node.pcie.sockets", no_switches, UnusedKind::describes},
    {"cluster.node.pcie.peer_to_peer", no_pcie_paths, UnusedKind::describes},
    {"cluster.node.pcie.uplink_gb_per_s", no_switches, UnusedKind::describes},
    {"cluster.node.pcie.between_sockets_gb_per_s", no_pcie_paths, UnusedKind::describes},
    {"transformer.max_sequence", enough_positions, UnusedKind::describes},
    {"cluster.node.scale_up_torus", no_torus},
    {"cluster.node.pcie.nics", no_nic_paths, UnusedKind::describes},
    {"job.parallel.context_exchange", no_context},
    {"job.parallel.sequence", no_tensor},
    {"job.parallel.schedule", no_stages},
    {"job.parallel.order", no_order},
    {"job.parallel.across_sites", one_site},
    {"job.site_reduction", one_site},
    {"job.placement.machine_nodes", sized_alone},
    {"job.local_groups", never_apart},
    {"job.placement.seed", not_shuffled},
    {"job.placement.order", nodes_given},
    {"job.parallel.data", only_replicas, UnusedKind::describes},
    {"job.max_global_batch_tokens", not_reached, UnusedKind::describes},
    {"job.routing", no_experts},
    {"job.sharding", whole_weights, UnusedKind::lowered},
    {"job.sample_tokens", filled_sequence},
    {"job.input.workers", nothing_prepared},
    {"job.input.cores_per_accelerator", nothing_prepared},
    {"job.input.prefetch_depth", nothing_prepared},
    {"transformer.full_attention_every", no_window},
};

/// Walks the fields that the document gives.
class GivenFields {
 public:
  explicit GivenFields(const Question& asked) : asked_(asked) {}

  std::vector<UnusedField> find() {
    walk(scenario_spec(), asked_.scenario.source, "");
    return std::move(found_);
  }

 private:
  void walk(const RecordSpec& spec, const JsonValue& object, const std::string& prefix) {
    for (const FieldSpec& field : spec.fields) {
      const JsonValue* value = object.find(field.key);
      if (!value) continue;
      const std::string path = prefix.empty() ? field.key : prefix + "." + field.key;
      if (judge(path, field, *value)) continue;
      const bool record = field.type == FieldType::record && !field.is_map;
      if (record && value->is(JsonKind::object)) walk(field.nested(), *value, path);
    }
    if (prefix == "cluster.fabric") check_tapers(object);
  }

  /// The first rule for a path decides. @return true if nothing at or below the path matters
  bool judge(const std::string& path, const FieldSpec& field, const JsonValue& value) {
    for (const Rule& rule : rules) {
      if (!covers(rule.path, path)) continue;
      const char* why = rule.reason(asked_);
      const bool given = why && !is_default(field, value);
      if (given) add(path, why, value, rule.kind);
      return why != nullptr;
    }
    return false;
  }

  static bool covers(std::string_view pattern, std::string_view path) {
    return pattern.ends_with('*') ? path.starts_with(pattern.substr(0, pattern.size() - 1)) : path == pattern;
  }

  static bool is_default(const FieldSpec& field, const JsonValue& value) {
    if (value.is(JsonKind::object)) return value.members().empty();
    return !field.required && write_json(value, -1) == write_json(field.fallback, -1);
  }

  /// The top tier has no way up.
  void check_tapers(const JsonValue& fabric) {
    const JsonValue* tiers = fabric.find("tiers");
    if (!tiers || !tiers->is(JsonKind::list) || tiers->elements().empty()) return;
    const std::size_t top = tiers->elements().size() - 1;
    const JsonValue* taper = tiers->elements()[top].find("taper");
    if (taper && taper->is_numeric() && taper->as_number() != 1)
      add(fmt::format("cluster.fabric.tiers.{}.taper", top), "the top tier has no links up", *taper,
          UnusedKind::needless);
  }

  /// Adds the fields below that were typed one by one; else the value as a whole.
  void add(const std::string& path, const char* why, const JsonValue& value, UnusedKind kind) {
    if (!typed(value) && add_typed_below(path, why, value)) return;
    found_.push_back({path, why, &value, typed(value), kind});
  }

  bool add_typed_below(const std::string& path, const char* why, const JsonValue& value) {
    if (!value.is(JsonKind::object)) return false;
    bool found = false;
    for (const auto& [key, member] : value.members()) {
      const std::string below = path + "." + key;
      if (typed(member)) found_.push_back({below, why, &member, true, UnusedKind::needless});
      found = typed(member) || add_typed_below(below, why, member) || found;
    }
    return found;
  }

  static bool typed(const JsonValue& value) { return value.source && value.source->name().starts_with("--set"); }

  const Question& asked_;
  std::vector<UnusedField> found_;
};

}  // namespace

std::vector<UnusedField> unused_fields(const Scenario& scenario, ScenarioReader reader) {
  return GivenFields({scenario, reader}).find();
}

std::vector<std::string> check_unused(const std::vector<UnusedField>& fields) {
  std::vector<Diagnostic> refused;
  std::vector<std::string> named;
  for (const UnusedField& field : fields) {
    if (field.typed && field.kind != UnusedKind::lowered)
      refused.push_back({"E0339",
                         fmt::format("{} changes nothing here: {}", field.path, field.why),
                         {field.value->place("")},
                         "",
                         "leave it out"});
    else if (field.kind != UnusedKind::describes)
      named.push_back(fmt::format("{} ({})", field.path, field.why));
  }
  if (!refused.empty()) throw ConfigError(std::move(refused));
  if (named.empty()) return {};
  return {fmt::format("given, but of no effect here: {}", fmt::join(named, "; "))};
}

}  // namespace clusterwright
