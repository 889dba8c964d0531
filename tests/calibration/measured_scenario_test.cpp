// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measured_scenario.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("a framework takes the newest stack of its date, others the generic one", "[calibration][measured]") {
  MeasuredJob job;
  const auto stack = [&](const char* framework, CalendarDate release) {
    job.framework = framework;
    job.release = release;
    return stack_of(job);
  };
  CHECK(stack("nemo", {2022, 9}) == "nemo-2022");
  CHECK(stack("nemo", {2023, 10}) == "nemo-2023");
  CHECK(stack("nemo", {2025, 5}) == "nemo-2024");
  CHECK(stack("nemo", {}) == "nemo-2024");  // no date: the newest
  CHECK(stack("megatron-deepspeed", {2023, 12}) == "deepspeed-2023");
  CHECK(stack("other", {2021, 6}) == "generic-2021");
  CHECK(stack("other", {2024, 7}) == "generic-2023");
  CHECK(stack("a framework of tomorrow", {2026, 1}) == "generic-2025");
  job.precision = "bf16";
  CHECK(stack("megatron-deepspeed", {2022, 3}) == "deepspeed-bf16-2022");
  job.sharding = "zero3";
  CHECK(stack("megatron-lm", {2021, 4}) == "deepspeed-zero3-2021");
}
