// SPDX-License-Identifier: Apache-2.0
// Rules that hold for every prediction of a measurement, and a fixed tenth of the set that guards against regressions.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/validation/validate_case.hpp"
#include "calibration/validation/validation_summary.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/relabelled.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::filesystem::path folder = CLUSTERWRIGHT_MEASUREMENTS;

const ValidationContext& context() {
  static const ValidationContext shared = validation_context(load_shelf(CLUSTERWRIGHT_CONFIGS));
  return shared;
}

/// Every tenth scored case of each file of kinds that there are models for, by position.
const std::vector<Measurement>& every_tenth() {
  static const std::vector<Measurement> chosen = [] {
    std::vector<Measurement> out;
    for (const char* name :
         {"training-nvidia-ampere", "training-nvidia-hopper", "training-nvidia-blackwell", "training-vtrain-a100",
          "training-tpu", "gemm", "memory-bandwidth", "attention", "collectives", "memory-footprint", "power"}) {
      std::size_t scored = 0;
      for (const Measurement& one : read_measurements(folder / (std::string(name) + ".json")))
        if (one.scored && scored++ % 10 == 0) out.push_back(one);
    }
    return out;
  }();
  return chosen;
}

const std::vector<CaseResult>& tenth_results() {
  static const std::vector<CaseResult> results = [] {
    std::vector<CaseResult> out;
    for (const Measurement& one : every_tenth()) out.push_back(validate_case(one, context()));
    return out;
  }();
  return results;
}

void check_same_prediction(const CaseResult& a, const CaseResult& b) {
  INFO(a.id << ": " << a.reason);
  CHECK(a.status == b.status);
  CHECK(a.reason == b.reason);
  CHECK(a.predicted == b.predicted);
  CHECK(a.low == b.low);
  CHECK(a.high == b.high);
}

const ErrorFigures& named(const std::vector<ErrorFigures>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const ErrorFigures& one) { return one.name == name; });
  REQUIRE(at != all.end());
  return *at;
}

struct Bound {
  const char* kind;
  double median, p90, coverage, in_interval;
};

}  // namespace

TEST_CASE("ids, names, sources and families change no prediction of any kind", "[validation]") {
  const std::vector<Measurement> others = relabelled(every_tenth());
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < others.size(); i += 2) {  // half of them: two predictions each
    const CaseResult result = validate_case(others[i], context());
    check_same_prediction(tenth_results()[i], result);
    if (result.status == CaseStatus::ok) kinds.insert(result.kind);
  }
  CHECK(kinds.size() >= 5);
}

TEST_CASE("what was measured changes no prediction of any kind", "[validation]") {
  for (std::size_t i = 1; i < every_tenth().size(); i += 2)
    check_same_prediction(tenth_results()[i], validate_case(with_other_answers(every_tenth()[i]), context()));
}

TEST_CASE("a case that contradicts itself is infeasible, and says why", "[validation]") {
  const auto published = read_measurements(folder / "training-vtrain-a100.json");
  const auto step = std::find_if(published.begin(), published.end(), [](const Measurement& m) { return m.scored; });
  Measurement odd = *step;
  odd.step->job.tensor = 3;
  const CaseResult result = validate_case(odd, context());
  CHECK(result.status == CaseStatus::infeasible);
  CHECK_FALSE(result.reason.empty());
  CHECK(result.predicted.empty());
}

TEST_CASE("fields that had to be chosen are named with what was chosen", "[validation]") {
  for (std::size_t i = 0; i < every_tenth().size(); ++i) {
    const CaseResult& result = tenth_results()[i];
    if (!result.step) continue;
    INFO(result.id << ": " << result.reason);
    for (const std::string& field : fields_to_choose(every_tenth()[i])) {
      const std::size_t at = result.reason.find(field + " not published, chose ");
      REQUIRE(at != std::string::npos);
      const char first = result.reason[at + field.size() + 22];
      CHECK((first != ';' && first != ' '));
    }
    CHECK(result.known == fields_to_choose(every_tenth()[i]).empty());
  }
}

// Upper bounds a little above what a tenth of the set showed when this was written; docs/validation.md holds the whole.
TEST_CASE("a tenth of the measurements is predicted as well as before", "[validation]") {
  const ValidationSummary summary = summarise(every_tenth(), tenth_results(), context().shelf);
  std::string table;
  for (const ErrorFigures& f : summary.kinds)
    table += fmt::format("{:16} {:4} coverage {:.2f} median {:.3f} p90 {:.3f} inside {:.2f}\n", f.name, f.n, f.coverage,
                         f.median_abs_log, f.p90_abs_log, f.in_interval);
  INFO(table);
  for (const Bound& bound : {Bound{"training_step", 0.10, 0.30, 0.92, 0.80}, Bound{"gemm", 0.05, 0.16, 1, 0.85},
                             Bound{"collective", 0.08, 0.55, 1, 0.85}, Bound{"memory_bandwidth", 0.03, 0.05, 1, 0.85},
                             Bound{"memory_footprint", 0.06, 0.15, 1, 0.5}}) {
    INFO(bound.kind);
    const ErrorFigures& f = named(summary.kinds, bound.kind);
    CHECK(f.coverage >= bound.coverage);
    CHECK(f.median_abs_log <= bound.median);
    CHECK(f.p90_abs_log <= bound.p90);
    CHECK(f.in_interval >= bound.in_interval);
  }
  CHECK(summary.parameters_used > 0);
}
