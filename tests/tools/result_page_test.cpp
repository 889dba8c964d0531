// SPDX-License-Identifier: Apache-2.0
// docs/results.md against the keys that `run` and `scale` write.
#include <regex>
#include <set>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Keys that hold a whole document, or an object that needs a hall with a budget.
const std::set<std::string> whole = {"scenario", "power.budget"};

std::string below(const std::string& path, const std::string& key) {
  const std::string name = path == "memory_tiers_gb" ? "LEVEL" : key;
  return path.empty() ? name : path + "." + name;
}

/// Paths of all members without members: "plan.tensor", "inputs[].path"; null objects count as such.
void add_keys(const JsonValue& value, const std::string& path, std::set<std::string>& out) {
  const bool object = value.is(JsonKind::object) && !value.members().empty();
  const bool objects =
      value.is(JsonKind::list) && !value.elements().empty() && value.elements().front().is(JsonKind::object);
  if (whole.contains(path) || (!object && !objects)) {
    out.insert(path);
    return;
  }
  for (const auto& [key, member] : value.members()) add_keys(member, below(path, key), out);
  for (const JsonValue& element : value.elements()) add_keys(element, path + "[]", out);
}

/// Keys of results in which every optional part is there at least once. Points of a curve are steps.
std::set<std::string> written_keys() {
  const ProgramRoom room;
  const std::string shipped = CLUSTERWRIGHT_CONFIGS "/scenarios/";
  const std::string small = shipped + "llama3-8b-single-node.json";
  std::set<std::string> out;
  for (const std::string& arguments :
       {"run " + shipped + "multimodal-8b-loader-bound.json", "run " + shipped + "llama3-70b-mixed.json",
        "run " + small + " --unfold --advise --parameters generic --set job.steps=1000",
        "run " + shipped + "llama3-8b-h100-64.json --blast-radius --cap 500W",
        "run " + shipped + "llama3-8b-h100-64.json --beside " + small,
        "run " + shipped + "llama3-8b-h100-64.json --samples 2 --slow gpu:3%",
        "scale " + shipped + "llama3-8b-h100-64.json --gpus 32,64"}) {
    const Outcome outcome = room.run(arguments + " --quiet --format json");
    INFO("clusterwright " << arguments << "\n" << outcome.err);
    REQUIRE(outcome.code == 0);
    add_keys(outcome.json(), "", out);
  }
  return out;
}

/// Keys in the first column of the page's tables.
std::set<std::string> described_keys() {
  std::istringstream page(content(CLUSTERWRIGHT_CONFIGS "/../docs/results.md"));
  const std::regex key("`([^`]+)`");
  std::set<std::string> out;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(0, line.find(" | "));
    for (std::sregex_iterator it(first.begin(), first.end(), key), end; it != end; ++it) out.insert((*it)[1]);
  }
  return out;
}

bool has_below(const std::set<std::string>& keys, const std::string& path) {
  const auto next = keys.upper_bound(path);
  return std::any_of(next, keys.end(), [&](const std::string& key) {
    return key.starts_with(path + ".") || key.starts_with(path + "[]");
  });
}

}  // namespace

TEST_CASE("docs/results.md has every key that run and scale write, and no other", "[cli][docs]") {
  const std::set<std::string> described = described_keys(), written = written_keys();
  const std::string point = "points[].";
  for (const std::string& key : written) {
    const std::string step = key.starts_with(point) ? key.substr(point.size()) : key;
    INFO(key);
    CHECK((described.contains(key) || described.contains(step) || has_below(described, step)));
  }
  for (const std::string& key : described) {
    INFO(key);
    CHECK((written.contains(key) || has_below(written, key)));
  }
}
