// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_sensitivity.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <functional>

#include "models/settling/step_what_ifs.hpp"
#include "sim/parallel_points.hpp"

namespace clusterwright {

namespace {

struct Resource {
  const char* name;
  std::function<void(Scenario&, double more)> scale;
  std::function<bool(const Scenario&)> used = [](const Scenario&) { return true; };
};

/// Changes the accelerator and the parameters of every kind of nodes. Those of the first kind are the cluster's own.
template <class Change>
void on_all_kinds(Scenario& s, const Change& change) {
  change(s.cluster.accelerator, s.parameters);
  for (std::size_t kind = 0; kind < s.by_kind.size(); ++kind)
    change(s.cluster.groups[s.cluster.group_of_kind(static_cast<int>(kind) + 1)].accelerator,
           s.by_kind[kind].parameters);
}

/// Scales a rate of the cluster, and of the nodes of every further kind.
void scale_rate(Scenario& s, double more, BytesPerSecond Cluster::*own, BytesPerSecond NodeGroup::*of_group) {
  s.cluster.*own *= more;
  for (NodeGroup& group : s.cluster.groups)
    if (group.kind > 0) group.*of_group *= more;
}

/// Keeps the power of kernels, so that only the limit moves.
void scale_limit(AcceleratorPart& part, ParameterSet& parameters, double more) {
  DevicePowerParameters& p = parameters.power;
  const Watts idle = part.idle_power ? part.idle_power->value : 0.1 * part.power.value;
  const Watts reference = p.reference_power ? p.reference_power->value : Watts{};
  const Watts before = std::max(part.power.value, reference) - idle;
  part.power.value *= more;
  const double range = (std::max(part.power.value, reference) - idle) / before;
  for (auto* weight : {&p.tensor_weight, &p.memory_weight, &p.link_weight, &p.waiting_share, &p.active_weight})
    weight->value /= range;
}

template <class... Rates>
void scale_rates(double more, Rates&... rates) {
  const auto scale = [&](auto& rate) {
    if (rate) *rate *= more;
  };
  (scale(rates), ...);
}

void scale_input(Scenario& s, double more) {
  StorageSpec& shared = s.cluster.spec.storage;
  InputSpec& input = *s.job.input;
  scale_rates(more, input.tokens_per_core, input.storage.read, input.storage.host_read, shared.read, shared.host_read);
  if (input.from != Store::local) return;
  scale_rates(more, s.cluster.spec.node.host.nvme_read);
  for (MixedNodesSpec& also : s.cluster.spec.also) scale_rates(more, also.node.host.nvme_read);
}

void scale_tiers(Scenario& s, double more) {
  const auto scale = [&](HostSpec& host) { scale_rates(more, host.memory_bandwidth, host.nvme_read, host.nvme_write); };
  scale(s.cluster.spec.node.host);
  for (MixedNodesSpec& also : s.cluster.spec.also) scale(also.node.host);
  if (auto& pool = s.cluster.spec.pool) scale_rates(more, pool->accelerator, pool->total);
}

const std::vector<Resource>& resources() {
  static const std::vector<Resource> list = {
      {"GEMM rate at the same power",
       [](Scenario& s, double more) {
         on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet&) {
           for (auto& [format, rate] : part.peak_dense_tflops) rate.value *= more;
         });
       }},
      {"power limit of the accelerator",
       [](Scenario& s, double more) {
         on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet& parameters) { scale_limit(part, parameters, more); });
       }},
      {"device memory bandwidth",
       [](Scenario& s, double more) {
         on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet&) { part.memory_bandwidth.value *= more; });
       }},
      {"scale-up bandwidth",
       [](Scenario& s, double more) {
         scale_rate(s, more, &Cluster::scale_up_bandwidth, &NodeGroup::scale_up_bandwidth);
       }},
      {"network bandwidth",
       [](Scenario& s, double more) { scale_rate(s, more, &Cluster::nic_bandwidth, &NodeGroup::nic_bandwidth); }},
      {"speed of the host", [](Scenario& s, double more) { s.stack.kernel_launch.value *= 1 / more; }},
      {"storage and preparation of data", scale_input, [](const Scenario& s) { return s.job.input.has_value(); }},
      {"host memory, drives and pool", scale_tiers, [](const Scenario& s) { return s.job.offload.any(); }},
  };
  return list;
}

}  // namespace

std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step, double more) {
  std::vector<StepSensitivity> out;
  std::vector<const Resource*> used;
  for (const Resource& resource : resources())
    if (resource.used(scenario)) used.push_back(&resource);
  const StepWhatIfs what_ifs(scenario, step.plan);
  tbb::enumerable_thread_specific<StepWhatIfs> of_thread(what_ifs);
  out.resize(used.size());
  for_each_point(last_first(used.size()), [&](std::size_t i) {
    Scenario changed = scenario;
    used[i]->scale(changed, more);
    const Seconds time = to_seconds(of_thread.local().time_under(changed).end);
    out[i] = {used[i]->name, time / to_seconds(what_ifs.base().end) - 1};
  });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step_change < b.step_change; });
  return out;
}

}  // namespace clusterwright
