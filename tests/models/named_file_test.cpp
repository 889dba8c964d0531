// SPDX-License-Identifier: Apache-2.0
// Names of shipped files, settings that name files and numbers, and values that no file states.
#include <string>
#include <vector>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "models/plan/resolve_plan.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

template <class Work>
Diagnostic first_error(const Work& work) {
  try {
    work();
  } catch (const ConfigError& error) {
    return error.diagnostics().front();
  }
  FAIL("nothing was refused");
  return {};
}

Diagnostic refused_name(const std::string& name, const std::vector<std::string>& folders) {
  return first_error([&] { named_file(name, folders); });
}

Diagnostic refused_setting(const std::string& setting) {
  ScenarioOptions options;
  options.settings = {setting};
  return first_error([&] { load_scenario(configs_directory() / "scenarios" / "llama3-8b-h100-64.json", options); });
}

}  // namespace

TEST_CASE("a name without a file suggests the nearest shipped one", "[models][files]") {
  const Diagnostic error = refused_name("llama-70b", {"scenarios", "transformers"});
  CHECK(error.code == "E0401");
  CHECK(error.message == "no such file");
  CHECK(error.places.front().source->name() == "llama-70b");
  CHECK(error.help == "did you mean \"llama3-70b\"?");
  CHECK(refused_name("h100-superpo", {"clusters"}).help == "did you mean \"h100-superpod\"?");
  CHECK(refused_name("nothing-of-this", {"clusters"}).help.empty());
}

TEST_CASE("a name of another kind says which kind it is", "[models][files]") {
  const Diagnostic cluster = refused_name("h100-superpod", {"scenarios", "transformers"});
  CHECK(cluster.code == "E0401");
  CHECK(cluster.help ==
        "\"h100-superpod\" is a cluster, and a scenario or a model is read here; a scenario takes it with --set "
        "cluster=h100-superpod");
  CHECK(refused_name("llama3-70b", {"clusters", "scenarios"}).help ==
        "\"llama3-70b\" is a model, and a cluster or a scenario is read here");
}

TEST_CASE("a path, and a text of no folder, is left to whoever reads it", "[models][files]") {
  CHECK(named_file("none.json", {"scenarios"}) == "none.json");
  CHECK(named_file("./none", {"scenarios"}) == "./none");
  CHECK(named_file("-", {"scenarios"}) == "-");
  CHECK(named_file("none", {}) == "none");
  CHECK(path_of_name("none", {"scenarios"}) == "none");
  CHECK(named_file("llama3-70b", {"scenarios", "transformers"}) ==
        configs_directory() / "transformers" / "llama3-70b.json");
}

TEST_CASE("a setting that names no file points at the name", "[models][files]") {
  const Diagnostic error = refused_setting("cluster=h100-superpo");
  CHECK(error.code == "E0401");
  CHECK(error.message == "no such file: h100-superpo");
  CHECK(error.places.front().source->name() == "--set cluster");
  CHECK(error.help == "did you mean \"h100-superpod\"?");
}

TEST_CASE("a number with a suffix says how a setting writes it", "[models][files]") {
  const Diagnostic error = refused_setting("job.tokens=15T");
  CHECK(error.code == "E0201");
  CHECK(error.message == "tokens must be a plain number (got \"15T\")");
  CHECK(error.help == "write 15e12");
  CHECK(refused_setting("job.tokens=1.5B").help == "write 1.5e9");
  CHECK(refused_setting("cluster.accelerators=16k").help == "write 16e3");
  CHECK(refused_setting("job.tokens=T").help.empty());
  CHECK(refused_setting("job.tokens=1.T").help.empty());   // no number in JSON
  CHECK(refused_setting("job.tokens=15 T").help.empty());  // neither a number nor one with a suffix
}

TEST_CASE("a batch that replicas do not divide names the nearest ones that they do", "[models][files]") {
  ScenarioOptions options;
  options.node = "DGX H100";
  options.accelerators = 1048;  // 2^3 * 131: no power of two is a multiple
  options.settings = {"job.parallel.tensor=8", "job.parallel.pipeline=1"};
  const JsonValue usual = pretraining_of(configs_directory() / "transformers" / "llama3-8b.json", 0);
  const Diagnostic error = first_error([&] { resolve_plan(scenario_of_document(usual, options)); });
  CHECK(error.code == "E0312");
  // 131 replicas: 15 x 131 = 1,965 and 16 x 131 = 2,096 are nearest to 2,048.
  const std::string nearest = "set what suits the machine: --set job.global_batch=1965 or --set job.global_batch=2096";
  CHECK(error.help == nearest);
  options.settings.emplace_back("job.micro_batch=2");  // 262 at once: 7 x 262 = 1,834
  CHECK(first_error([&] { resolve_plan(scenario_of_document(usual, options)); }).help ==
        "set what suits the machine: --set job.global_batch=1834 or --set job.global_batch=2096, or a smaller "
        "job.micro_batch");
  options.settings = {"job.parallel.tensor=8", "job.parallel.pipeline=1", "job.global_batch=100"};
  CHECK(first_error([&] { resolve_plan(scenario_of_document(usual, options)); }).help ==
        "set what suits the machine: --set job.global_batch=131");
}
