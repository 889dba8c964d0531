// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/level_links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_machine.hpp"

namespace clusterwright {

LevelLinks::LevelLinks(StepGraphBuilder& builder, const Scenario& s, const RankClasses& classes, const RankPorts& ports,
                       StepLinks& links, BytesPerSecond host_link, PriceLog* log)
    : builder_(builder),
      classes_(classes),
      ports_(ports),
      links_(links),
      log_(log),
      host_(s.cluster.spec.node.host),
      pool_(s.cluster.spec.pool),
      host_link_(host_link) {
  const Offload& offload = s.job.offload;
  if (offload.uses(MemoryLevel::host) || offload.uses(MemoryLevel::nvme))
    memory_ = on_hosts("memory", host_.memory_bandwidth);
  if (offload.uses(MemoryLevel::nvme)) {
    drives_read_ = on_hosts("drives, read", host_.nvme_read);
    drives_write_ = on_hosts("drives, write", host_.nvme_write);
  }
  if (!offload.uses(MemoryLevel::pool) || !pool_ || !pool_->total) return;
  pool_out_ = builder.add_resource("memory pool, write", *pool_->total);
  pool_in_ = builder.add_resource("memory pool, read", *pool_->total);
}

HostResources LevelLinks::on_hosts(const char* name, const std::optional<BytesPerSecond>& rate) {
  HostResources resources;
  if (!rate) return resources;
  for (const HostKindId host : classes_.hosts().kinds())
    resources.push_back(builder_.add_resource(fmt::format("{} of host {}", name, host.value), *rate));
  return resources;
}

/// @param coefficient  bytes there per byte of the transfer
void LevelLinks::cross(Path& path, const HostResources& hosts, const std::optional<BytesPerSecond>& rate,
                       double coefficient, RankClassId c) const {
  if (hosts.empty()) return;
  path.rate = std::min(path.rate, *rate / coefficient);
  path.uses.push_back(
      {hosts[classes_.hosts().kind_of(c)], static_cast<std::uint32_t>(classes_.hosts().ranks_of(c)), coefficient});
}

LevelLinks::Path LevelLinks::pool_path(bool out, RankClassId c) const {
  auto [uses, rate] = ports_.pool_path(pool_->over, out, c);
  for (const auto& limit : {pool_->accelerator, pool_->total})
    if (limit && (rate <= BytesPerSecond{} || *limit < rate)) rate = *limit;
  uses.push_back({out ? pool_out_ : pool_in_, static_cast<std::uint32_t>(classes_.multiplicity(c)), 1.0});
  return {std::move(uses), rate};
}

ChainId LevelLinks::copy(MemoryLevel level, bool out, Bytes payload, RankClassId c) {
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.levels().copy(level, out, payload, c); });
  if (level == MemoryLevel::pool) {
    const Path path = pool_path(out, c);
    return links_.transfer(payload, path.rate, path.uses);
  }
  Path path{{}, host_link_};
  ports_.pcie().use_for_copy(path.uses, out, c);
  cross(path, memory_, host_.memory_bandwidth, level == MemoryLevel::nvme ? 2 : 1, c);
  if (level == MemoryLevel::nvme)
    cross(path, out ? drives_write_ : drives_read_, out ? host_.nvme_write : host_.nvme_read, 1, c);
  return links_.transfer(payload, path.rate, path.uses);
}

ChainId LevelLinks::host_to_drives(Bytes payload, RankClassId c) {
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.levels().host_to_drives(payload, c); });
  Path path{{}, *host_.nvme_write};
  cross(path, memory_, host_.memory_bandwidth, 1, c);
  cross(path, drives_write_, host_.nvme_write, 1, c);
  return links_.transfer(payload, path.rate, path.uses);
}

LevelLinks::Path LevelLinks::update_path(MemoryLevel level, RankClassId c) const {
  Path path{{}, host_link_};
  if (memory_.empty())
    path.uses.push_back(ports_.pcie().slot(true, c));
  else
    path.rate = *host_.memory_bandwidth;
  // Each state passes memory once more on its way from the drives, and on its way back.
  cross(path, memory_, host_.memory_bandwidth, level == MemoryLevel::nvme ? 2 : 1, c);
  if (level != MemoryLevel::nvme) return path;
  cross(path, drives_read_, host_.nvme_read, 0.5, c);
  cross(path, drives_write_, host_.nvme_write, 0.5, c);
  return path;
}

ChainId LevelLinks::update(MemoryLevel level, double parameters, RankClassId c) {
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.levels().update(level, parameters, c); });
  const Path path = update_path(level, c);
  return links_.transfer(parameters * host_update_traffic * byte, path.rate, path.uses);
}

}  // namespace clusterwright
