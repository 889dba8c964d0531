// SPDX-License-Identifier: Apache-2.0
#include "models/job/placement_option.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "models/job/configs_directory.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/json_reader.hpp"
#include "sim/sha256.hpp"

namespace clusterwright {

namespace {

constexpr const char* placement_help =
    "name packed, scattered or shuffled, or a file with numbers of nodes in rank order: 0 4 8";

[[noreturn]] void refuse_file(std::string code, const std::string& file, const std::string& what) {
  throw ConfigError({Diagnostic{
      std::move(code), fmt::format("\"{}\" {}", file, what), {option_place("--placement", file)}, "", placement_help}});
}

/// A value with the place of the option that gives it.
JsonValue given(JsonValue value, const std::string& option) {
  const Place place = option_place("--placement", option);
  value.source = place.source;
  value.length = place.length;
  return value;
}

/// Numbers of nodes in a file, in any layout: "[0, 4, 8]" or one in each line.
JsonValue node_list(const std::string& file, std::vector<InputFile>& inputs) {
  constexpr std::size_t most_bytes = 4'000'000, most_digits = 9;
  const std::filesystem::path path = named_file(file, {}).lexically_normal();
  if (file != "-" && !std::filesystem::exists(path)) refuse_file("E0401", file, "is no order of nodes, and no file");
  const auto source = read_source(path, most_bytes);
  inputs.push_back({source->name(), sha256(source->text())});
  JsonValue nodes = JsonValue::list();
  std::string number;
  const auto end_number = [&] {
    if (number.size() > most_digits) refuse_file("E0335", file, fmt::format("is no list of nodes (found {})", number));
    if (!number.empty()) nodes.push_back(given(static_cast<std::int64_t>(std::stoll(number)), file));
    number.clear();
  };
  for (const char c : source->text()) {
    if (std::isdigit(static_cast<unsigned char>(c)) && number.size() <= most_digits) {
      number.push_back(c);
      continue;
    }
    end_number();
    if (std::string_view("[], \t\r\n").find(c) == std::string_view::npos)
      refuse_file("E0335", file, fmt::format("is no list of nodes (found \"{}\")", c));
  }
  end_number();
  if (nodes.elements().empty()) refuse_file("E0335", file, "holds no numbers of nodes");
  return nodes;
}

}  // namespace

void set_placement(JsonValue& scenario, const std::string& placement, std::vector<InputFile>& inputs) {
  JsonValue* job = scenario.find("job");
  if (placement.empty() || !job) return;
  JsonValue spec = given(job->find("placement") ? *job->find("placement") : JsonValue::object({}), placement);
  const bool order = placement == "packed" || placement == "scattered" || placement == "shuffled";
  spec.set("order", given(order ? placement : "packed", placement));
  spec.set("nodes", given(order ? JsonValue::list() : node_list(placement, inputs), placement));
  job->set("placement", std::move(spec));
}

}  // namespace clusterwright
