// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/input_side.hpp"

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/settling/settle_input.hpp"
#include "models/settling/steady_state.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/fed_step.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 16 ranks on two nodes, 8 micro-batches of 1,024 tokens each.
SmallCase sixteen(int tensor, int pipeline) {
  SmallCase c;
  c.tensor = tensor;
  c.pipeline = pipeline;
  c.data = 16 / tensor / pipeline;
  c.micro_batches = 8;
  c.sequence = 1024;
  return c;
}

Scenario reading(const SmallCase& c, int prefetch = 8) {
  Scenario s = small_scenario(c);
  s.job.input = InputSpec{};
  s.job.input->bytes_per_token = 4;
  s.job.input->prefetch = prefetch;
  return s;
}

double share(const StepPrediction& step, StepCharge charge) {
  return step.breakdown[static_cast<std::size_t>(charge)] / step.step_time;
}

/// The scenario with cores so slow that a reader takes `time` for the micro-batches of a step.
Scenario prepared_in(Scenario s, Seconds time) {
  const Plan plan = plan_of(s);
  const double tokens = static_cast<double>(s.job.sequence) * plan.micro_batch * plan.micro_batches;
  s.job.input->workers = 1;
  s.job.input->cores_per_accelerator = 1;
  s.job.input->tokens_per_core = tokens / time.in(second);
  return s;
}

std::string code_of(const Scenario& s) {
  try {
    resolve_plan(s);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code;
  }
  return "";
}

}  // namespace

TEST_CASE("readers read their tokens, prepare them on their cores and share storage", "[models][input]") {
  Scenario s = reading(sixteen(4, 1));
  s.cluster.spec.node.host.cores = 64;
  s.job.input->tokens_per_core = 1000;
  s.cluster.spec.storage.host_read = 1 * gigabyte / second;
  const ReaderWork work = reader_work(s, plan_of(s));
  CHECK(work.bytes.in(byte) == Approx(4096));  // 1,024 tokens of 4 bytes
  // 4 of 8 accelerators: 32 cores of 1,000 tokens/s
  CHECK(work.preparing.in(second) == Approx(1024 / 32e3));
  CHECK(work.host->in(gigabyte / second) == Approx(1));
  s.job.input->workers = 8;
  CHECK(reader_work(s, plan_of(s)).preparing.in(second) == Approx(1024 / 8e3));
  s.job.input->storage.host_read = 2 * gigabyte / second;
  CHECK(reader_work(s, plan_of(s)).host->in(gigabyte / second) == Approx(2));
}

TEST_CASE("under a pipeline the last stage reads labels", "[models][input]") {
  const Scenario s = reading(sixteen(2, 2));
  const Placement placement(plan_of(s), 8);
  const ReaderCounts readers = count_readers(placement, 8);
  CHECK(readers.all == 8);              // 4 replicas, twice
  CHECK(readers.on_fullest_host == 4);  // a stage fills a node
}

TEST_CASE("a loader that keeps up costs nothing", "[models][input]") {
  for (const int pipeline : {1, 2}) {
    const Scenario plain = small_scenario(sixteen(2, pipeline));
    Scenario s = reading(sixteen(2, pipeline));
    s.cluster.spec.storage.read = 1000 * gigabyte / second;
    CHECK(fed_step_time(s).in(second) == Approx(fed_step_time(plain).in(second)).epsilon(1e-6));
    CHECK(share(predict_step(s), StepCharge::input_wait) == 0);
  }
}

TEST_CASE("a loader that does not keep up sets the pace", "[models][input]") {
  for (const int pipeline : {1, 2}) {
    Scenario s = reading(sixteen(2, pipeline));
    s.stack.kernel_launch.value = Seconds{};  // a host that waits for the loader issues kernels meanwhile
    const Seconds alone = fed_step_time(s);
    for (const double slower : {1.5, 4.0, 20.0}) {
      const Scenario slow = prepared_in(s, slower * alone);
      CHECK(fed_step_time(slow) / alone == Approx(slower).epsilon(2e-3));
      const StepPrediction step = predict_step(slow);
      CHECK(share(step, StepCharge::input_wait) == Approx(1 - 1 / slower).margin(0.08));
      CHECK(step.input->limited_by == "preparation");
    }
    CHECK(fed_step_time(prepared_in(s, 0.5 * alone)) / alone == Approx(1).epsilon(2e-3));
  }
}

TEST_CASE("storage that all hosts share is used up together", "[models][input]") {
  Scenario s = reading(sixteen(2, 1));
  // 8 readers x 8 micro-batches x 4,096 bytes
  s.cluster.spec.storage.read = 8 * 8 * 4096 * byte / (1 * second);
  CHECK(fed_step_time(s).in(second) == Approx(1).epsilon(1e-3));
  s.cluster.spec.storage.read.reset();
  // 4 readers on each of two hosts
  s.cluster.spec.storage.host_read = 4 * 8 * 4096 * byte / (1 * second);
  CHECK(fed_step_time(s).in(second) == Approx(1).epsilon(1e-3));
  CHECK(input_supply(s, plan_of(s)).micro_batch.in(second) == Approx(1 / 8.0));
}

TEST_CASE("a deeper prefetch never costs, a shallow one may", "[models][input]") {
  const Scenario s = reading(sixteen(1, 2), 1);
  const Scenario slow = prepared_in(s, 0.8 * fed_step_time(small_scenario(sixteen(1, 2))));
  Seconds before = 1e9 * second;
  for (const int depth : {1, 2, 4, 8}) {
    Scenario deeper = slow;
    deeper.job.input->prefetch = depth;
    const Seconds time = fed_step_time(deeper);
    CHECK(time <= before * (1 + 1e-9));
    before = time;
  }
}

TEST_CASE("what is read must be said once, and be there", "[models][input]") {
  Scenario s = reading(sixteen(1, 1));
  CHECK(code_of(s) == "");
  s.job.input->bytes_per_sample = 100;
  CHECK(code_of(s) == "E0327");
  s.job.input->bytes_per_token.reset();
  CHECK(code_of(s) == "");
  s.job.input->from = Store::local;
  CHECK(code_of(s) == "E0328");
  s.cluster.spec.node.host.nvme_read = 10 * gigabyte / second;
  CHECK(code_of(s) == "");
  s.job.input->tokens_per_core = 1000;
  CHECK(code_of(s) == "E0328");
  s.cluster.spec.node.host.cores = 64;
  CHECK(code_of(s) == "");
}

namespace {

/// A plan's checkpoint, summed over ranks.
double written(const SmallCase& c) {
  const Scenario s = small_scenario(c);
  const Plan plan = plan_of(s);
  const StageLayout layout(s.transformer.layers, plan.pipeline, plan.virtual_pipeline);
  const PlannedJob memory = planned_job(s.transformer, s.job, s.stack, plan, layout);
  double sum = 0;
  for (int p = 0; p < plan.pipeline; ++p)
    for (int d = 0; d < plan.gradient_ranks(); ++d) sum += plan.tensor * checkpoint_of_rank(memory, p, d).in(byte);
  return sum;
}

}  // namespace

TEST_CASE("a checkpoint holds every weight and state once, however they are sharded", "[models][input]") {
  SmallCase c = sixteen(2, 2);
  const double all = total_parameters(small_scenario(c).transformer);
  for (const Sharding sharding : {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
    c.sharding = sharding;
    CHECK(written(c) == Approx(14 * all));
  }
  c.sharding = Sharding::fsdp;
  CHECK(written(c) == Approx(12 * all));
  c.sharding = Sharding::hsdp;
  c.shard_group = 2;
  CHECK(written(c) == Approx(12 * all));
}

TEST_CASE("a synchronous checkpoint stalls for its write, an asynchronous one for its copy", "[models][input]") {
  SmallCase c = sixteen(1, 1);
  c.sharding = Sharding::fsdp;
  Scenario s = reading(c);
  s.job.input->checkpoint = CheckpointSpec{100, CheckpointMode::synchronous, Store::file_system};
  const Bytes all = checkpoint_use(s, plan_of(s), 1 * second).bytes;
  s.cluster.spec.storage.write = all / (50 * second);
  const auto use = [&](double step) { return checkpoint_use(s, plan_of(s), step * second); };
  CHECK(use(1).write.in(second) == Approx(50));
  CHECK(use(1).per_step().in(second) == Approx(0.5));
  CHECK(use(1).limits == "file system");
  s.job.input->checkpoint->mode = CheckpointMode::asynchronous;
  const Seconds copy = all / 16 / host_link_bandwidth(s.cluster.accelerator, s.parameters);
  CHECK(use(1).stall.in(second) == Approx(copy.in(second)));
  // 100 steps of 0.2 s leave 20 of 50 s
  CHECK(use(0.2).stall.in(second) == Approx(30 + copy.in(second)));
  const StepPrediction step = predict_step(s);
  CHECK(step.tokens_per_second_with_checkpoints() < step.tokens_per_second);
}
