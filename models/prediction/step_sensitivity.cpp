// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_sensitivity.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "models/job/idle_power.hpp"
#include "models/kernels/kernel_power.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/parallel_points.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

bool always(const Scenario&, double) {
  return true;
}

struct Resource {
  std::string_view name;
  std::function<void(Scenario&, double more)> scale;
  std::function<bool(const Scenario&, double more)> used = always;
  bool of_part = false;  ///< as in StepSensitivity
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

const AcceleratorPart& part_of_kind(const Scenario& s, int kind) {
  return kind == 0 ? s.cluster.accelerator : s.cluster.groups[s.cluster.group_of_kind(kind)].accelerator;
}

/// Whether a limit can change: upwards only where one is set, as no driver takes more than the rating; downwards while
/// it stays above what the driver takes and what an idle accelerator draws.
bool can_change_limit(const Scenario& s, double more) {
  for (int kind = 0; kind < s.cluster.kinds(); ++kind) {
    const AcceleratorPart& part = part_of_kind(s, kind);
    const ParameterSet& parameters =
        kind == 0 ? s.parameters : s.by_kind[static_cast<std::size_t>(kind - 1)].parameters;
    if (!part.has_known_clock()) return false;
    if (more > 1 && part.power_limit) return true;
    const Watts limit = more * part.limit_or_rating();
    if (limit < least_power_limit(part) || limit <= idle_power(part, parameters.power)) return false;
  }
  return more < 1;
}

/// Whether a limit that is set is so near the rating that a tenth more of it would be above.
bool ends_at_rating(const Scenario& s) {
  for (int kind = 0; kind < s.cluster.kinds(); ++kind) {
    const AcceleratorPart& part = part_of_kind(s, kind);
    if (part.power_limit && 1.1 * *part.power_limit > part.power.value) return true;
  }
  return false;
}

/// Limit after a change, at most the rating.
void scale_limit(AcceleratorPart& part, double more) {
  const Watts limit = more * part.limit_or_rating();
  part.power_limit = limit < part.power.value ? std::optional(limit) : std::nullopt;
}

void scale_limits(Scenario& s, double more) {
  on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet&) { scale_limit(part, more); });
}

/// Peaks, with the watts of every kernel as before: the power of a die grows with its peak.
void scale_peaks(AcceleratorPart& part, ParameterSet& parameters, double more) {
  DevicePowerParameters& power = parameters.power;
  const auto gemm = parameters.gemm.find("bf16");
  const double density = gemm == parameters.gemm.end() ? 0 : gemm->second.density_reference.value;
  const auto die = [&] { return power_range(part, power, density).die; };
  const Watts before = die();
  for (auto& [format, rate] : part.peak_dense_tflops) rate.value *= more;
  const double grown = die() / before;
  for (Sourced<double>* share : {&power.tensor_weight, &power.active_weight, &power.waiting_share})
    share->value /= grown;
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
         on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet& parameters) { scale_peaks(part, parameters, more); });
       },
       always, true},
      {power_limit_resource, scale_limits,
       [](const Scenario& s, double more) { return can_change_limit(s, more) && !ends_at_rating(s); }},
      {limit_up_to_rating, scale_limits,
       [](const Scenario& s, double more) { return can_change_limit(s, more) && ends_at_rating(s); }},
      {"device memory bandwidth",
       [](Scenario& s, double more) {
         on_all_kinds(s, [&](AcceleratorPart& part, ParameterSet&) { part.memory_bandwidth.value *= more; });
       },
       always, true},
      {"scale-up bandwidth",
       [](Scenario& s, double more) {
         scale_rate(s, more, &Cluster::scale_up_bandwidth, &NodeGroup::scale_up_bandwidth);
       },
       always, true},
      {"network bandwidth",
       [](Scenario& s, double more) { scale_rate(s, more, &Cluster::nic_bandwidth, &NodeGroup::nic_bandwidth); }},
      {"speed of the host", [](Scenario& s, double more) { s.stack.kernel_launch.value *= 1 / more; }},
      {"storage and preparation of data", scale_input,
       [](const Scenario& s, double) { return s.job.input.has_value(); }},
      {"host memory, drives and pool", scale_tiers, [](const Scenario& s, double) { return s.job.offload.any(); }},
  };
  return list;
}

}  // namespace

std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step, double more) {
  std::vector<StepSensitivity> out;
  std::vector<const Resource*> used;
  for (const Resource& resource : resources())
    if (resource.used(scenario, more)) used.push_back(&resource);
  const StepWhatIfs what_ifs(scenario, step.plan);
  tbb::enumerable_thread_specific<StepWhatIfs> of_thread(what_ifs);
  out.resize(used.size());
  for_each_point(last_first(used.size()), [&](std::size_t i) {
    Scenario changed = scenario;
    used[i]->scale(changed, more);
    const Seconds time = to_seconds(of_thread.local().time_under(changed).end);
    out[i] = {std::string(used[i]->name), time / to_seconds(what_ifs.base().end) - 1, used[i]->of_part};
  });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step_change < b.step_change; });
  return out;
}

}  // namespace clusterwright
