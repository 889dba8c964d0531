// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/check_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "models/kernels/kernel_times.hpp"
#include "sim/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

bool multiplies(const AcceleratorPart& part, Precision format) {
  return peak(part, matrix_format(format)) > FlopsPerSecond{};
}

bool has_format(const AcceleratorPart& part, const ParameterSet& parameters, Precision format) {
  return multiplies(part, format) && gemm_parameters(parameters, format);
}

std::vector<std::string_view> formats_of(const AcceleratorPart& part, const ParameterSet& parameters) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < enum_count<Precision>; ++i)
    if (const auto format = static_cast<Precision>(i); has_format(part, parameters, format))
      out.push_back(enum_name(format));
  return out;
}

void check_format(const Scenario& scenario, const AcceleratorPart& part, const ParameterSet& parameters) {
  const Precision asked = scenario.job.precision;
  const std::vector<std::string_view> formats = formats_of(part, parameters);
  if (has_format(part, parameters, asked) || formats.empty()) return;
  const std::string message =
      multiplies(part, asked)
          ? fmt::format("parameters \"{}\" have no entry for GEMM in {}", parameters.name, enum_name(asked))
          : fmt::format("{} has no rate for GEMM in {}", part.id, enum_name(asked));
  const JsonValue* said = scenario.source.at_pointer("/job/precision");
  throw ConfigError(
      {"E0314", message, said ? std::vector{said->place("/job/precision")} : std::vector<Place>{}, "",
       fmt::format("{} with these parameters has {}: choose one of them as job.precision, or another accelerator",
                   part.id, fmt::join(formats, ", "))});
}

}  // namespace

void check_format(const Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  check_format(scenario, cluster.accelerator, scenario.parameters);
  for (int kind = 1; kind < cluster.kinds(); ++kind)
    check_format(scenario, cluster.groups[cluster.group_of_kind(kind)].accelerator,
                 scenario.by_kind[static_cast<std::size_t>(kind - 1)].parameters);
}

}  // namespace clusterwright
