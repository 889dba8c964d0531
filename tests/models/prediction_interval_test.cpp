// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/prediction_interval.hpp"

#include <cmath>

#include "models/prediction/evidence.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/ratio_error.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Shipped step calibration without fitted factors, so that only residuals act.
Scenario job_of(const SmallCase& c) {
  Scenario s = small_scenario(c);
  s.steps.residuals.own.value = 0.05;
  s.steps.residuals.layout.value = 0.06;
  s.steps.residuals.size.value = 0.02;
  s.steps.residuals.known.value = s.steps.residuals.unknown.value = 0.2;
  s.steps.fitted.clear();
  s.steps.covariance.clear();
  return s;
}

double sigma(const StepUncertainty& a, const StepUncertainty& b, const Scenario& s) {
  const RatioError error = ratio_error(a, b, s.steps);
  CHECK(error.faster <= error.slower);
  return error.faster;
}

}  // namespace

TEST_CASE("the ratio of two steps has the part that sizes, layouts or jobs do not share", "[models]") {
  SmallCase c;
  c.data = 8;
  const Scenario first = job_of(c);
  const StepUncertainty a = predict_step(first).uncertainty;
  c.data = 4;
  const StepUncertainty smaller = predict_step(job_of(c)).uncertainty;
  c.tensor = 2;
  const StepUncertainty other_layout = predict_step(job_of(c)).uncertainty;
  c.hidden *= 2;
  const StepUncertainty other_model = predict_step(job_of(c)).uncertainty;
  CHECK(sigma(a, smaller, first) >= std::sqrt(2.0) * 0.02);
  CHECK(sigma(a, smaller, first) < std::sqrt(2.0) * 0.05);
  CHECK(a.work == other_layout.work);
  CHECK(a.job != other_layout.job);
  CHECK(sigma(a, other_layout, first) >= std::sqrt(2.0) * 0.06);
  CHECK(a.work != other_model.work);
  CHECK(sigma(a, other_layout, first) > sigma(a, smaller, first));
  Scenario unknown = first;
  unknown.steps.residuals.layout.value = 0;  // a calibration from before: as the part of a job
  CHECK(predict_step(unknown).uncertainty.layout == predict_step(unknown).uncertainty.own);
}

TEST_CASE("two contents or dates of one stack are two jobs", "[models]") {
  SmallCase c;
  c.data = 8;
  const Scenario s = job_of(c);
  Scenario other_kernels = s, other_date = s;
  other_kernels.stack.kernels.fused_attention = !s.stack.kernels.fused_attention;
  other_date.job.release = {2021, 5, 0};
  const StepUncertainty a = predict_step(s).uncertainty;
  for (const Scenario* other : {&other_kernels, &other_date}) {
    const StepUncertainty b = predict_step(*other).uncertainty;
    CHECK(a.work != b.work);
    CHECK(a.job != b.job);
    CHECK(sigma(a, b, s) >= std::sqrt(2.0) * 0.05);
  }
  CHECK(a.job == predict_step(s).uncertainty.job);
}

TEST_CASE("an approximate folding widens the interval, also against another such step", "[models]") {
  const Scenario even = job_of(two_stages_over_leaves());
  Scenario hashed = even;
  hashed.cluster.spec.fabric.routing = Routing::hash;
  hashed.cluster = resized(hashed.cluster, hashed.cluster.spec.accelerators);
  CHECK(folds_exactly(even, plan_of(even)));
  CHECK_FALSE(folds_exactly(hashed, plan_of(hashed)));
  const StepUncertainty exact = predict_step(even).uncertainty, folded = predict_step(hashed).uncertainty;
  CHECK(exact.folding == 0);
  CHECK(folded.folding > 0);
  CHECK(folded.sigma > exact.sigma);
  CHECK(sigma(folded, folded, even) == Approx(std::hypot(sigma(exact, exact, even), std::sqrt(2.0) * folded.folding)));
}

TEST_CASE("few measured steps leave a part of the error of an unmeasured accelerator", "[models]") {
  Scenario s = job_of(SmallCase{});
  s.steps.residuals.accelerator.value = 0.1;
  s.steps.residuals.generation.value = 0.2;
  const std::string part = s.cluster.accelerator.id, architecture = step_architecture(s.cluster.accelerator);
  s.steps.accelerators = {part};
  const auto variance = [&](double of_part, double of_architecture) {
    s.steps.measured_steps = {{part, of_part}, {architecture, of_architecture}};
    const double sigma = predict_step(s).uncertainty.sigma;
    return sigma * sigma;
  };
  const double many = variance(1e6, 1e6);
  // Eight of all others against eight own ones: half of the variance is left.
  CHECK(variance(8, 1e6) - many == Approx(0.1 * 0.1 / 2).epsilon(1e-3));
  CHECK(variance(1e6, 8) - many == Approx((0.2 * 0.2 - 0.1 * 0.1) / 2).epsilon(1e-3));
  CHECK(variance(2, 5) > variance(5, 5));
  s.steps.measured_steps.clear();
  const double unstated = predict_step(s).uncertainty.sigma;
  CHECK(unstated * unstated == Approx(many).epsilon(1e-3));
}

TEST_CASE("a prediction says that only few steps of its architecture were measured", "[models]") {
  Scenario s = job_of(SmallCase{});
  const std::string part = s.cluster.accelerator.id, architecture = step_architecture(s.cluster.accelerator);
  s.steps.accelerators = {part};
  const auto said = [&](double steps) {
    s.steps.measured_steps = {{part, steps}, {architecture, steps}};
    return evidence_warnings(s, 0.1);
  };
  REQUIRE(said(3).size() == said(8).size() + 1);
  CHECK(said(3).front() == "only 3 published steps of " + architecture +
                               " are in the calibration; 90 % interval of the step time -15/+18 %");
  CHECK(said(1).front().starts_with("only 1 published step of "));
}
