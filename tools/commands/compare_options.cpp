// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/compare_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tools/commands/scenario_session.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr const char* example =
    "--vary node=B200,H200, --vary cap=100%,80% or --vary job.stack=megatron-2025,nemo-2024";

ConfigError vary_error(const std::string& text, const std::string& message, const std::string& help = example) {
  return option_error("--vary", text, message, help);
}

/// One --vary: a field, and the values that it takes by turns.
struct Axis {
  std::string typed;
  std::string field;
  std::vector<std::string> values;
};

/// Texts between commas; those inside brackets, braces and quotes stay together.
std::vector<std::string> values_of(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

Axis axis_of(const std::string& typed) {
  const std::size_t sign = typed.find('=');
  if (sign == std::string::npos || sign == 0) throw vary_error(typed, "a field and its values are needed");
  Axis axis{typed, typed.substr(0, sign), values_of(typed.substr(sign + 1))};
  if (axis.field == "gpus") {
    const std::vector<int> counts = parse_counts({"--vary gpus", typed.substr(sign + 1)});
    axis.values.clear();
    for (const int count : counts) axis.values.push_back(std::to_string(count));
  }
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (axis.values[i].empty()) throw vary_error(typed, "a value is empty");
    if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i), axis.values[i]) !=
        axis.values.begin() + static_cast<std::ptrdiff_t>(i))
      throw vary_error(typed, fmt::format("the value {} stands twice", axis.values[i]));
  }
  return axis;
}

/// Field of the taper of the leaves: of a tree that dimensions itself, or of stated tiers.
std::string taper_field(const ScenarioRequest& request) {
  const Cluster cluster = open_scenario(request, ScenarioReader::size).scenario.cluster;
  if (cluster.stock) return "cluster.fabric.taper";
  if (cluster.spec.fabric.tiers.empty())
    throw vary_error("taper", "the network of the cluster is no fat tree", "vary cluster.fabric itself");
  return "cluster.fabric.tiers.0.taper";
}

using Apply = std::function<void(ScenarioRequest&, const std::string&)>;

Apply setting_of(std::string path) {
  return [path = std::move(path)](ScenarioRequest& request, const std::string& value) {
    request.settings.push_back(path + "=" + value);
  };
}

/// Fields that short names of settings stand for.
const std::map<std::string, std::string>& paths_of_names() {
  static const std::map<std::string, std::string> paths = [] {
    std::map<std::string, std::string> out = {
        {"hall", "cluster.facility.like"}, {"prices", "prices.like"},     {"stack", "job.stack"},
        {"precision", "job.precision"},    {"batch", "job.global_batch"}, {"sequence", "job.sequence"}};
    for (const char* degree :
         {"tensor", "pipeline", "virtual_pipeline", "context", "expert", "expert_tensor", "schedule", "order"})
      out.emplace(degree, std::string("job.parallel.") + degree);
    for (const char* of_job : {"micro_batch", "recompute", "sharding"})
      out.emplace(of_job, std::string("job.") + of_job);
    return out;
  }();
  return paths;
}

/// What the short names do.
const std::map<std::string, Apply>& short_names() {
  static const std::map<std::string, Apply> names = [] {
    std::map<std::string, Apply> out = {
        {"node", [](ScenarioRequest& r, const std::string& value) { r.on = value; }},
        {"gpus", [](ScenarioRequest& r, const std::string& value) { r.gpus = value; }},
        {"cap",
         [](ScenarioRequest& r, const std::string& value) {
           cap_setting(value);  // refuses what is no limit, which of an option would be a reason
           r.cap = value;
         }},
        {"placement", [](ScenarioRequest& r, const std::string& value) { r.placement = value; }},
        {"parameters", [](ScenarioRequest& r, const std::string& value) { r.parameters = value; }},
        {"fail", [](ScenarioRequest& r, const std::string& value) { r.faults.push_back(value); }},
        {"slow", [](ScenarioRequest& r, const std::string& value) { r.slow.push_back(value); }},
        {"taper", [](ScenarioRequest& r, const std::string& value) { setting_of(taper_field(r))(r, value); }}};
    for (const auto& [name, path] : paths_of_names()) out.emplace(name, setting_of(path));
    return out;
  }();
  return names;
}

/// A short name, or the path of a field.
Apply change_of(const Axis& axis) {
  if (axis.field.find('.') != std::string::npos) return setting_of(axis.field);
  const auto found = short_names().find(axis.field);
  if (found != short_names().end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, change] : short_names()) known.push_back(name);
  parse_choice("--vary", axis.field, known);
  throw vary_error(axis.typed, "unknown field");
}

/// Every option once for each value of the axis.
std::vector<NamedRequest> varied(const std::vector<NamedRequest>& options, const Axis& axis, const Apply& change) {
  std::vector<NamedRequest> out;
  for (const NamedRequest& option : options)
    for (const std::string& value : axis.values) {
      NamedRequest one = option;
      one.name += fmt::format("{}{}={}", one.name.empty() ? "" : ", ", axis.field, value);
      if (value != stated_value) change(one.request, value);
      out.push_back(std::move(one));
      if (out.size() > most_options)
        throw vary_error(axis.typed, fmt::format("more than {} options", most_options), "vary fewer values at once");
    }
  return out;
}

/// One name for all words that set the same field: "precision" and "job.precision".
std::string field_set_by(const std::string& word) {
  static const std::map<std::string, std::string> others = {{"cluster.accelerators", "gpus"},
                                                            {"cluster.node.accelerator_power_limit_share", "cap"},
                                                            {"cluster.node.accelerator_power_limit_w", "cap"},
                                                            {"cluster.fabric.taper", "taper"},
                                                            {"cluster.fabric.tiers.0.taper", "taper"}};
  if (const auto found = others.find(word); found != others.end()) return found->second;
  const auto found = paths_of_names().find(word);
  return found == paths_of_names().end() ? word : found->second;
}

/// Words that set a field for all options.
struct CommonWords {
  std::string typed;  ///< "--cap 60%"
  std::string field;  ///< as `field_set_by` names it
};

std::vector<CommonWords> common_words(const ScenarioRequest& common) {
  std::vector<CommonWords> out;
  const auto add = [&](const char* option, const std::string& value, const std::string& field) {
    if (!value.empty()) out.push_back({fmt::format("{} {}", option, value), field_set_by(field)});
  };
  add("--on", common.on, "node");
  add("--gpus", common.gpus, "gpus");
  add("--cap", common.cap, "cap");
  add("--placement", common.placement, "placement");
  add("--parameters", common.parameters, "parameters");
  for (const std::string& setting : common.settings) add("--set", setting, setting.substr(0, setting.find('=')));
  return out;
}

/// Refuses a field that is set twice, as one of both words would lose without a word. Faults and slow devices add up,
/// and `stated` compares with what is set for all.
void check_set_once(const ScenarioRequest& common, const std::vector<std::string>& vary) {
  std::map<std::string, std::string> varied_by;
  const auto refuse = [](const std::string& typed, const std::string& other) {
    return vary_error(typed, fmt::format("\"--vary {}\" and \"{}\" set the same field", typed, other),
                      "leave one of them out");
  };
  const std::vector<CommonWords> words = common_words(common);
  for (const std::string& text : vary) {
    const Axis axis = axis_of(text);
    const std::string field = field_set_by(axis.field);
    if (field == "fail" || field == "slow") continue;
    if (const auto [other, first] = varied_by.emplace(field, text); !first)
      throw refuse(text, "--vary " + other->second);
    const auto twin = std::ranges::find(words, field, &CommonWords::field);
    if (twin != words.end() && std::ranges::find(axis.values, stated_value) == axis.values.end())
      throw refuse(text, twin->typed);
  }
}

}  // namespace

std::vector<NamedRequest> varied_requests(const NamedRequest& request, const std::vector<std::string>& vary,
                                          bool grown) {
  // The taper is of the cluster that the other fields make.
  std::vector<Axis> axes;
  for (const std::string& text : vary) axes.push_back(axis_of(text));
  std::ranges::stable_partition(axes, [](const Axis& axis) { return axis.field != "taper"; });
  std::vector<NamedRequest> out = {request};
  for (const Axis& axis : axes)
    out = varied(out, axis, grown && axis.field == "taper" ? setting_of("cluster.fabric.taper") : change_of(axis));
  return out;
}

std::vector<NamedRequest> options_of(const CompareRequest& request) {
  check_set_once(request.common, request.vary);
  std::vector<NamedRequest> options;
  for (const std::string& scenario : request.scenarios) {
    NamedRequest option{request.scenarios.size() > 1 ? scenario : "", request.common};
    option.request.scenario = scenario;
    for (NamedRequest& one : varied_requests(option, request.vary)) options.push_back(std::move(one));
  }
  if (options.size() < 2)
    throw option_error("SCENARIO", request.scenarios.empty() ? "" : request.scenarios.front(),
                       "one option alone is no comparison", std::string("name several scenarios, or add ") + example);
  if (options.size() > most_options)
    throw option_error("SCENARIO", request.scenarios.front(), fmt::format("more than {} options", most_options),
                       "name fewer");
  return options;
}

}  // namespace clusterwright
