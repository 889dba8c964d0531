// SPDX-License-Identifier: Apache-2.0
#include "tools/output/prediction_report.hpp"

#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/made_up_predictions.hpp"
#include "support/times_in.hpp"

using namespace clusterwright;

TEST_CASE("a report is one page without script, address or request", "[tools]") {
  const std::string page = html_report(made_up::context("scale"), made_up::curve());
  CHECK(times_in(page, "<script") == 0);
  CHECK(times_in(page, "http") == 1);  // the http-equiv of the policy itself
  CHECK(times_in(page, "url(") == 0);
  CHECK(times_in(page, "@import") == 0);
  CHECK(times_in(page, "default-src 'none'; style-src 'unsafe-inline'") == 1);
}

TEST_CASE("every chart says in words what it shows, at both widths", "[tools]") {
  const std::string page = html_report(made_up::context("scale"), made_up::curve());
  CHECK(times_in(page, "role=\"img\"") == 4);  // efficiency and breakdown, wide and narrow
  CHECK(times_in(page, "<title id=") == 4);
  CHECK(times_in(page, "<desc id=") == 4);
  CHECK(times_in(page, "Efficiency goes from 100.0 % at 1,024 GPUs") >= 2);
}

TEST_CASE("the page of one step has no efficiency curve", "[tools]") {
  ScaleCurve one;
  one.points.push_back({made_up::step(16384), 1, 1, 1, 1, ""});
  const std::string page = html_report(made_up::context("run"), one);
  CHECK(times_in(page, "role=\"img\"") == 2);
  CHECK(times_in(page, "16,384 \xc3\x97 H100-SXM") >= 1);
}

TEST_CASE("hostile names stay text everywhere on the page", "[tools]") {
  const std::string attack = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\033[0m";
  ResultContext context = made_up::context("scale");
  ScaleCurve curve = made_up::curve();
  context.transformer = context.accelerator = context.cluster = context.job = context.command_line = attack;
  context.inputs[0].path = attack;
  context.scenario.set(attack, attack);
  for (ScalePoint& point : curve.points) {
    point.step.verdict = point.step.bottleneck = attack;
    for (Assumption& a : point.step.assumptions) a.what = a.value = a.origin = a.why = attack;
  }
  curve.points[0].reason = attack;
  const std::string page = html_report(context, curve);
  CHECK(times_in(page, "<script") == 0);
  CHECK(times_in(page, "<img") == 0);
  CHECK(page.find('\033') == std::string::npos);
}

TEST_CASE("a curve without any possible size is still a page", "[tools]") {
  ScaleCurve curve = made_up::curve();
  curve.points.resize(1);
  curve.knee.reset();
  CHECK(html_report(made_up::context("scale"), curve).find("None of these sizes is possible.") != std::string::npos);
}
