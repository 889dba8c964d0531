// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/level_links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_machine.hpp"

namespace clusterwright {

LevelLinks::LevelLinks(StepGraphBuilder& builder, const Scenario& s, const RankClasses& classes, const RankPorts& ports,
                       StepLinks& links, const KindPrices& prices, PriceLog* log)
    : builder_(builder),
      classes_(classes),
      ports_(ports),
      links_(links),
      log_(log),
      prices_(prices),
      pool_(s.cluster.spec.pool) {
  const Offload& offload = s.job.offload;
  if (offload.uses(MemoryLevel::host) || offload.uses(MemoryLevel::nvme))
    memory_ = on_hosts("memory", &HostSpec::memory_bandwidth);
  if (offload.uses(MemoryLevel::nvme)) {
    drives_read_ = on_hosts("drives, read", &HostSpec::nvme_read);
    drives_write_ = on_hosts("drives, write", &HostSpec::nvme_write);
  }
  if (!offload.uses(MemoryLevel::pool) || !pool_ || !pool_->total) return;
  pool_out_ = builder.add_resource("memory pool, write", *pool_->total);
  pool_in_ = builder.add_resource("memory pool, read", *pool_->total);
}

/// One resource for each host, none where its rate is not known.
HostResources LevelLinks::on_hosts(const char* name, std::optional<BytesPerSecond> HostSpec::*rate) {
  HostResources resources;
  for (const HostKindId kind : classes_.hosts().kinds()) {
    const auto& known = host(classes_.hosts().a_class_on(kind)).*rate;
    resources.push_back(known ? builder_.add_resource(fmt::format("{} of host {}", name, kind.value), *known)
                              : ResourceId());
  }
  return resources;
}

/// @param coefficient  bytes there per byte of the transfer
void LevelLinks::cross(Path& path, const HostResources& hosts, const std::optional<BytesPerSecond>& rate,
                       double coefficient, RankClassId c) const {
  if (hosts.empty() || !hosts[classes_.hosts().kind_of(c)].exists()) return;
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
  Path path{{}, host_link(c)};
  ports_.pcie().use_for_copy(path.uses, out, c);
  cross(path, memory_, host(c).memory_bandwidth, level == MemoryLevel::nvme ? 2 : 1, c);
  if (level == MemoryLevel::nvme)
    cross(path, out ? drives_write_ : drives_read_, out ? host(c).nvme_write : host(c).nvme_read, 1, c);
  return links_.transfer(payload, path.rate, path.uses);
}

ChainId LevelLinks::host_to_drives(Bytes payload, RankClassId c) {
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.levels().host_to_drives(payload, c); });
  Path path{{}, *host(c).nvme_write};
  cross(path, memory_, host(c).memory_bandwidth, 1, c);
  cross(path, drives_write_, host(c).nvme_write, 1, c);
  return links_.transfer(payload, path.rate, path.uses);
}

LevelLinks::Path LevelLinks::update_path(MemoryLevel level, RankClassId c) const {
  Path path{{}, host_link(c)};
  if (host(c).memory_bandwidth)
    path.rate = *host(c).memory_bandwidth;
  else
    path.uses.push_back(ports_.pcie().slot(true, c));
  // Each state passes memory once more on its way from the drives, and on its way back.
  cross(path, memory_, host(c).memory_bandwidth, level == MemoryLevel::nvme ? 2 : 1, c);
  if (level != MemoryLevel::nvme) return path;
  cross(path, drives_read_, host(c).nvme_read, 0.5, c);
  cross(path, drives_write_, host(c).nvme_write, 0.5, c);
  return path;
}

ChainId LevelLinks::update(MemoryLevel level, Bytes traffic, RankClassId c) {
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.levels().update(level, traffic, c); });
  const Path path = update_path(level, c);
  return links_.transfer(traffic, path.rate, path.uses);
}

}  // namespace clusterwright
