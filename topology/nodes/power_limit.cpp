// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/power_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/diagnostic.hpp"
#include "topology/nodes/node_wiring.hpp"

namespace clusterwright {

namespace {

/// Number in front of a unit; nullopt if the text is not a number above zero with this unit.
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return {};
  text.remove_suffix(unit.size());
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || !(number > 0)) return {};
  return number;
}

}  // namespace

Watts least_power_limit(const AcceleratorPart& part) {
  return part.min_power_limit ? part.min_power_limit->value : stated_idle_power(part);
}

std::optional<Watts> share_of_node_limit(const NodeSpec& node) {
  if (!node.power_limit) return {};
  return (*node.power_limit - node.host_power.value) / node_accelerators(node);
}

std::optional<Watts> accelerator_limit(const NodeSpec& node, const AcceleratorPart& part) {
  Watts limit = part.power.value;
  if (node.accelerator_power_limit) limit = std::min(limit, *node.accelerator_power_limit);
  if (node.accelerator_power_share) limit = std::min(limit, *node.accelerator_power_share * part.power.value);
  if (const auto share = share_of_node_limit(node)) limit = std::min(limit, std::max(Watts{}, *share));
  if (limit < part.power.value) return limit;
  return {};
}

std::string cap_setting(const std::string& text) {
  if (const auto percent = number_before(text, "%"); percent && *percent <= 100)
    return fmt::format("cluster.node.accelerator_power_limit_share={}", *percent / 100);
  if (const auto watts = number_before(text, "W"))
    return fmt::format("cluster.node.accelerator_power_limit_w={}", *watts);
  throw ConfigError({Diagnostic{"E0349",
                                fmt::format("\"{}\" is no power limit", text),
                                {option_place("--cap", text)},
                                "",
                                "write a share of the rating (80%) or watts of one accelerator (560W)"}});
}

}  // namespace clusterwright
