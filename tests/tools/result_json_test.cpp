// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_json.hpp"

#include "models/prediction/prediction.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/made_up_predictions.hpp"
#include "tools/output/prediction_tables.hpp"

using namespace clusterwright;

namespace {

/// The keys that scripts rely on, docs/formats.md.
const std::vector<std::string> run_pointers = {"/step_time_s",
                                               "/low",
                                               "/high",
                                               "/tokens_per_s",
                                               "/tokens_per_s_per_gpu",
                                               "/model_tflops_per_gpu",
                                               "/mfu",
                                               "/breakdown_s/compute_gemm",
                                               "/breakdown_s/jitter",
                                               "/memory_gb/weights",
                                               "/memory_gb/total",
                                               "/fits",
                                               "/verdict",
                                               "/power/it_kw_mean",
                                               "/power/it_kw_peak",
                                               "/power/facility_kw_mean",
                                               "/power/swing_kw",
                                               "/power/ramp_kw_per_s",
                                               "/power/energy_j_per_token",
                                               "/serving/ttft_s",
                                               "/serving/tpot_s",
                                               "/serving/output_tokens_per_s",
                                               "/bottleneck"};
const std::vector<std::string> point_pointers = {"/gpus", "/plan", "/efficiency", "/speedup"};
const std::vector<std::string> document_pointers = {
    "/schema_version", "/tool/name",     "/tool/version",    "/seed",
    "/command",        "/inputs/0/path", "/inputs/0/sha256", "/scenario/job/sequence"};

void require_keys(const JsonValue& value, const std::vector<std::string>& pointers) {
  for (const std::string& pointer : pointers) {
    INFO(pointer);
    CHECK(value.at_pointer(pointer) != nullptr);
  }
}

}  // namespace

TEST_CASE("run and scale carry every key that scripts rely on", "[tools]") {
  const JsonValue run = run_to_json(made_up::context("run"), made_up::step(16384));
  require_keys(run, run_pointers);
  require_keys(run, document_pointers);
  const JsonValue scale = scale_to_json(made_up::context("scale"), made_up::curve());
  require_keys(scale, document_pointers);
  CHECK(scale.at("knee_gpus").as_integer() == 8192);
  for (const JsonValue& point : scale.at("points").elements()) {
    require_keys(point, run_pointers);
    require_keys(point, point_pointers);
  }
}

TEST_CASE("what is not modelled is null, not zero", "[tools]") {
  StepPrediction step = made_up::step(1024);
  step.power.site.reset();
  const JsonValue run = run_to_json(made_up::context("run"), step);
  for (const char* pointer : {"/power/facility_kw_mean", "/serving/ttft_s"}) CHECK(run.at_pointer(pointer)->is_null());
}

TEST_CASE("an impossible size stays in the curve with its reason and without numbers", "[tools]") {
  const JsonValue scale = scale_to_json(made_up::context("scale"), made_up::curve());
  const JsonValue& point = scale.at("points").elements()[0];
  CHECK(point.at("gpus").as_integer() == 192);
  CHECK_FALSE(point.at("fits").as_boolean());
  CHECK(point.at("verdict").as_text() == "192 GPUs are no multiple of the 128 of one replica");
  CHECK(point.at("step_time_s").is_null());
  CHECK(point.at_pointer("/memory_gb/total")->is_null());
  CHECK_NOTHROW(write_json(scale));
}

TEST_CASE("a plan that does not fit keeps the time it would take, and has no efficiency", "[tools]") {
  const JsonValue scale = scale_to_json(made_up::context("scale"), made_up::curve());
  const JsonValue& point = scale.at("points").elements()[1];
  CHECK_FALSE(point.at("fits").as_boolean());
  CHECK(point.at("step_time_s").as_number() > 0);
  CHECK(point.at("efficiency").is_null());
}

TEST_CASE("the parts of breakdown and memory sum to their wholes", "[tools]") {
  const JsonValue run = run_to_json(made_up::context("run"), made_up::step(4096));
  double parts = 0;
  for (const auto& [key, value] : run.at("breakdown_s").members()) parts += value.as_number();
  CHECK(parts == Approx(run.at("step_time_s").as_number()).epsilon(1e-12));
  double memory = 0;
  for (const auto& [key, value] : run.at("memory_gb").members()) memory += key == "total" ? 0 : value.as_number();
  CHECK(memory == Approx(run.at_pointer("/memory_gb/total")->as_number()).epsilon(1e-12));
}

TEST_CASE("the flat table has one line per size and the numbers of the JSON", "[tools]") {
  const ResultTable flat = flat_table(made_up::curve());
  const JsonValue scale = scale_to_json(made_up::context("scale"), made_up::curve());
  REQUIRE(flat.rows.size() == scale.at("points").elements().size());
  for (std::size_t c = 0; c < flat.columns.size(); ++c) {
    if (flat.columns[c].key == "step_time_s")
      CHECK(flat.rows[6][c].number == scale.at("points").elements()[6].at("step_time_s").as_number());
    if (flat.columns[c].key == "tensor") CHECK(flat.rows[6][c].count == 8);
  }
}
