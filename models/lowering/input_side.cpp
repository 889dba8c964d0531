// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/input_side.hpp"
#include "models/job/uniform_scenario.hpp"
#include "models/kernels/collectives/file_traffic.hpp"
#include "models/lowering/step_machine.hpp"
#include "models/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

double bytes_per_token(const Job& job) {
  const InputSpec& input = *job.input;
  if (input.bytes_per_token) return *input.bytes_per_token;
  return input.bytes_per_sample.value_or(0) / (job.sample_tokens > 0 ? job.sample_tokens : job.sequence);
}

/// Tokens per second of one reader, which has the cores of the accelerators that it feeds on its host.
double prepared_per_second(const Scenario& s, const Plan& plan) {
  const InputSpec& input = *s.job.input;
  const auto& host_cores = s.cluster.spec.node.host.cores;
  std::optional<double> cores = input.cores_per_accelerator;
  if (!cores && host_cores) cores = static_cast<double>(*host_cores) / s.cluster.node_ranks();
  if (cores) *cores *= std::min(plan.tensor, s.cluster.node_ranks());
  double busy = cores.value_or(0);
  if (input.workers) busy = cores ? std::min<double>(*input.workers, busy) : *input.workers;
  return busy * *input.tokens_per_core;
}

std::vector<int> reading_stages(const Plan& plan) {
  if (plan.pipeline == 1) return {0};
  return {0, plan.pipeline - 1};
}

double transport_share_of(const Scenario& s) {
  return transport_share(group_links(s.cluster, {}, {}), s.parameters.network);
}

Seconds alone(const ReaderWork& work) {
  Seconds time = work.preparing;
  for (const auto& rate : {work.host, work.total, work.nics})
    if (rate) time = std::max(time, work.bytes / *rate);
  return time;
}

}  // namespace

ReaderWork reader_work(const Scenario& s, const Plan& plan) {
  const InputSpec& input = *s.job.input;
  const double tokens = static_cast<double>(s.job.sequence) * plan.micro_batch / plan.context;
  ReaderWork work;
  work.bytes = tokens * bytes_per_token(s.job) * byte;
  if (input.tokens_per_core) work.preparing = tokens / prepared_per_second(s, plan) * second;
  if (input.from == Store::local) {
    work.host = s.cluster.spec.node.host.nvme_read;
    return work;
  }
  const StorageSpec storage = filled_in(input.storage, s.cluster.spec.storage);
  work.host = storage.host_read;
  work.total = storage.read;
  if (s.cluster.has_files_on_network()) work.nics = s.cluster.network_per_accelerator() * transport_share_of(s);
  return work;
}

std::vector<RankCoordinates> reading_ranks(const Placement& placement) {
  std::vector<RankCoordinates> out;
  for (const int stage : reading_stages(placement.plan()))
    for (int d = 0; d < placement.plan().gradient_ranks(); ++d) out.push_back({0, d, stage});
  return out;
}

ReaderCounts count_readers(const Placement& placement, int host_accelerators) {
  std::map<int, int> on_host;
  ReaderCounts counts;
  for (const RankCoordinates& reader : reading_ranks(placement)) {
    ++counts.all;
    const int readers = ++on_host[placement.node(reader, host_accelerators)];
    counts.on_fullest_host = std::max(counts.on_fullest_host, readers);
  }
  return counts;
}

namespace {

/// Seconds for a byte of every reader at once, on the busiest link.
double network_seconds_per_byte(const Scenario& s, const Placement& placement) {
  const FileTraffic files(s.cluster, transport_share_of(s));
  std::vector<Demand> reads;
  int file = 0;
  for (const RankCoordinates& reader : reading_ranks(placement))
    files.add_read(reads, placement.accelerator(reader), file++, 1);
  return files.time(reads).in(second);
}

}  // namespace

InputSupply input_supply(const Scenario& s, const Plan& plan) {
  const Placement placement(plan, s.cluster.blocks);
  const ReaderCounts readers = count_readers(placement, s.cluster.node_accelerators);
  InputSupply supply;
  const auto limit = [&](Seconds time, const char* what) {
    if (time > supply.micro_batch) supply = {time, what};
  };
  for (int kind = 0; kind < s.cluster.kinds(); ++kind) {
    const ReaderWork work = reader_work(uniform_scenario(s, kind), plan);
    limit(work.preparing, "preparation");
    if (work.host) limit(readers.on_fullest_host * work.bytes / *work.host, "host storage");
    if (work.total) limit(readers.all * work.bytes / *work.total, "file system");
    if (work.nics) limit(work.bytes.in(byte)*network_seconds_per_byte(s, placement) * second, "network");
  }
  return supply;
}

int ready_micro_batches(const Job& job, const Plan& plan) {
  const int most = std::min(job.input->prefetch, plan.micro_batches);
  return std::min(most, plan.ready_micro_batches.value_or(most));
}

InputSide::InputSide(StepGraphBuilder& builder, const KindPrices& prices, const Placement& placement,
                     const RankClasses& classes, const RankPorts& ports, PriceLog* log)
    : builder_(builder),
      placement_(placement),
      classes_(classes),
      ports_(ports),
      log_(log),
      nothing_(builder.add_work("read and prepare", {})) {
  for (int kind = 0; kind < prices.kinds(); ++kind)
    works_.push_back(reader_work(prices.scenario(kind), placement.plan()));
  if (works_.front().total) file_system_ = builder.add_resource("file system, read", *works_.front().total);
  for (const HostKindId host : classes.hosts().kinds()) {
    const auto& rate = work_of(classes.hosts().a_class_on(host)).host;
    hosts_.push_back(rate ? builder.add_resource(fmt::format("storage of host {}, read", host.value), *rate)
                          : ResourceId());
  }
}

RankClassId InputSide::fed_together(RankClassId c) const {
  return classes_.slice_of({0, classes_.representative(c).data, 0});
}

std::vector<RankClassId> InputSide::readers_of(RankClassId fed) const {
  std::vector<RankClassId> out;
  for (const int stage : reading_stages(placement_.plan()))
    out.push_back(classes_.slice_of({0, classes_.representative(fed).data, stage}));
  return out;
}

/// First and last stage may share a host: their transfers then cross it side by side.
/// @param reader  slice of the reading rank
void InputSide::use_storage(Uses& uses, RankClassId reader) const {
  const int together = classes_.tensor_ranks_together();
  const auto add = [&](ResourceId resource, int count) {
    const auto same = std::find_if(uses.begin(), uses.end(), [&](const auto& u) { return u.resource == resource; });
    if (same != uses.end())
      same->count += static_cast<std::uint32_t>(count);
    else
      uses.push_back({resource, static_cast<std::uint32_t>(count), 1.0});
  };
  int beside = 0, all = 0;
  for (const RankClassId c : classes_.classes_of_slice(reader)) {
    if (!hosts_.empty()) beside += classes_.hosts().ranks_of(c);
    all += classes_.multiplicity(c);
  }
  const ResourceId host = hosts_.empty() ? ResourceId() : hosts_[classes_.hosts().kind_of(reader)];
  if (host.exists()) add(host, beside / together);
  if (file_system_.exists()) add(file_system_, all / together);
}

/// Servers stripe files, so what they send to one class crosses links in proportion to its bytes.
void InputSide::use_network(Uses& uses, RankClassId reader) const {
  if (!work_of(reader).nics) return;
  CollectiveTiming transfer;
  transfer.crosses_domains = true;
  ports_.use_receiver(uses, reader, false);
  ports_.use_uplinks(uses, Stream::files, reader, transfer);
}

ChainId InputSide::read(RankClassId c) {
  const RankClassId fed = fed_together(c);
  if (const auto found = chains_.find(fed); found != chains_.end()) return found->second;
  if (log_) log_->add([=](PriceSheet& sheet) { sheet.machine.input()->read(c); });
  Uses uses;
  Seconds time;
  for (const RankClassId reader : readers_of(fed)) {
    use_storage(uses, reader);
    use_network(uses, reader);
    time = std::max(time, alone(work_of(reader)));
  }
  StepGraphBuilder::Leg leg;
  const Bytes bytes = work_of(fed).bytes;
  if (uses.empty() || bytes <= Bytes{}) {
    leg.timing.delay = to_picoseconds(time);
  } else {
    leg.timing.bytes = static_cast<std::uint64_t>(std::llround(bytes.in(byte)));
    leg.timing.rate_bound = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes.in(byte) / time.in(second)));
    leg.uses = std::move(uses);
  }
  const ChainId chain = chains_[fed] = builder_.add_chain({leg});
  if (log_ && work_of(fed).nics) log_->add({chain, Stream::files, readers_of(fed), 1});
  return chain;
}

}  // namespace clusterwright
