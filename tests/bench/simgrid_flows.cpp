// SPDX-License-Identifier: Apache-2.0
/// The flow cases of flow_bench, played by SimGrid: simgrid_flows CASE HOSTS K LATENCY_NS. tests/bench/flow_peer.py
/// calls both with the same arguments and compares.
///
/// Max-min fair sharing without SimGrid's models of TCP. With latency, SimGrid weighs shares by 1 / latency of the
/// route, so contended cases agree at latency 0 only.
#include <simgrid/s4u.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <string>
#include <vector>

#include "support/flow_cases.hpp"

namespace {

namespace s4u = simgrid::s4u;
using namespace clusterwright::testing;

/// Hosts and directed links, with the routes that flows may take.
class Platform {
 public:
  Platform(const FatTreeShape& shape, double latency)
      : tree_(shape), zone_(s4u::create_full_zone("fabric")), has_route_(shape.hosts() * shape.hosts()) {
    for (std::uint32_t i = 0; i < shape.hosts(); ++i)
      hosts_.push_back(zone_->create_host("h" + std::to_string(i), 1e9)->seal());
    for (std::uint32_t i = 0; i < tree_.count(); ++i) {
      const double bandwidth = FatTreeLinks::bytes_per_second;
      links_.push_back(zone_->create_link("l" + std::to_string(i), bandwidth)->set_latency(latency)->seal());
    }
  }

  void add_route(std::uint32_t from, std::uint32_t to) {
    if (from == to || has_route_[from * hosts_.size() + to]) return;
    has_route_[from * hosts_.size() + to] = true;
    std::array<std::uint32_t, 6> hops;
    std::vector<s4u::LinkInRoute> route;
    for (const std::uint32_t link : tree_.route(from, to, hops)) route.emplace_back(links_[link]);
    zone_->add_route(hosts_[from]->get_netpoint(), hosts_[to]->get_netpoint(), nullptr, nullptr, route, false);
  }
  void add_all_routes() {
    for (std::uint32_t from = 0; from < hosts_.size(); ++from)
      for (std::uint32_t to = 0; to < hosts_.size(); ++to) add_route(from, to);
  }
  void seal() { zone_->seal(); }
  s4u::Host* host(std::uint32_t index) const { return hosts_[index]; }

 private:
  FatTreeLinks tree_;
  s4u::NetZone* zone_;
  std::vector<bool> has_route_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::Link*> links_;
};

/// One actor starts whole rounds, and waits for all flows of one.
class RoundPlayer : public FlowSink {
 public:
  RoundPlayer(const Platform& platform, FlowCase& flows) : platform_(platform), flows_(flows) {}

  void start(const CaseFlow& flow) override {
    running_.push_back(s4u::Comm::sendto_async(platform_.host(flow.from), platform_.host(flow.to), flow.bytes));
  }
  void play() {
    flows_.begin(*this);
    while (!running_.empty()) {
      const auto round = std::move(running_);
      running_.clear();
      for (const s4u::CommPtr& flow : round) flow->wait();
      for (std::size_t i = 0; i < round.size(); ++i) flows_.on_end(i, *this);
    }
  }

 private:
  const Platform& platform_;
  FlowCase& flows_;
  std::vector<s4u::CommPtr> running_;
};

/// An actor for each flow under way; it goes on with a flow that starts when its own has ended.
class ActorPlayer : public FlowSink {
 public:
  ActorPlayer(const Platform& platform, FlowCase& flows) : platform_(platform), flows_(flows) {}

  void start(const CaseFlow& flow) override { ready_.push_back(flow); }
  void play() {
    flows_.begin(*this);
    launch();
  }

 private:
  CaseFlow take() {
    const CaseFlow flow = ready_.front();
    ready_.pop_front();
    return flow;
  }
  /// Creating an actor lets others run, which may take flows.
  void launch() {
    while (!ready_.empty()) {
      const CaseFlow flow = take();
      s4u::Actor::create("flow", platform_.host(flow.from), [this, flow] { follow(flow); });
    }
  }
  void follow(CaseFlow flow) {
    while (true) {
      s4u::Comm::sendto(platform_.host(flow.from), platform_.host(flow.to), flow.bytes);
      flows_.on_end(flow.number, *this);
      if (ready_.empty()) return;
      flow = take();
      launch();
    }
  }

  const Platform& platform_;
  FlowCase& flows_;
  std::deque<CaseFlow> ready_;
};

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                              "network/latency-factor:1", "network/bandwidth-factor:1", "network/weight-S:0"})
    s4u::Engine::set_config(setting);
  const auto shape = argc == 5 ? fat_tree_shape(std::strtoul(argv[2], nullptr, 10)) : std::nullopt;
  const auto flows = shape ? flow_case(argv[1], shape->hosts(), std::strtoul(argv[3], nullptr, 10)) : nullptr;
  if (!flows) {
    std::fprintf(stderr, "usage: simgrid_flows CASE HOSTS K LATENCY_NS\n");
    return 2;
  }
  Platform platform(*shape, std::strtod(argv[4], nullptr) * 1e-9);
  const auto* at_once = dynamic_cast<FlowsAtOnce*>(flows.get());
  if (at_once)
    for (const CaseFlow& flow : at_once->flows()) platform.add_route(flow.from, flow.to);
  else
    platform.add_all_routes();
  platform.seal();
  RoundPlayer rounds(platform, *flows);
  ActorPlayer actors(platform, *flows);
  const bool in_rounds = at_once || dynamic_cast<FlowRounds*>(flows.get());
  s4u::Actor::create("start", platform.host(0), [&] { in_rounds ? rounds.play() : actors.play(); });
  const std::clock_t begin = std::clock();
  engine.run();
  std::printf("{\"case\":\"%s\",\"hosts\":%u,\"finish_s\":%.15f,\"cpu_s\":%.6f}\n", argv[1], shape->hosts(),
              s4u::Engine::get_clock(), static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  return 0;
}
