#include "models/site/sizing/storage_sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/prediction/checkpoint_stall.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Every one of them is placed and cabled.
constexpr long long most_appliances = 100'000;

/// Whole ones; a need that is met but for rounding asks for no further one.
long long whole(double appliances) {
  constexpr double rounding = 1e-9;
  return static_cast<long long>(std::ceil(std::min(appliances, 2.0 * most_appliances) * (1 - rounding)));
}

void check_count(const StorageSizing& sizing) {
  if (sizing.appliances <= most_appliances) return;
  throw ConfigError({"E0501",
                     fmt::format("storage needs more than {} of {} to {}", most_appliances, sizing.part,
                                 sizing.bound == "capacity" ? "keep everything" : sizing.bound),
                     {},
                     "",
                     "ask less of facility.services.storage, or name a larger part there"});
}

std::optional<CheckpointSource> checkpoint_of(const StorageRequest& r) {
  const bool wanted = r.need.checkpoints > 0 || r.need.checkpoint_time > Seconds{};
  if (!wanted || !r.scenario || !r.step) return std::nullopt;
  return checkpoint_source(*r.scenario, r.step->plan);
}

void set_needs(StorageSizing& sizing, const StorageRequest& r) {
  const StorageNeedSpec& need = r.need;
  sizing.read_needed = need.read.value_or(need.read_per_node * r.nodes);
  sizing.write_needed = need.write.value_or(need.write_per_node * r.nodes);
  sizing.capacity_needed = need.capacity.value_or(Bytes{});
  if (!sizing.checkpoint) return;
  if (need.checkpoint_time > Seconds{})
    sizing.write_needed = std::max(sizing.write_needed, *sizing.checkpoint / need.checkpoint_time);
  sizing.capacity_needed = std::max(sizing.capacity_needed, *sizing.checkpoint * need.checkpoints);
}

/// The first of equal limits names itself.
void set_appliances(StorageSizing& sizing, const StoragePart& part) {
  const auto limit = [&](const char* what, double appliances) {
    if (whole(appliances) <= sizing.appliances) return;
    sizing.appliances = whole(appliances);
    sizing.bound = what;
  };
  limit("read", sizing.read_needed / part.read.value);
  limit("write", sizing.write_needed / part.write.value);
  limit("capacity", sizing.capacity_needed / part.capacity.value);
  check_count(sizing);
  const auto count = static_cast<double>(sizing.appliances);
  sizing.read_given = part.read.value * count;
  sizing.write_given = part.write.value * count;
  sizing.capacity_given = part.capacity.value * count;
}

std::optional<Bytes> held_by_a_host(const StepPrediction& step) {
  for (const LevelUse& use : step.tiers)
    if (use.tier == MemoryLevel::host) return use.bytes.total();
  return std::nullopt;
}

}  // namespace

StorageSizing size_storage(const StorageRequest& r) {
  StorageSizing sizing;
  sizing.part = r.part.id;
  sizing.host_memory = r.host_memory;
  if (r.step) sizing.host_memory_needed = held_by_a_host(*r.step);
  const std::optional<CheckpointSource> source = checkpoint_of(r);
  if (source) sizing.checkpoint = source->bytes;
  set_needs(sizing, r);
  set_appliances(sizing, r.part);
  if (source && sizing.appliances > 0)
    sizing.checkpoint_time = std::max(source->bytes / sizing.write_given, source->hand_over);
  return sizing;
}

}  // namespace clusterwright
