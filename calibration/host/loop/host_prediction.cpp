#include "calibration/host/loop/host_prediction.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "sim/breakdown.hpp"
#include "sim/replay.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t parts = step_part_names.size();
constexpr double unlimited_w = 1e9;
/// Repeats of whole steps on a machine that does other things too.
constexpr double repeated = 0.03;

/// Charges of the graph: the parts of a step, then those that the engine hands out.
std::vector<std::string> charge_names() {
  std::vector<std::string> out(step_part_names.begin(), step_part_names.end());
  for (const char* own : {"late", "launch", "throttle", "idle"}) out.emplace_back(own);
  return out;
}

ChargeId charge(std::size_t number) {
  return ChargeId(number);
}

/// Of the linear layers: small multiplies of attention are another class, and little of a step.
Seconds shortest_linear(const HostStepWork& work, const HostTimes& costs) {
  Seconds shortest;
  for (const HostGemm& gemm : work.gemms) {
    const Seconds time = costs.time(gemm);
    if (gemm.part != StepPart::attention && (shortest <= Seconds{} || time < shortest)) shortest = time;
  }
  return shortest;
}

/// One lane of work after another on every process, then one all-reduce that all of them join.
class HostStepLowering {
 public:
  HostStepLowering(const HostStepWork& work, int processes, const HostTimes& costs)
      : work_(work), processes_(processes), costs_(costs) {
    const PowerDomainId host = builder_.add_power_domain("host");
    // Processes are alike and keep step: one class stands for all.
    const RankClassId rank =
        builder_.add_rank_class("process", static_cast<std::uint32_t>(processes), host, {}, unlimited_w * watt);
    compute_ = builder_.add_lane(rank, LaneKind::compute, "core");
    messages_ = builder_.add_lane(rank, LaneKind::communication, "loopback");
  }

  StepGraph run() {
    add_pass(HostPass::forward);
    add_pass(HostPass::backward);
    if (processes_ > 1) add_all_reduce();
    add_pass(HostPass::update);
    return std::move(builder_).build();
  }

 private:
  void add_op(Seconds time, StepPart part) {
    WorkTiming timing;
    timing.duration = to_picoseconds(time);
    const std::size_t number = static_cast<std::size_t>(part);
    last_ = builder_.add_op(compute_, builder_.add_work(step_part_names[number], timing), charge(number));
  }

  void add_pass(HostPass pass) {
    for (const HostGemm& gemm : work_.gemms)
      if (gemm.pass == pass) add_op(static_cast<double>(gemm.count) * costs_.time(gemm), gemm.part);
    for (const HostKernel& kernel : work_.kernels)
      if (kernel.pass == pass) add_op(static_cast<double>(kernel.count) * costs_.time(kernel), kernel.part);
  }

  /// A ring: 2 (n - 1) rounds of an n-th of the message; in a round a core sends one piece and receives another, and in
  /// the first half of the rounds adds what came.
  void add_all_reduce() {
    const double n = processes_;
    const Bytes piece = work_.gradient_message / n;
    const HostKernel sum{"residual", 0, 2 * piece, 1, HostPass::forward, StepPart::all_reduce};
    StepGraphBuilder::Leg leg;
    const Seconds adding = (n - 1) * costs_.time(sum);
    leg.timing.delay = to_picoseconds(2 * (n - 1) * costs_.loopback.start + adding);
    leg.timing.bytes = static_cast<std::uint64_t>(2 * (n - 1) * piece.in(byte));
    leg.timing.rate_bound = static_cast<std::uint64_t>((costs_.loopback.rate / 2).in(byte_per_second));
    const RendezvousId ring = builder_.add_rendezvous(builder_.add_chain({leg}), charge(parts));
    const std::size_t number = static_cast<std::size_t>(StepPart::all_reduce);
    const OpId reduce = builder_.add_op(messages_, builder_.add_work("all_reduce", {}), charge(number), ring);
    builder_.depends(last_, reduce);
    WorkTiming nothing;
    const OpId after = builder_.add_op(compute_, builder_.add_work("unpack", nothing), charge(number));
    builder_.depends(reduce, after);
  }

  const HostStepWork& work_;
  int processes_;
  const HostTimes& costs_;
  StepGraphBuilder builder_{charge_names(), {charge(parts + 1), charge(parts + 2), charge(parts + 3)}};
  LaneId compute_, messages_;
  OpId last_;
};

}  // namespace

HostStepPrediction predict_host_step(const HostModel& model, int processes, const HostTimes& costs) {
  if (processes < 1) throw std::invalid_argument("a step needs a process");
  const HostStepWork work = work_of(model);
  const StepGraph graph = HostStepLowering(work, processes, costs).run();
  const ReplayResult result = replay(graph.structure, graph.timing);
  HostStepPrediction out;
  out.step = to_seconds(result.end);
  const Breakdown breakdown = charge_time(graph.structure, graph.timing, result);
  for (std::size_t part = 0; part < parts; ++part) out.parts[step_part_names[part]] = breakdown.mean[part];
  const Seconds multiplies = out.parts["gemm_forward"] + out.parts["gemm_backward"];
  // Multiplies of one step may all err alike, so their band does not shrink with their number.
  const double width =
      std::hypot(multiplies / out.step * costs.multiply_band(shortest_linear(work, costs)), 1.645 * repeated);
  out.low = out.step * std::exp(-width);
  out.high = out.step * std::exp(width);
  return out;
}

}  // namespace clusterwright
