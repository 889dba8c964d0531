// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/storage_sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/memory/checkpoint_use.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Largest number of appliances; each of them is placed and cabled.
constexpr long long most_appliances = 100'000;

/// Whole appliances, with a tolerance for rounding.
long long whole(double appliances) {
  constexpr double rounding = 1e-9;
  return static_cast<long long>(std::ceil(std::min(appliances, 2.0 * most_appliances) * (1 - rounding)));
}

void check_count(const StorageSizing& sizing) {
  if (sizing.appliances <= most_appliances) return;
  throw ConfigError({"E0501",
                     fmt::format("storage needs more than {} of {} to {}", most_appliances, sizing.part,
                                 sizing.bound == StorageBound::capacity ? "keep everything" : sizing.bound_name()),
                     {},
                     "",
                     "reduce the needs in facility.services.storage, or choose a larger part there"});
}

std::optional<CheckpointSource> checkpoint_of(const StorageRequest& request) {
  const bool wanted = request.need.checkpoints > 0 || request.need.checkpoint_time > Seconds{};
  if (!wanted || !request.scenario || !request.step) return std::nullopt;
  return checkpoint_source(*request.scenario, request.step->plan);
}

void set_needs(StorageSizing& sizing, const StorageRequest& request) {
  const StorageNeedSpec& need = request.need;
  sizing.read_needed = need.read.value_or(need.read_per_node * request.nodes);
  sizing.write_needed = need.write.value_or(need.write_per_node * request.nodes);
  sizing.capacity_needed = need.capacity.value_or(Bytes{});
  if (!sizing.checkpoint) return;
  if (need.checkpoint_time > Seconds{})
    sizing.write_needed = std::max(sizing.write_needed, *sizing.checkpoint / need.checkpoint_time);
  sizing.capacity_needed = std::max(sizing.capacity_needed, *sizing.checkpoint * need.checkpoints);
}

/// Sets the number of appliances and its bound; of equal needs the first one is the bound.
void set_appliances(StorageSizing& sizing, const StoragePart& part) {
  const auto limit = [&](StorageBound need, double appliances) {
    if (whole(appliances) <= sizing.appliances) return;
    sizing.appliances = whole(appliances);
    sizing.bound = need;
  };
  limit(StorageBound::read, sizing.read_needed / part.read.value);
  limit(StorageBound::write, sizing.write_needed / part.write.value);
  limit(StorageBound::capacity, sizing.capacity_needed / part.capacity.value);
  check_count(sizing);
  const auto count = static_cast<double>(sizing.appliances);
  sizing.read_given = part.read.value * count;
  sizing.write_given = part.write.value * count;
  sizing.capacity_given = part.capacity.value * count;
}

std::optional<Bytes> held_by_a_host(const StepPrediction& step) {
  for (const LevelUse& use : step.tiers)
    if (use.level == MemoryLevel::host) return use.bytes.total();
  return std::nullopt;
}

}  // namespace

StorageSizing size_storage(const StorageRequest& request) {
  StorageSizing sizing;
  sizing.part = request.part.id;
  sizing.host_memory = request.host_memory;
  if (request.step) sizing.host_memory_needed = held_by_a_host(*request.step);
  const std::optional<CheckpointSource> source = checkpoint_of(request);
  if (source) sizing.checkpoint = source->bytes;
  set_needs(sizing, request);
  set_appliances(sizing, request.part);
  if (source && sizing.appliances > 0)
    sizing.checkpoint_time = std::max(source->bytes / sizing.write_given, source->hand_over);
  return sizing;
}

}  // namespace clusterwright
