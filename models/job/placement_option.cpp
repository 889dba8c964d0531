// SPDX-License-Identifier: Apache-2.0
#include "models/job/placement_option.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <utility>

#include "models/job/configs_directory.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/json_reader.hpp"
#include "sim/sha256.hpp"

namespace clusterwright {

namespace {

/// Numbers of nodes in a file, in any layout: "[0, 4, 8]" or one in each line.
JsonValue node_list(const std::string& file, std::vector<InputFile>& inputs) {
  JsonValue nodes = JsonValue::list();
  constexpr std::size_t most_bytes = 4'000'000;
  const auto source = read_source(named_file(file, {}).lexically_normal(), most_bytes);
  inputs.push_back({source->name(), sha256(source->text())});
  std::string number;
  const auto end_number = [&] {
    if (!number.empty()) nodes.push_back(static_cast<std::int64_t>(std::stoll(number)));
    number.clear();
  };
  for (const char c : source->text()) {
    if (std::isdigit(static_cast<unsigned char>(c)) && number.size() < 9) {
      number.push_back(c);
      continue;
    }
    end_number();
    if (std::string_view("[], \t\r\n").find(c) == std::string_view::npos)
      throw ConfigError({Diagnostic{"E0335",
                                    fmt::format("\"{}\" is no list of nodes (found \"{}\")", file, c),
                                    {option_place("--placement", file)},
                                    "",
                                    "write numbers of nodes in rank order: 0 4 8; or name packed, scattered or "
                                    "shuffled"}});
  }
  end_number();
  return nodes;
}

}  // namespace

void set_placement(JsonValue& scenario, const std::string& placement, std::vector<InputFile>& inputs) {
  JsonValue* job = scenario.find("job");
  if (placement.empty() || !job) return;
  JsonValue spec = job->find("placement") ? *job->find("placement") : JsonValue::object({});
  const bool order = placement == "packed" || placement == "scattered" || placement == "shuffled";
  spec.set("order", order ? placement : "packed");
  spec.set("nodes", order ? JsonValue::list() : node_list(placement, inputs));
  job->set("placement", std::move(spec));
}

}  // namespace clusterwright
