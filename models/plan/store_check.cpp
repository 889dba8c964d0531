// SPDX-License-Identifier: Apache-2.0
#include "models/plan/store_check.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

std::string cluster_name(const Scenario& s) {
  return s.cluster.spec.node.part.empty() ? "the nodes" : fmt::format("\"{}\"", s.cluster.spec.node.part);
}

void check_amount(const InputSpec& input, std::vector<Contradiction>& errors) {
  if (input.bytes_per_token.has_value() != input.bytes_per_sample.has_value()) return;
  const bool both = input.bytes_per_token.has_value();
  errors.push_back({"E0327",
                    both ? "bytes_per_token and bytes_per_sample exclude each other"
                         : "the size of the data is missing: neither bytes_per_token nor bytes_per_sample is given",
                    both ? std::vector<std::string>{"/job/input/bytes_per_token", "/job/input/bytes_per_sample"}
                         : std::vector<std::string>{"/job/input"},
                    both ? "leave out one of the two" : "tokenised data takes 2 or 4 bytes per token"});
}

void check_local(const Scenario& s, Store store, bool write, const std::string& pointer,
                 std::vector<Contradiction>& errors) {
  const HostSpec& host = s.cluster.spec.node.host;
  if (store != Store::local || (write ? host.nvme_write : host.nvme_read)) return;
  errors.push_back(
      {"E0328",
       fmt::format("the {} rate of the drives of {} is not known", write ? "write" : "read", cluster_name(s)),
       {pointer, "/cluster/node"},
       fmt::format("give node.host.nvme_{}_gb_per_s, or another store", write ? "write" : "read")});
}

void check_input(const Scenario& s, std::vector<Contradiction>& errors) {
  if (!s.job.input) return;
  const InputSpec& input = *s.job.input;
  check_amount(input, errors);
  check_local(s, input.from, false, "/job/input/from", errors);
  if (input.checkpoint) check_local(s, input.checkpoint->to, true, "/job/input/checkpoint/to", errors);
  const bool cores = input.workers || input.cores_per_accelerator || s.cluster.spec.node.host.cores;
  if (input.tokens_per_core && !cores)
    errors.push_back({"E0328",
                      fmt::format("the number of cores of {} that prepare data is not known", cluster_name(s)),
                      {"/job/input/tokens_per_s_per_core", "/cluster/node"},
                      "give node.host.cores, cores_per_accelerator or workers"});
}

void check_pool(const Scenario& s, const std::string& pointer, std::vector<Contradiction>& errors) {
  const auto& pool = s.cluster.spec.pool;
  if (!pool) {
    errors.push_back({"E0328",
                      "the cluster has no memory pool",
                      {pointer, "/cluster"},
                      "give the cluster a \"pool\": {\"total_gb_per_s\": ...}, or choose another place for the state"});
    return;
  }
  if (!pool->total || (pool->over == PoolLink::own && !pool->accelerator))
    errors.push_back(
        {"E0328",
         fmt::format("the bandwidth of the pool is not known{}", pool->total ? " to one accelerator" : ""),
         {pointer, "/cluster/pool"},
         fmt::format("give {}",
                     pool->total ? "accelerator_gb_per_s, or in \"over\" the links that reach it" : "total_gb_per_s")});
  const Cluster& cluster = s.cluster;
  const bool missing = (pool->over == PoolLink::network && cluster.nics == 0) ||
                       (pool->over == PoolLink::scale_up && cluster.scale_up_bandwidth <= BytesPerSecond{});
  if (missing)
    errors.push_back({"E0328",
                      "the nodes have no links of the kind given in \"over\"",
                      {"/cluster/pool/over", "/cluster/node"},
                      "use \"own\" with accelerator_gb_per_s"});
}

void check_tier(const Scenario& s, MemoryLevel tier, const std::string& pointer, std::vector<Contradiction>& errors) {
  if (tier == MemoryLevel::pool) check_pool(s, pointer, errors);
  if (tier != MemoryLevel::nvme) return;
  check_local(s, Store::local, false, pointer, errors);
  if (s.cluster.spec.node.host.nvme_read) check_local(s, Store::local, true, pointer, errors);
}

}  // namespace

std::vector<Contradiction> check_stores(const Scenario& s) {
  std::vector<Contradiction> errors;
  check_input(s, errors);
  const Offload& offload = s.job.offload;
  check_tier(s, offload.weights, "/job/offload/weights", errors);
  check_tier(s, offload.optimizer, "/job/offload/optimizer", errors);
  check_tier(s, offload.activations, "/job/offload/activations", errors);
  return errors;
}

}  // namespace clusterwright
