// SPDX-License-Identifier: Apache-2.0
// What is known of parts, stacks, dates and parameters: names change nothing, and whatever is less certain makes the
// interval wider.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "models/job/calibration_check.hpp"
#include "models/job/parameter_choice.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/parameter_error.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Scenario shipped(const std::string& name, std::vector<std::string> settings = {}) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  return load_scenario(configs / "scenarios" / (name + ".json"), {std::move(settings), {}});
}

StepPrediction predicted(const std::string& name, std::vector<std::string> settings = {}) {
  return predict_step(shipped(name, std::move(settings)));
}

double sigma(const Scenario& scenario) {
  return predict_step(scenario).uncertainty.sigma;
}

/// Own accelerator of the cluster, like an H100, with one field changed.
std::vector<std::string> like_h100(const std::string& change) {
  return {R"(cluster.parts={"accelerators":[{"id":"Mine","like":"H100-SXM")" + change + "}]}",
          "cluster.node.accelerator=Mine"};
}

std::string code_of(const std::function<void()>& load) {
  try {
    load();
  } catch (const ConfigError& error) {
    return error.diagnostics()[0].code;
  }
  return {};
}

bool warns(const StepPrediction& step, const std::string& words) {
  return std::any_of(step.warnings.begin(), step.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

SoftwareStack shipped_stack(const std::string& name) {
  return decode_record<SoftwareStack>(read_json_file(configs / "stacks" / (name + ".json")));
}

/// Scenario under a stack of the user's own.
Scenario under(const SoftwareStack& stack) {
  const auto path =
      std::filesystem::temp_directory_path() / ("clusterwright-stack-" + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << write_json(encode_record(stack));
  Scenario scenario = shipped("llama3-8b-h100-64", {"job.stack=" + path.string()});
  std::filesystem::remove(path);
  return scenario;
}

constexpr auto small = "llama3-8b-h100-64";

}  // namespace

TEST_CASE("new names of cluster, accelerator and stack change nothing", "[laws][evidence]") {
  const StepPrediction plain = predicted(small);
  const StepPrediction cluster = predicted(small, {"cluster.name=elsewhere"});
  const StepPrediction part = predicted(small, like_h100(""));
  SoftwareStack stack = shipped_stack("torchtitan-2024");
  stack.name = "zzz";
  stack.source = "mine";
  stack.layouts.reset();  // what a search may try, not what a step does
  const StepPrediction renamed = predict_step(under(stack));
  for (const StepPrediction* other : {&cluster, &part, &renamed}) {
    CHECK(other->step_time == plain.step_time);
    CHECK(other->low == plain.low);
    CHECK(other->high == plain.high);
    CHECK(other->warnings == plain.warnings);
  }
}

TEST_CASE("a part that is like another one keeps its parameters and scales with its data sheet", "[laws][evidence]") {
  Scenario capped = shipped("llama3-70b-h100");
  capped.cluster.accelerator.power.value = 411 * watt;
  const StepPrediction by_hand = predict_step(capped);
  const StepPrediction own = predicted("llama3-70b-h100", like_h100(R"(,"power_w":411)"));
  CHECK(own.step_time == by_hand.step_time);
  CHECK(warns(own, "takes its parameters from H100-SXM, from which its data sheet differs: power 411 W (700)"));
  // A cap makes the step longer, and the further it lies from 700 W the less certain.
  const StepPrediction plain = predicted("llama3-70b-h100");
  CHECK(plain.warnings.size() == 1);
  CHECK(warns(plain, "the fabric does not state its routing"));
  double width = plain.uncertainty.sigma, time = plain.step_time.in(second);
  for (const char* watts : {"600", "500", "411", "300"}) {
    const StepPrediction step = predicted("llama3-70b-h100", like_h100(std::string(",\"power_w\":") + watts));
    CHECK(step.uncertainty.sigma > width);
    CHECK(step.step_time.in(second) > time);
    width = step.uncertainty.sigma;
    time = step.step_time.in(second);
  }
  CHECK(code_of([] {
          predicted(small, {R"(cluster.parts={"accelerators":[{"id":"Mine","like":"H100"}]})",
                            "cluster.node.accelerator=Mine"});
        }) == "E0203");
}

TEST_CASE("the distance of two data sheets counts ratios", "[laws][evidence]") {
  AcceleratorPart a, b;
  a.power.value = b.power.value = 700 * watt;
  CHECK(data_sheet_distance(a, b) == 0);
  b.power.value = 350 * watt;
  CHECK(data_sheet_distance(a, b) == Approx(std::log(2)));
  a.memory_bandwidth.value = 1 * gigabyte_per_second;
  b.memory_bandwidth.value = 2 * gigabyte_per_second;
  CHECK(data_sheet_distance(a, b) == Approx(std::sqrt(2) * std::log(2)));
  CHECK(data_sheet_distance(b, a) == data_sheet_distance(a, b));
}

TEST_CASE("parameters of another accelerator are refused", "[laws][evidence]") {
  const auto with = [](const char* file) {
    ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
    return code_of([&] {
      load_scenario(configs / "scenarios" / "llama3-8b-h100-64.json", {{}, configs / "parameters" / file});
    });
  };
  CHECK(with("a100-80-sxm.json") == "E0340");
  CHECK(with("h200.json") == "E0340");  // H100 has a set of its own
  CHECK(with("h100-sxm.json").empty());
  CHECK(with("generic.json").empty());
  CHECK(code_of([] { shipped(small, {"parameters=b200"}); }) == "E0340");
  // The shipped set of H800 is that of H100.
  const Catalog catalog = load_catalog(configs / "parts");
  const AcceleratorPart* h800 = catalog.find_accelerator("H800");
  REQUIRE(h800);
  CHECK(parameter_file(*h800).filename() == "h100-sxm.json");
}

TEST_CASE("a stack without measured steps is as uncertain as the measured ones together", "[laws][evidence]") {
  const StepCalibration steps = shipped(small).steps;
  SoftwareStack stack = shipped_stack("torchtitan-2024");
  stack.calibrated = "";
  const StepPrediction unknown = predict_step(under(stack));
  CHECK(warns(unknown, "no published step of the stack \"torchtitan-2024\" is in the calibration"));
  CHECK(unknown.uncertainty.sigma > steps.residuals.known.value);
  // Its steps err like those of a stack drawn by chance: wider than most, but not than stacks known for their scatter.
  int narrower = 0, all = 0;
  for (const auto& [name, entry] : steps.stacks) {
    if (name == other_entry) continue;
    stack.calibrated = name;
    ++all;
    narrower += sigma(under(stack)) < unknown.uncertainty.sigma;
  }
  CHECK(narrower > all / 2);
  stack.calibrated = "nope";
  CHECK(code_of([&] { under(stack); }) == "E0203");
}

TEST_CASE("a stack that differs from those of its entry is wider, and says so", "[laws][evidence]") {
  const StepPrediction plain = predicted(small);
  SoftwareStack stack = shipped_stack("torchtitan-2024");
  stack.prefetched_layers += 1;
  const StepPrediction changed = predict_step(under(stack));
  CHECK(changed.uncertainty.sigma > plain.uncertainty.sigma);
  CHECK(warns(changed, "differs from the stacks that its entry \"torchtitan-2024\" of the calibration describes"));
  CHECK(plain.warnings.empty());
}

TEST_CASE("software progress ends with the measured releases", "[laws][evidence]") {
  const StepCalibration steps = shipped(small).steps;
  const StepPrediction newest = predicted(small, {"job.release=" + steps.newest_release.text()});
  const StepPrediction oldest = predicted(small, {"job.release=" + steps.oldest_release.text()});
  CHECK(newest.step_time < oldest.step_time);
  CHECK(newest.warnings.empty());
  const StepPrediction beyond = predicted(small, {"job.release=2035-12"});
  CHECK(beyond.step_time == newest.step_time);
  CHECK(warns(beyond, "the release 2035-12 is newer than the newest measured one"));
  const StepPrediction before = predicted(small, {"job.release=2017-01"});
  CHECK(before.step_time == oldest.step_time);
  CHECK(warns(before, "the release 2017-01 is older than the oldest measured one"));
}

TEST_CASE("a part without measurements is marked, and wider than a measured one on the same job", "[laws][evidence]") {
  CHECK(predicted(small, {"cluster.node.part=DGX H200"}).warnings.empty());
  // Same architecture, same vendor, neither: ever wider.
  Scenario other = shipped(small);
  double width = sigma(other);
  const auto widened = [&](const char* words) {
    const StepPrediction step = predict_step(other);
    CHECK(warns(step, words));
    CHECK(step.uncertainty.sigma > width);
    width = step.uncertainty.sigma;
  };
  other.cluster.accelerator.id = "Mine";
  widened("no published step of Mine is in the calibration; its kernel parameters are those of H100-SXM");
  other.cluster.accelerator.architecture = "Next";
  widened("nor of its architecture");
  other.cluster.accelerator.vendor = "Somebody";
  widened("nor of its vendor");
  other.parameters = decode_record<ParameterSet>(read_json_file(configs / "parameters" / "generic.json"));
  widened("its kernel parameters are generic");
}

TEST_CASE("every standard error of a parameter that moves the step widens its interval", "[laws][evidence]") {
  for (const char* name : {small, "mixtral-8x7b-h100"}) {
    Scenario scenario = shipped(name);
    scenario.cluster.accelerator.power.value = 500 * watt;  // so that power limits the clock
    const StepPrediction plain = predict_step(scenario);
    std::size_t moving = 0;
    for (const char* section : {"gemm/bf16", "attention/", "memory", "collectives/", "network", "power", "step"}) {
      // Gathers over one NIC a GPU do not wait for links inside a node.
      if (name == small && std::string_view(section) == "collectives/") continue;
      INFO(name << " " << section);
      const auto& errors = plain.uncertainty.parameters;
      const auto found = errors.lower_bound(section);
      REQUIRE(found != errors.end());
      CHECK(found->first.starts_with(section));
    }
    const auto raise = [](ParameterSet& set, const std::string& path, double factor) {
      JsonValue document = encode_record(set);
      JsonValue* at = &document;
      std::size_t begin = 0;
      while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        at = at->find(path.substr(begin, end - begin));
        REQUIRE(at);
        begin = end + 1;
      }
      at->set("std_error", factor * at->at("std_error").as_number());
      set = decode_record<ParameterSet>(document);
    };
    for (const auto& [name_of, error] : plain.uncertainty.parameters) {
      const std::string number = name_of;
      INFO(number << " " << error);
      Scenario raised = scenario;
      ++moving;
      if (number == "power/clock_exponent" || number == "power/voltage_floor") {  // of a curve with a bend
        raise(raised.parameters, number, 1.5);
        CHECK(sigma(raised) > plain.uncertainty.sigma);
        continue;
      }
      raise(raised.parameters, number, 10);
      // sigma^2 grows by (10^2 - 1) error^2.
      CHECK(std::pow(sigma(raised), 2) - std::pow(plain.uncertainty.sigma, 2) ==
            Approx(99 * error * error).epsilon(1e-3));
    }
    CHECK(moving >= 15);
  }
}

TEST_CASE("every standard error of a used factor of the step calibration widens the interval", "[laws][evidence]") {
  const Scenario scenario = shipped(small);
  const double plain = sigma(scenario);
  const auto raised = [&](const std::function<Sourced<double>&(StepCalibration&)>& number) {
    Scenario other = scenario;
    Sourced<double>& x = number(other.steps);
    x.std_error = 10 * x.std_error + 0.1;
    return sigma(other);
  };
  const char* entry = "torchtitan-2024";
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.stacks.at(entry).compute; }) > plain);
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.stacks.at(entry).communication; }) > plain);
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.kernel_overhead.at("Hopper"); }) > plain);
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.drift; }) > plain);
  // Factors of other stacks and architectures do not matter.
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.stacks.at("xla-2024").compute; }) == plain);
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.kernel_overhead.at("Ampere"); }) == plain);
  // This model has no experts.
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.expert_kernels; }) == plain);
  CHECK(raised([&](StepCalibration & s) -> auto& { return s.expert_drift; }) == plain);
}

TEST_CASE("parameters without a curve that a job may ask for are refused", "[laws][evidence]") {
  JsonValue document = read_json_file(configs / "parameters" / "h100-sxm.json");
  auto& curves = document.find("collectives")->members();
  std::erase_if(curves, [](const auto& curve) { return curve.first == "all_gather"; });
  CHECK(code_of([&] { decode_record<ParameterSet>(document); }) == "E0104");
}

TEST_CASE("a covariance that is none is refused", "[laws][evidence]") {
  const JsonValue document = read_json_file(configs / "steps" / "published.json");
  const auto steps = decode_record<StepCalibration>(document);
  const auto refused = [&](const std::function<void(StepCalibration&)>& change) {
    StepCalibration other = steps;
    change(other);
    return code_of([&] { check_covariance(other, document); });
  };
  const std::size_t n = steps.fitted.size();
  CHECK(refused([](StepCalibration&) {}).empty());
  CHECK(refused([](StepCalibration& s) { s.covariance.clear(); }) == "E0202");
  CHECK(refused([](StepCalibration& s) { s.covariance = {-1}; }) == "E0202");
  CHECK(refused([](StepCalibration& s) { s.covariance[0] = -1; }) == "E0202");
  CHECK(refused([](StepCalibration& s) { s.covariance[1] += 1e-4; }) == "E0202");                   // not symmetric
  CHECK(refused([&](StepCalibration& s) { s.covariance[1] = s.covariance[n] = 0.5; }) == "E0202");  // beyond 1
  CHECK(refused([](StepCalibration& s) { s.fitted[0] = "compute/nope"; }) == "E0203");
}
