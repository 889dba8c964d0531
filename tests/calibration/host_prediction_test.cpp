#include "calibration/host/loop/host_prediction.hpp"

#include <numeric>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const HostModel small{
    .layers = 2, .hidden = 64, .heads = 2, .ffn = 128, .vocabulary = 256, .sequence = 32, .sequences = 2};

/// Kernels at 1 GB/s, loopback at 2 GB/s with 10 us to start, multiplies of a chip of 10 GFLOP/s.
HostTimes simple_times() {
  HostTimes out;
  out.device = {10e9 * flop / second, 10 * gigabyte / second, 1};
  out.gemm.efficiency.value = 0.9;
  out.gemm.tile_penalty.value = 0;
  out.gemm.wave_share.value = 1;
  out.gemm.bandwidth_share.value = 1;
  out.loopback = {10 * microsecond, 2 * gigabyte / second};
  for (const HostKernel& kernel : work_of(small).kernels)
    for (const char* pass : {"forward", "backward", "update"})
      out.kernels[{kernel.name, pass}].points = {{1 * kilobyte, 1 * microsecond}, {1 * gigabyte, 1 * second}};
  return out;
}

}  // namespace

TEST_CASE("a curve of a kernel goes through its points, and on in proportion", "[calibration][loop]") {
  const KernelCurve curve{{{100 * byte, 1 * second}, {400 * byte, 16 * second}}};
  CHECK(curve.time(100 * byte).in(second) == Approx(1));
  CHECK(curve.time(200 * byte).in(second) == Approx(4));  // slope 2 in log and log
  CHECK(curve.time(400 * byte).in(second) == Approx(16));
  CHECK(curve.time(50 * byte).in(second) == Approx(0.5));
  CHECK(curve.time(800 * byte).in(second) == Approx(32));
}

TEST_CASE("one process does its work and nothing else", "[calibration][loop]") {
  const HostTimes costs = simple_times();
  const HostStepWork work = work_of(small);
  Seconds sum;
  for (const HostGemm& gemm : work.gemms) sum += static_cast<double>(gemm.count) * costs.time(gemm);
  for (const HostKernel& kernel : work.kernels) sum += static_cast<double>(kernel.count) * costs.time(kernel);
  const HostStepPrediction step = predict_host_step(small, 1, costs);
  CHECK(step.step / sum == Approx(1).epsilon(1e-9));
  CHECK(step.parts.at("all_reduce") == Seconds{});
  Seconds parts;
  for (const auto& [name, time] : step.parts) parts += time;
  CHECK(parts / step.step == Approx(1).epsilon(1e-9));
  CHECK(step.low < step.step);
  CHECK(step.high > step.step);
}

TEST_CASE("two processes add the ring's rounds between backward pass and update", "[calibration][loop]") {
  const HostTimes costs = simple_times();
  const HostStepPrediction one = predict_host_step(small, 1, costs), two = predict_host_step(small, 2, costs);
  // Two rounds of half a message at half of 2 GB/s, 10 us each to start, and one half added: it and the sum at 1 GB/s.
  const Bytes message = work_of(small).gradient_message;
  const Seconds ring = message / (1 * gigabyte / second) + 20 * microsecond + message / (1 * gigabyte / second);
  CHECK((two.step - one.step) / ring == Approx(1).epsilon(1e-6));
  CHECK(two.parts.at("all_reduce") / ring == Approx(1).epsilon(1e-6));
  CHECK(two.parts.at("gemm_backward") == one.parts.at("gemm_backward"));
  CHECK_THROWS_AS(predict_host_step(small, 0, costs), std::invalid_argument);
}

TEST_CASE("a kernel that nobody sampled is an error, not a zero", "[calibration][loop]") {
  HostTimes costs = simple_times();
  costs.kernels.erase({"gelu", "backward"});
  CHECK_THROWS_AS(predict_host_step(small, 1, costs), ConfigError);
  CHECK_THROWS_AS(host_times({}), ConfigError);
}

TEST_CASE("the band is that of multiplies of the step's size", "[calibration][loop]") {
  HostTimes costs = simple_times();
  for (int i = 0; i < 10; ++i) {
    SampleResidual one;
    one.measured = (i < 5 ? 1 : 100) * millisecond;
    one.error = i < 5 ? 0.5 : 0.02;
    costs.multiplies.push_back(one);
  }
  CHECK(costs.multiply_band(50 * millisecond) == Approx(0.02));
  CHECK(costs.multiply_band(1 * microsecond) == Approx(0.5));
  CHECK(costs.multiply_band(1 * second) == Approx(0.5));  // none is like that: all speak
}
