// SPDX-License-Identifier: Apache-2.0
/// Flows on full-bisection fat trees of three levels, whose finish times an independent simulator has published.
///
/// n = m1 m2 m3 hosts; m1 hosts on a leaf, m2 leaves in a group, m3 groups; w2 links up from a leaf, w3 from a switch
/// of the second level. All links have 50 GB/s per direction. The destination alone decides the way up (D-mod-K).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/split_mix.hpp"

namespace clusterwright::testing {

struct FatTreeShape {
  std::uint32_t m1, m2, m3, w2, w3;

  std::uint32_t hosts() const { return m1 * m2 * m3; }
};

/// Shape for a number of hosts: powers of two from 8 to 4,096.
inline std::optional<FatTreeShape> fat_tree_shape(std::uint64_t hosts) {
  static constexpr FatTreeShape shapes[] = {
      {2, 2, 2, 2, 2}, {4, 2, 2, 4, 2}, {4, 4, 2, 4, 4},   {4, 4, 4, 4, 4},     {8, 4, 4, 8, 4},
      {8, 8, 4, 8, 8}, {8, 8, 8, 8, 8}, {16, 8, 8, 16, 8}, {16, 16, 8, 16, 16}, {16, 16, 16, 16, 16}};
  for (const FatTreeShape& shape : shapes)
    if (shape.hosts() == hosts) return shape;
  return std::nullopt;
}

/// Directed links of a fat tree: all links of one kind and direction stand together.
class FatTreeLinks {
 public:
  static constexpr std::uint64_t bytes_per_second = 50'000'000'000;

  explicit FatTreeLinks(const FatTreeShape& shape)
      : shape_(shape), leaf_links_(shape.m2 * shape.m3 * shape.w2), switch_links_(shape.m3 * shape.w2 * shape.w3) {}

  std::uint32_t count() const { return 2 * (shape_.hosts() + leaf_links_ + switch_links_); }

  /// Links from one host to another, two, four or six of them, in `route`.
  std::span<const std::uint32_t> route(std::uint32_t from, std::uint32_t to,
                                       std::array<std::uint32_t, 6>& route) const {
    std::size_t hops = 0;
    const std::uint32_t up_switch = to % shape_.w2;
    const std::uint32_t core = to / shape_.w2 % shape_.w3;
    const std::uint32_t from_leaf = from / shape_.m1, to_leaf = to / shape_.m1;
    const std::uint32_t from_group = from_leaf / shape_.m2, to_group = to_leaf / shape_.m2;
    const std::uint32_t leaf_up = 2 * shape_.hosts(), leaf_down = leaf_up + leaf_links_;
    const std::uint32_t switch_up = leaf_down + leaf_links_, switch_down = switch_up + switch_links_;
    route[hops++] = from;
    if (from_leaf != to_leaf) route[hops++] = leaf_up + from_leaf * shape_.w2 + up_switch;
    if (from_group != to_group) {
      route[hops++] = switch_up + (from_group * shape_.w2 + up_switch) * shape_.w3 + core;
      route[hops++] = switch_down + (to_group * shape_.w2 + up_switch) * shape_.w3 + core;
    }
    if (from_leaf != to_leaf) route[hops++] = leaf_down + to_leaf * shape_.w2 + up_switch;
    route[hops++] = shape_.hosts() + to;
    return {route.data(), hops};
  }

 private:
  FatTreeShape shape_;
  std::uint32_t leaf_links_;
  std::uint32_t switch_links_;
};

/// One flow of a case.
struct CaseFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
  std::uint32_t path = 0;    ///< leads from one host to one other at a time; below FlowCase::paths()
  std::uint64_t number = 0;  ///< by which the case recognises its end
};

/// Whoever plays a case.
class FlowSink {
 public:
  virtual ~FlowSink() = default;
  virtual void start(const CaseFlow& flow) = 0;  ///< now
};

/// Flows that start at time 0 or when others have ended.
class FlowCase {
 public:
  explicit FlowCase(std::uint32_t hosts) : hosts_(hosts) {}
  virtual ~FlowCase() = default;
  virtual std::uint32_t paths() const { return hosts_; }
  virtual void begin(FlowSink& sink) = 0;
  virtual void on_end(std::uint64_t number, FlowSink& sink) = 0;

 protected:
  std::uint32_t after(std::uint32_t host, std::uint32_t further = 1) const { return (host + further) % hosts_; }
  std::uint32_t hosts_;
};

/// All flows at time 0. Flows between the same hosts share a path.
class FlowsAtOnce : public FlowCase {
 public:
  using FlowCase::FlowCase;

  void add(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    const auto path = static_cast<std::uint32_t>(paths_.size());
    const auto known = paths_.emplace(std::uint64_t{from} * hosts_ + to, path).first;
    flows_.push_back({from, to, bytes, known->second, flows_.size()});
  }
  const std::vector<CaseFlow>& flows() const { return flows_; }

  std::uint32_t paths() const override { return static_cast<std::uint32_t>(paths_.size()); }
  void begin(FlowSink& sink) override {
    for (const CaseFlow& flow : flows_) sink.start(flow);
  }
  void on_end(std::uint64_t, FlowSink&) override {}

 private:
  std::vector<CaseFlow> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> paths_;
};

/// `rounds` permutations without fixed point (Sattolo), of 1 GB, or of random sizes from 0.5 to 1.5 GB.
inline std::unique_ptr<FlowsAtOnce> permutation_case(std::uint32_t hosts, std::uint32_t rounds, bool equal_sizes) {
  auto flows = std::make_unique<FlowsAtOnce>(hosts);
  SplitMix draws(42);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<std::uint32_t> to(hosts);
    std::iota(to.begin(), to.end(), 0);
    for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[draws.below(i)]);
    for (std::uint32_t i = 0; i < hosts; ++i)
      flows->add(i, to[i], equal_sizes ? 1'000'000'000 : 500'000'000 + draws.below(1'000'000'000));
  }
  return flows;
}

/// To the next host, 1 GB.
inline std::unique_ptr<FlowsAtOnce> ring_case(std::uint32_t hosts) {
  auto flows = std::make_unique<FlowsAtOnce>(hosts);
  for (std::uint32_t i = 0; i < hosts; ++i) flows->add(i, (i + 1) % hosts, 1'000'000'000);
  return flows;
}

/// From each host to each other, 1 MB.
inline std::unique_ptr<FlowsAtOnce> all_to_all_case(std::uint32_t hosts) {
  auto flows = std::make_unique<FlowsAtOnce>(hosts);
  for (std::uint32_t further = 1; further < hosts; ++further)
    for (std::uint32_t i = 0; i < hosts; ++i) flows->add(i, (i + further) % hosts, 1'000'000);
  return flows;
}

/// Rounds of one flow from each host, with a barrier between them.
class FlowRounds : public FlowCase {
 public:
  /// @param rotate  round s goes s hosts further instead of one
  FlowRounds(std::uint32_t hosts, std::uint32_t rounds, std::uint64_t bytes, bool rotate)
      : FlowCase(hosts), rounds_(rounds), bytes_(bytes), rotate_(rotate) {}

  void begin(FlowSink& sink) override {
    ++round_;
    running_ = hosts_;
    for (std::uint32_t i = 0; i < hosts_; ++i) sink.start({i, after(i, rotate_ ? round_ : 1), bytes_, i, 0});
  }
  void on_end(std::uint64_t, FlowSink& sink) override {
    if (--running_ == 0 && round_ < rounds_) begin(sink);
  }

 private:
  std::uint32_t rounds_;
  std::uint64_t bytes_;
  bool rotate_;
  std::uint32_t round_ = 0;
  std::uint32_t running_ = 0;
};

/// Ring all-reduce of 1 GB without a barrier: the transfer of a step from i to i + 1 starts when both hosts have
/// reached the step; a host reaches the next one when its own send and its receive have ended.
class FreeRing : public FlowCase {
 public:
  explicit FreeRing(std::uint32_t hosts)
      : FlowCase(hosts), sent_(hosts), received_(hosts), started_(hosts), steps_(2 * (hosts - 1)) {}

  void begin(FlowSink& sink) override {
    for (std::uint32_t i = 0; i < hosts_; ++i) start_where_ready(i, sink);
  }
  void on_end(std::uint64_t from, FlowSink& sink) override {
    const auto host = static_cast<std::uint32_t>(from);
    ++sent_[host];
    ++received_[after(host)];
    for (const std::uint32_t sender : {after(host, hosts_ - 1), host, after(host)}) start_where_ready(sender, sink);
  }

 private:
  std::uint32_t reached(std::uint32_t host) const { return std::min(sent_[host], received_[host]); }
  void start_where_ready(std::uint32_t host, FlowSink& sink) {
    const std::uint32_t step = std::min(reached(host), reached(after(host)));
    if (started_[host] > step || step == steps_) return;
    ++started_[host];
    sink.start({host, after(host), 1'000'000'000 / hosts_, host, host});
  }

  std::vector<std::uint32_t> sent_, received_, started_;  // by host: numbers of steps
  std::uint32_t steps_;
};

/// k senders on each host send 20 flows back to back to random hosts, of 1 to 64 MB.
class ClosedLoops : public FlowCase {
 public:
  ClosedLoops(std::uint32_t hosts, std::uint32_t per_host) : FlowCase(hosts), per_host_(per_host) {
    for (std::uint64_t sender = 0; sender < std::uint64_t{hosts} * per_host; ++sender)
      senders_.push_back({SplitMix(42 + 1000003 * sender), 20});
  }

  std::uint32_t paths() const override { return static_cast<std::uint32_t>(senders_.size()); }
  void begin(FlowSink& sink) override {
    for (std::uint64_t sender = 0; sender < senders_.size(); ++sender) on_end(sender, sink);
  }
  void on_end(std::uint64_t number, FlowSink& sink) override {
    Sender& sender = senders_[number];
    if (sender.left == 0) return;
    --sender.left;
    const auto from = static_cast<std::uint32_t>(number / per_host_);
    auto to = static_cast<std::uint32_t>(sender.draws.below(hosts_ - 1));
    if (to >= from) ++to;
    sink.start({from, to, 1'000'000 + sender.draws.below(63'000'000), static_cast<std::uint32_t>(number), number});
  }

 private:
  struct Sender {
    SplitMix draws;
    int left;
  };
  std::uint32_t per_host_;
  std::vector<Sender> senders_;
};

/// Whether flows of a case come k times for each host.
inline bool takes_rounds(std::string_view name) {
  return name == "perm" || name == "permeq" || name == "churn";
}

/// The case of a name, or nullptr.
inline std::unique_ptr<FlowCase> flow_case(std::string_view name, std::uint32_t hosts, std::uint32_t k) {
  if (name == "ring") return ring_case(hosts);
  if (name == "perm" || name == "permeq") return permutation_case(hosts, k, name == "permeq");
  if (name == "a2a") return all_to_all_case(hosts);
  if (name == "a2as") return std::make_unique<FlowRounds>(hosts, hosts - 1, 1'000'000, true);
  if (name == "arb") return std::make_unique<FlowRounds>(hosts, 2 * (hosts - 1), 1'000'000'000 / hosts, false);
  if (name == "ara") return std::make_unique<FreeRing>(hosts);
  if (name == "churn") return std::make_unique<ClosedLoops>(hosts, k);
  return nullptr;
}

/// Latency per link in the published tables, in ns; all-to-all in rounds on 64 hosts has 500 there.
inline std::uint32_t usual_latency(std::string_view name) {
  return name == "ring" || name == "permeq" || name == "arb" || name == "ara" ? 500 : 0;
}

}  // namespace clusterwright::testing
