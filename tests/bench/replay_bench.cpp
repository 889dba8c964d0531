// SPDX-License-Identifier: Apache-2.0
/// A pipeline step of the size of a 405B model on 16 stages, tensor and data parallelism folded.
#include <benchmark/benchmark.h>

#include <vector>

#include "sim/breakdown.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"
#include "sim/step_graph_builder.hpp"

namespace {

using namespace clusterwright;

constexpr std::size_t stages = 16;
constexpr int micro_batches = 16;
constexpr int layers = 8;
constexpr int blocks_per_layer = 11;  // of two compute ops and a collective

/// 16 stages x 16 micro-batches x 8 layers x 11 x 3 = 67,584 ops, and 2 x 15 x 16 ops of messages between stages.
class PipelineStep {
 public:
  explicit PipelineStep(bool reserves) {
    const PowerDomainId domain = builder_.add_power_domain("hall");
    WorkTiming gemm;
    gemm.duration = {200'000'000};
    gemm.clock_share = 0.7;
    gemm.power = 500 * watt;
    gemm.activity.memory = 0.3;
    gemm.sm_table = builder_.add_sm_table({{{0, 1.0}, {20, 1.2}, {40, 1.6}}});
    gemm_ = builder_.add_work("gemm", gemm);
    WorkTiming kernel;
    kernel.power = 100 * watt;
    kernel.reserved_sms = reserves ? 16 : 0;
    collective_ = builder_.add_work("collective", kernel);
    for (std::size_t stage = 0; stage < stages; ++stage) add_stage(domain);
    for (int batch = 0; batch < micro_batches; ++batch)
      for (std::size_t stage = 0; stage < stages; ++stage) add_forward(stage, batch);
  }

  StepGraph build() && { return std::move(builder_).build(); }

 private:
  struct Stage {
    LaneId compute;
    LaneId network;
    ResourceId link;
    ChainId reduce;
    OpId last;
  };

  void add_stage(PowerDomainId domain) {
    const RankClassId rank = builder_.add_rank_class("stage", 1024, domain, 100 * watt, 700 * watt);
    const ResourceId link = builder_.add_resource("link", 400 * gigabyte_per_second);
    const StepGraphBuilder::Leg all_reduce{{{5'000'000}, 16'000'000, 300'000'000'000, 1}, {{link, 1, 1.0}}};
    stages_.push_back({builder_.add_lane(rank, LaneKind::compute, "compute"),
                       builder_.add_lane(rank, LaneKind::communication, "network"), link,
                       builder_.add_chain({all_reduce}), OpId()});
  }

  OpId after(OpId before, OpId op) {
    if (before.exists()) builder_.depends(before, op);
    return op;
  }

  /// Every second compute op runs beside the collective of the one before.
  void add_forward(std::size_t index, int batch) {
    Stage& stage = stages_[index];
    if (index > 0) receive(stages_[index - 1], stage, batch);
    for (int block = 0; block < layers * blocks_per_layer; ++block) {
      const OpId first = after(stage.last, builder_.add_op(stage.compute, gemm_, ChargeId(0), batch));
      const RendezvousId rendezvous = builder_.add_rendezvous(stage.reduce, ChargeId(1));
      const OpId reduce = builder_.add_op(stage.network, collective_, ChargeId(1), rendezvous, batch);
      builder_.depends(first, reduce);
      builder_.add_op(stage.compute, gemm_, ChargeId(0), batch);
      stage.last = reduce;
    }
  }

  void receive(Stage& from, Stage& to, int batch) {
    const RendezvousId message = builder_.add_rendezvous(to.reduce, ChargeId(2));
    after(from.last, builder_.add_op(from.network, collective_, ChargeId(1), message, batch));
    to.last = builder_.add_op(to.network, collective_, ChargeId(1), message, batch);
  }

  StepGraphBuilder builder_{{"compute", "exposed", "bubble", "launch", "throttle"},
                            {ChargeId(3), ChargeId(4), ChargeId(2)}};
  WorkId gemm_;
  WorkId collective_;
  std::vector<Stage> stages_;
};

void replay_pipeline(benchmark::State& state) {
  const StepGraph graph = PipelineStep(state.range(0) != 0).build();
  for (auto _ : state) benchmark::DoNotOptimize(replay(graph.structure, graph.timing));
  state.counters["ops"] = static_cast<double>(graph.structure.op_count());
  state.counters["events"] = static_cast<double>(replay(graph.structure, graph.timing).events);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.structure.op_count()));
}
BENCHMARK(replay_pipeline)->ArgName("reserves")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void build_pipeline(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(PipelineStep(true).build());
}
BENCHMARK(build_pipeline)->Unit(benchmark::kMillisecond);

void charge_pipeline(benchmark::State& state) {
  const StepGraph graph = PipelineStep(true).build();
  const ReplayResult result = replay(graph.structure, graph.timing);
  for (auto _ : state) benchmark::DoNotOptimize(charge_time(graph.structure, graph.timing, result));
}
BENCHMARK(charge_pipeline)->Unit(benchmark::kMillisecond);

void meter_pipeline(benchmark::State& state) {
  const StepGraph graph = PipelineStep(true).build();
  const ReplayResult result = replay(graph.structure, graph.timing);
  for (auto _ : state) benchmark::DoNotOptimize(meter_power(graph.structure, graph.timing, result));
}
BENCHMARK(meter_pipeline)->Unit(benchmark::kMillisecond);

}  // namespace
