// SPDX-License-Identifier: Apache-2.0
#include "models/job/node_cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/diagnostic.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

namespace {

constexpr int usual_sequence = 8192;
constexpr double usual_tokens = 15e12;  // where nothing says how long the run is

/// Nodes that are only rented with an accelerator; empty where nobody offers any.
std::vector<std::string> rented_nodes(const std::string& accelerator, const Catalog& catalog) {
  std::vector<std::string> out;
  for (const NodePart& node : catalog.nodes)
    if (node.accelerator_id == accelerator) out.push_back(fmt::format("\"{}\"", node.id));
  return out;
}

/// Way to a node of an accelerator that no node of the catalog is sold with.
std::string way_to_node(const AcceleratorPart& part, const Catalog& catalog) {
  if (const auto rented = rented_nodes(part.id, catalog); !rented.empty())
    return fmt::format("it is rented: name the node, {}", fmt::join(rented, " or "));
  return fmt::format(
      "describe its node in place of --on: --set 'cluster={{\"accelerators\": 64, \"node\": {{\"accelerator\": \"{}\", "
      "\"nic\": \"ConnectX-7 NDR\"}}}}', or the same in a cluster file (docs/machines.md)",
      part.id);
}

/// Refuses an accelerator of the catalog that no node is sold with.
void refuse_unsold(const std::string& name, const Catalog& catalog) {
  const auto part = std::ranges::find_if(catalog.accelerators,
                                         [&](const AcceleratorPart& one) { return is_same_name(one.id, name); });
  if (part == catalog.accelerators.end() || sold_node(part->id, catalog)) return;
  throw ConfigError({"E0203",
                     fmt::format("no node of the catalog is sold with the accelerator \"{}\"", part->id),
                     {option_place("--on", name)},
                     "in no node that is sold",
                     way_to_node(*part, catalog)});
}

int accelerators_of(const NodePart& node) {
  return node.accelerator_count ? std::max(1, node.accelerator_count->value) : 1;
}

int domain_of(const NodePart& node) {
  return node.scale_up_domain ? node.scale_up_domain->value : accelerators_of(node);
}

/// First node that is sold with an accelerator, and the other slices of its torus: hosts whose links join them to one
/// domain. Empty where all nodes are rented; one node where chips form no torus.
std::vector<const NodePart*> torus_choices(const std::string& accelerator, const Catalog& catalog) {
  std::vector<const NodePart*> out;
  for (const NodePart& node : catalog.nodes) {
    if (node.rented || node.accelerator_id != accelerator) continue;
    const bool slice = !node.scale_up_torus.empty() && domain_of(node) > accelerators_of(node);
    if (out.empty() || (slice && !out.front()->scale_up_torus.empty())) out.push_back(&node);
  }
  return out;
}

/// Whether a number of accelerators is better placed on `a` than on `b`. Idle chips of a node that is too large count
/// first, then a domain that holds all, then the smaller domain of those that do and the larger one of those that do
/// not.
bool suits_better(const NodePart& a, const NodePart& b, int accelerators) {
  const bool whole_a = accelerators % accelerators_of(a) == 0, whole_b = accelerators % accelerators_of(b) == 0;
  if (whole_a != whole_b) return whole_a;
  const bool holds_a = domain_of(a) >= accelerators, holds_b = domain_of(b) >= accelerators;
  if (holds_a != holds_b) return holds_a;
  return holds_a ? domain_of(a) < domain_of(b) : domain_of(a) > domain_of(b);
}

}  // namespace

const NodePart* sold_node(const std::string& accelerator, const Catalog& catalog, int accelerators) {
  const std::vector<const NodePart*> choices = torus_choices(accelerator, catalog);
  if (choices.empty()) return nullptr;
  if (accelerators < 1) return choices.front();
  return *std::ranges::min_element(
      choices, [&](const NodePart* a, const NodePart* b) { return suits_better(*a, *b, accelerators); });
}

std::string slice_remark(const std::string& name, const std::string& node, const Catalog& catalog) {
  const NodePart* taken = catalog.find_node(node);
  if (name.empty() || !taken || taken->accelerator_id != name) return {};
  std::vector<std::string> others;
  for (const NodePart* choice : torus_choices(name, catalog))
    if (choice != taken) others.push_back(fmt::format("\"{}\"", choice->id));
  if (others.empty()) return {};
  return fmt::format("--on {} takes \"{}\", whose domain of {} suits the number of accelerators; others by name: {}",
                     name, node, domain_of(*taken), fmt::join(others, ", "));
}

const NodePart& named_node(const std::string& name, const Catalog& catalog, int accelerators) {
  if (const NodePart* node = catalog.find_node(name)) return *node;
  if (const NodePart* node = sold_node(name, catalog, accelerators)) return *node;
  refuse_unsold(name, catalog);
  std::vector<std::string> known = ids_of(catalog.nodes);
  for (const AcceleratorPart& part : catalog.accelerators)
    if (sold_node(part.id, catalog)) known.push_back(part.id);
  const std::string suggestion = did_you_mean(name, known);
  throw ConfigError(
      {"E0203",
       fmt::format("unknown node or accelerator \"{}\"", name.substr(0, 60)),
       {option_place("--on", name)},
       "not in the catalog",
       fmt::format("{}{}(list all: clusterwright catalog nodes)", suggestion, suggestion.empty() ? "" : "   ")});
}

JsonValue cluster_of_nodes(const NodePart& node, int accelerators) {
  return JsonValue::object(
      {{"name", node.id}, {"accelerators", accelerators}, {"node", JsonValue::object({{"part", node.id}})}});
}

int sequence_for(const JsonValue& model, int wanted) {
  for (const char* key : {"max_sequence", "max_position_embeddings"})
    if (const JsonValue* most = model.find(key); most && most->is_numeric() && most->as_number() >= 1)
      return std::min(wanted, static_cast<int>(std::min(most->as_number(), 1e9)));
  return wanted;
}

int usual_batch(double tokens, int sequence) {
  const double batch_tokens = 2e6 * std::pow((tokens > 0 ? tokens : usual_tokens) / 0.1e12, 0.47);
  return 1 << std::max(0, static_cast<int>(std::lround(std::log2(batch_tokens / sequence))));
}

JsonValue pretraining_of(const std::filesystem::path& transformer, double tokens) {
  const int sequence = sequence_for(read_json_file(transformer), usual_sequence);
  JsonValue job = JsonValue::object({{"task", "pretrain"},
                                     {"sequence", sequence},
                                     {"global_batch", usual_batch(tokens, sequence)},
                                     {"sharding", "auto"},
                                     {"stack", "generic-2026"}});
  JsonValue parallel = JsonValue::object({});
  for (const char* degree : {"tensor", "context", "pipeline", "virtual_pipeline", "expert", "data"})
    parallel.set(degree, "auto");
  job.set("parallel", std::move(parallel));
  job.set("micro_batch", "auto");
  job.set("recompute", "auto");
  if (tokens > 0) job.set("tokens", tokens);
  return JsonValue::object({{"transformer", std::filesystem::absolute(transformer).generic_string()}, {"job", job}});
}

}  // namespace clusterwright
