// SPDX-License-Identifier: Apache-2.0
// Every command on every shipped file: an answer, or a refusal that is listed here with its reason.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright::testing;
namespace fs = std::filesystem;

namespace {

/// Command line in which FILE stands for the file.
struct Asked {
  const char* name;
  const char* words;
  std::set<std::string> folders;  ///< kinds of files that it reads; others are refused
};

const std::set<std::string> described = {"scenarios", "clusters"};
const std::set<std::string> all = {"scenarios", "clusters", "transformers", "stacks",     "parameters", "parts",
                                   "steps",     "prices",   "facilities",   "blueprints", "designs"};

const std::vector<Asked> commands = {
    {"run", "run FILE", {"scenarios"}},
    {"size", "size FILE", {"scenarios", "clusters"}},
    {"collective", "collective FILE --bytes 1M", {"scenarios", "clusters", "blueprints", "designs"}},
    {"topology", "show FILE --topology", {"scenarios", "clusters", "blueprints", "designs"}},
    {"audit", "audit FILE", {"blueprints", "designs"}},
    {"check", "check FILE", all},
    {"show", "show FILE", all},
};

struct Refusal {
  int code;
  std::string words;   ///< that the output holds
  std::string reason;  ///< for readers of this list
};

const Refusal unplaced{2, "error[E0350]", "cards at home stand in no rack"};
const Refusal several_sites{2, "error[E0357]", "each site is planned by itself"};
const Refusal several_kinds{2, "error[E0324]", "a hall is planned for nodes of one kind"};
const Refusal claims_fail{1, " no\n", "a blueprint with claims that do not hold"};

/// By command and file.
const std::map<std::pair<std::string, std::string>, Refusal> refusals = {
    {{"size", "clusters/consumer-gpus-80-places"}, unplaced},
    {{"size", "clusters/consumer-gpus-wan"}, unplaced},
    {{"size", "clusters/h100-2-sites"}, several_sites},
    {{"size", "scenarios/nemotron-4-340b-two-sites"}, several_sites},
    {{"size", "scenarios/llama3-70b-consumer-wan"}, unplaced},
    {{"size", "scenarios/llama3-70b-mixed"}, several_kinds},
    {{"audit", "blueprints/dense-500b-1200-h100"}, claims_fail},
};

struct Shipped {
  std::string folder, name;  ///< "clusters", "clusters/frontier"
  fs::path path;
};

std::vector<Shipped> shipped_files() {
  std::vector<Shipped> out;
  for (const std::string& folder : all)
    for (const auto& entry : fs::directory_iterator(fs::path(CLUSTERWRIGHT_CONFIGS) / folder))
      if (entry.path().extension() == ".json")
        out.push_back({folder, folder + "/" + entry.path().stem().string(), entry.path()});
  std::sort(out.begin(), out.end(), [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
  return out;
}

std::string line_of(const Asked& asked, const fs::path& file) {
  std::string words = asked.words;
  return words.replace(words.find("FILE"), 4, "'" + file.string() + "'");
}

Refusal expected(const Asked& asked, const Shipped& file) {
  const auto listed = refusals.find({asked.name, file.name});
  if (listed != refusals.end()) return listed->second;
  if (asked.folders.contains(file.folder)) return {0, "", "an answer"};
  const bool takes_models = std::string(asked.name) == "run" || std::string(asked.name) == "size";
  if (takes_models && file.folder == "transformers") return {2, "error[E0404]", "a model alone names no machine"};
  return {2, "error[E0105]", "a file of another kind"};
}

}  // namespace

TEST_CASE("every command answers for every shipped file, or refuses it for a listed reason", "[tools]") {
  const ProgramRoom room;
  std::set<std::pair<std::string, std::string>> met;
  for (const Shipped& file : shipped_files())
    for (const Asked& asked : commands) {
      const Outcome outcome = room.run(line_of(asked, file.path));
      const Refusal wanted = expected(asked, file);
      INFO(asked.name << " " << file.name << ": " << wanted.reason << "\n" << outcome.err.substr(0, 400));
      CHECK(outcome.code == wanted.code);
      CHECK(has(outcome.out + outcome.err, wanted.words));
      met.insert({asked.name, file.name});
    }
  for (const auto& [key, refusal] : refusals) {
    INFO(key.first << " " << key.second << " is listed, and no such file is shipped");
    CHECK(met.contains(key));
  }
}
