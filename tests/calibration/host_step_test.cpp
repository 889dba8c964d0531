// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "calibration/host/loop/host_step.hpp"
#include "calibration/host/loop/host_trainer.hpp"
#include "calibration/host/loop/rank_processes.hpp"
#include "calibration/host/probe_case.hpp"
#include "calibration/host/random_data.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

HostModel tiny_model() {
  return {.layers = 2, .hidden = 8, .heads = 2, .ffn = 12, .vocabulary = 11, .sequence = 5, .sequences = 2};
}

HostModel small_model() {
  return {.layers = 2, .hidden = 64, .heads = 2, .ffn = 128, .vocabulary = 256, .sequence = 32, .sequences = 2};
}

/// Loss and gradients of one batch in double.
struct Differentiated {
  explicit Differentiated(const HostModel& model) : step(model, clock), batch(random_tokens(model, 0)) {
    clock.start();
  }
  double loss(const std::vector<double>& parameters) { return step.forward(parameters.data(), batch); }
  std::vector<double> gradients(const std::vector<double>& parameters) {
    std::vector<double> out(parameters.size(), std::nan(""));  // a gradient left out is seen
    loss(parameters);
    step.backward(parameters.data(), batch, out.data());
    return out;
  }

  PartClock clock;
  TransformerStep<double> step;
  TokenBatch batch;
};

/// The weights of each process after some steps.
template <class Scalar>
std::vector<std::vector<double>> trained_values(const HostModel& model, int processes, int steps, int buckets = 1) {
  return run_ranks(processes, 20 * second, [&](Ring& ring) {
    PartClock clock;
    clock.start();
    HostTrainer<Scalar> trainer(model, ring, clock, buckets);
    for (int i = 0; i < steps; ++i) trainer.step();
    return std::vector<double>(trainer.parameters().begin(), trainer.parameters().end());
  });
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

/// Sum of 0, 1, ... (of each process its rank times as many) by the ring; every process returns a few of them.
template <class Scalar>
void check_sum(int processes, std::size_t count) {
  INFO(count << " values in " << processes << " processes");
  const auto sums = run_ranks(processes, 20 * second, [&](Ring& ring) {
    std::vector<Scalar> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Scalar>((i % 1000) * (1 + ring.rank()));
    for (int again = 0; again < 2; ++again) ring.all_reduce(std::span(values));
    double wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // 1 + 2 + ... + p, and p times that from the second call
      const double factor = ring.size() * ring.size() * (ring.size() + 1) / 2.0;
      wrong += static_cast<double>(values[i]) != factor * static_cast<double>(i % 1000);
    }
    return std::vector<double>{wrong};
  });
  REQUIRE(sums.size() == static_cast<std::size_t>(processes));
  for (const auto& wrong : sums) CHECK(wrong == std::vector<double>{0});
}

bool has_child() {
  return waitpid(-1, nullptr, WNOHANG) >= 0;
}

}  // namespace

TEST_CASE("every gradient is the slope of the loss", "[calibration][host_step]") {
  Differentiated model(tiny_model());
  std::vector<double> parameters = random_parameters<double>(tiny_model());
  const std::vector<double> gradients = model.gradients(parameters);
  constexpr double h = 1e-5;  // central differences err by h^2 and by rounding / h, 1e-10 each
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double here = parameters[i];
    parameters[i] = here + h;
    const double above = model.loss(parameters);
    parameters[i] = here - h;
    const double below = model.loss(parameters);
    parameters[i] = here;
    const double error = std::abs(gradients[i] - (above - below) / (2 * h));
    worst = std::isnan(error) ? error : std::max(worst, error);
    largest = std::max(largest, std::abs(gradients[i]));
  }
  CHECK(worst < 2e-9);
  CHECK(largest > 1e-2);
}

TEST_CASE("gradients in fp32 are those in double, rounded", "[calibration][host_step]") {
  const HostModel model = small_model();
  Differentiated exact(model);
  const std::vector<float> parameters = random_parameters<float>(model);
  const std::vector<double> expected = exact.gradients({parameters.begin(), parameters.end()});
  PartClock clock;
  clock.start();
  TransformerStep<float> step(model, clock);
  std::vector<float> gradients(parameters.size());
  step.forward(parameters.data(), exact.batch);
  step.backward(parameters.data(), exact.batch, gradients.data());
  double largest = 0;
  for (const double one : expected) largest = std::max(largest, std::abs(one));
  CHECK(largest_difference({gradients.begin(), gradients.end()}, expected) < 1e-5 * largest);
}

TEST_CASE("attention looks neither ahead nor into another sequence", "[calibration][host_step]") {
  const HostModel model = tiny_model();  // 2 sequences of 5 tokens, 8 wide
  CausalAttention<double> attention(model);
  std::vector<double> qkv(10 * 24), probabilities(static_cast<std::size_t>(attention.probability_count()));
  RandomWords words(3);
  for (double& one : qkv) one = words.signed_unit();
  const auto attended = [&] {
    std::vector<double> out(10 * 8);
    attention.forward({out.data(), 10, 8}, probabilities.data(), {qkv.data(), 10, 24});
    return out;
  };
  const std::vector<double> before = attended();
  for (std::size_t i = 3 * 24; i < 4 * 24; ++i) qkv[i] += 1;  // token 3 of the first sequence
  const std::vector<double> after = attended();
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO("token " << i / 8);
    CHECK((before[i] == after[i]) == (i / 8 != 3 && i / 8 != 4));
  }
}

TEST_CASE("the loss begins near the logarithm of the vocabulary and falls", "[calibration][host_step]") {
  const HostStepTimes times = run_host_steps(small_model(), 2, 20, 20 * second);
  REQUIRE(times.losses.size() == 20);
  CHECK(times.losses.front() == Approx(std::log(256.0)).margin(1.0));
  CHECK(times.losses.back() < 0.8 * times.losses.front());
  for (std::size_t i = 1; i < times.losses.size(); ++i) CHECK(times.losses[i] < times.losses[i - 1]);
}

TEST_CASE("Adam moves by its rate at first, and more slowly once the slope is gone", "[calibration][host_step]") {
  Adam<double> adam(2);
  std::vector<double> weights{5, 5};
  adam.update(weights.data(), std::vector<double>{8, -8}.data(), 0.25);
  CHECK(weights[0] - 5 == Approx(-1e-3));  // mean 2, mean square 4 once their start at zero is made good
  CHECK(weights[1] - 5 == Approx(1e-3));
  weights = {5, 5};
  adam.update(weights.data(), std::vector<double>{0, 0}.data(), 0.25);
  // mean 0.9 x 0.1 x 2 / (1 - 0.81) = 0.9474; mean square 0.999 x 0.001 x 4 / (1 - 0.998001) = 1.9990
  CHECK(weights[0] - 5 == Approx(-1e-3 * 0.947368 / std::sqrt(1.998999)));
}

TEST_CASE("two processes on half batches train as one on the whole batch", "[calibration][host_step]") {
  HostModel whole = tiny_model(), half = tiny_model();
  whole.sequences = 6;
  half.sequences = 3;
  const auto one = trained_values<double>(whole, 1, 5), two = trained_values<double>(half, 2, 5);
  CHECK(largest_difference(one[0], two[0]) < 1e-9);
  CHECK(two[0] == two[1]);
  const auto start = random_parameters<double>(whole);
  CHECK(largest_difference(one[0], start) > 1e-3);  // five updates of 1e-3 at most, the first of that size
}

TEST_CASE("three processes and several buckets change nothing but the order of sums", "[calibration][host_step]") {
  HostModel whole = tiny_model(), third = tiny_model();
  whole.sequences = 3;
  third.sequences = 1;
  const auto one = trained_values<double>(whole, 1, 3);
  for (const int buckets : {1, 7}) {
    const auto three = trained_values<double>(third, 3, 3, buckets);
    CHECK(largest_difference(one[0], three[0]) < 1e-9);
    CHECK(three[0] == three[2]);
  }
}

TEST_CASE("processes keep equal weights in fp32", "[calibration][host_step]") {
  const auto two = trained_values<float>(tiny_model(), 2, 5);
  CHECK(two[0] == two[1]);
}

TEST_CASE("a ring sums any number of values, also more than its connections hold", "[calibration][host_step]") {
  for (const int processes : {1, 2, 3, 5})
    for (const std::size_t count : {0u, 1u, 2u, 40003u}) check_sum<float>(processes, count);
  check_sum<double>(2, 1500001);
  check_sum<float>(3, 2000003);
}

TEST_CASE("no process leaves a barrier before the last has come", "[calibration][host_step]") {
  using Clock = std::chrono::steady_clock;  // one for all processes of a machine
  const auto seconds = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
  const auto times = run_ranks(3, 20 * second, [&](Ring& ring) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * ring.rank()));
    const double came = seconds();
    ring.barrier();
    return std::vector<double>{came, seconds()};
  });
  for (const auto& one : times)
    for (const auto& other : times) CHECK(one[1] >= other[0]);
}

TEST_CASE("the parts of a step sum to the step", "[calibration][host_step]") {
  for (const int processes : {1, 2}) {
    const HostStepTimes times = run_host_steps(small_model(), processes, 15, 20 * second);
    CHECK(times.processes == processes);
    REQUIRE(times.steps.size() == 15);
    for (std::size_t i = 0; i < times.steps.size(); ++i) {
      Seconds sum;
      for (const auto& [name, steps] : times.part_steps) sum += steps.at(i);
      CHECK(sum < (1 + 1e-9) * times.steps[i]);  // the mean of the processes, against the longest
      CHECK(processes * sum > (1 - 1e-9) * times.steps[i]);
    }
    CHECK(times.parts.size() == step_part_names.size());
    for (const char* busy : {"gemm_forward", "gemm_backward", "attention", "elementwise", "optimizer"})
      CHECK(times.parts.at(busy) > Seconds{});
    CHECK(times.all_reduce_of_last <= times.parts.at("all_reduce"));
    if (processes == 1) CHECK(times.parts.at("all_reduce") < 0.1 * times.parts.at("gemm_backward"));
  }
}

TEST_CASE("a clock gives every instant to one part", "[calibration][host_step]") {
  PartClock clock;
  clock.start();
  clock.enter(StepPart::attention);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  clock.enter(StepPart::optimizer);
  clock.stop();
  CHECK(clock.spent(StepPart::attention) >= 3 * millisecond);
  CHECK(clock.spent(StepPart::gemm_forward) == Seconds{});
  Seconds sum;
  for (std::size_t part = 0; part < step_part_names.size(); ++part) sum += clock.spent(static_cast<StepPart>(part));
  CHECK(sum.in(second) == Approx(clock.whole().in(second)));
}

TEST_CASE("a process that dies midway is a failure, and none is left behind", "[calibration][host_step]") {
  for (const int victim : {0, 1}) {
    const auto training = [&](Ring& ring) {
      PartClock clock;
      clock.start();
      HostTrainer<float> trainer(tiny_model(), ring, clock);
      for (int i = 0; i < 1000000; ++i) {
        if (i == 3 && ring.rank() == victim) raise(SIGKILL);
        trainer.step();
      }
      return std::vector<double>();
    };
    CHECK_THROWS_AS(run_ranks(2, 20 * second, training), ProbeFailure);
    CHECK_FALSE(has_child());
  }
}

TEST_CASE("what a process throws is the failure's text", "[calibration][host_step]") {
  const auto failing = [](Ring&) -> std::vector<double> { throw ProbeFailure("no luck"); };
  CHECK_THROWS_WITH(run_ranks(1, 20 * second, failing), "process 1 of 1 failed: no luck");
  const auto vanishing = [](Ring&) -> std::vector<double> { _exit(3); };
  CHECK_THROWS_WITH(run_ranks(1, 20 * second, vanishing), "process 1 of 1 ended without a report");
  const auto killed = [](Ring&) -> std::vector<double> { std::abort(); };
  CHECK_THROWS_WITH(run_ranks(1, 20 * second, killed), "process 1 of 1 was ended by signal 6");
}

TEST_CASE("when the limit passes all processes are ended", "[calibration][host_step]") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(run_host_steps(small_model(), 2, 1000000, 50 * millisecond), ProbeFailure);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK_FALSE(has_child());
}

TEST_CASE("processes end when their parent is killed", "[calibration][host_step]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t parent = fork();
  if (parent == 0) {  // no check of the test may run here
    run_ranks(2, 60 * second, [&](Ring&) {
      if (write(ends[1], "x", 1) == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
      return std::vector<double>();
    });
    _exit(0);
  }
  REQUIRE(parent > 0);
  close(ends[1]);
  char byte_read = 0;
  CHECK(read(ends[0], &byte_read, 1) == 1);
  CHECK(read(ends[0], &byte_read, 1) == 1);  // both are there
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  pollfd gone{ends[0], POLLIN, 0};
  CHECK(poll(&gone, 1, 5000) == 1);  // no process has the other end
  CHECK(read(ends[0], &byte_read, 1) == 0);
  close(ends[0]);
}

TEST_CASE("sizes that cannot be are refused before a process starts", "[calibration][host_step]") {
  const auto refused = [](auto change) {
    HostModel model = tiny_model();
    change(model);
    CHECK_THROWS_AS(run_host_steps(model, 1, 1, 1 * second), std::invalid_argument);
    CHECK_THROWS_AS(model.check(), std::invalid_argument);
  };
  refused([](HostModel& model) { model.layers = 0; });
  refused([](HostModel& model) { model.heads = 3; });
  refused([](HostModel& model) { model.ffn = -1; });
  refused([](HostModel& model) { model.vocabulary = 0; });
  refused([](HostModel& model) { model.sequence = 0; });
  refused([](HostModel& model) { model.sequences = 0; });
  CHECK_THROWS_AS(run_host_steps(tiny_model(), 0, 1, 1 * second), std::invalid_argument);
  CHECK_THROWS_AS(run_host_steps(tiny_model(), 1, 0, 1 * second), std::invalid_argument);
  CHECK_THROWS_AS(run_host_steps(tiny_model(), 1, 1, 1 * second, 0), std::invalid_argument);
}
