// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/search_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "models/search/layout_search.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

/// Parts of "tensor<=8".
struct Limit {
  std::string typed, name, sign, value;

  ConfigError error(const std::string& message, const std::string& help) const {
    return option_error("--constraint", typed, message, help);
  }
};

constexpr const char* form = "NAME<=N, NAME>=N, NAME=A,B or NAME!=A, for example tensor<=8";

Limit parts_of(const std::string& typed) {
  const std::size_t at = typed.find_first_of("<>=!");
  Limit limit{typed, typed.substr(0, at), "", ""};
  if (at == std::string::npos || at == 0) throw limit.error("not a limit", form);
  const std::size_t signs = typed.find_first_not_of("<>=!", at);
  limit.sign = typed.substr(at, signs == std::string::npos ? std::string::npos : signs - at);
  if (signs != std::string::npos) limit.value = typed.substr(signs);
  if (limit.value.empty()) throw limit.error("a value is missing", form);
  return limit;
}

std::vector<std::string> values_of(const Limit& limit) {
  std::vector<std::string> out(1);
  for (const char c : limit.value) {
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

int count_of(const Limit& limit, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw limit.error("must be a whole number of at least 1", form);
  return value;
}

double number_of(const Limit& limit) {
  if (limit.sign != "<=" && limit.sign != "<") throw limit.error("a result can only be limited from above", form);
  double value = 0;
  const char* const last = limit.value.data() + limit.value.size();
  const auto [end, error] = std::from_chars(limit.value.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value) || value <= 0)
    throw limit.error("must be a number above 0", "step_time_s<=10");
  return value;
}

NumberLimit number_limit(const Limit& limit) {
  NumberLimit out;
  if (limit.sign == "=") {
    for (const std::string& value : values_of(limit)) out.only.push_back(count_of(limit, value));
    return out;
  }
  const int value = count_of(limit, limit.value);
  if (limit.sign == "<=")
    out.most = value;
  else if (limit.sign == ">=")
    out.least = value;
  else if (limit.sign == "<")
    out.most = value - 1;
  else if (limit.sign == ">")
    out.least = value + 1;
  else
    throw limit.error(fmt::format("\"{}\" is no sign for a number", limit.sign), form);
  return out;
}

/// The one name that ends with what was typed, as tables shorten it: "data-pipeline". Else what was typed.
std::string whole_name(const std::string& typed, const std::vector<std::string>& names) {
  const auto ends = [&](const std::string& name) { return name == typed || name.ends_with("-" + typed); };
  const auto found = std::ranges::find_if(names, ends);
  const bool shortened = typed.find('-') != std::string::npos && std::ranges::count_if(names, ends) == 1;
  return shortened ? *found : typed;
}

template <class E, std::size_t count>
ChoiceLimit<E, count> choice_limit(const Limit& limit, const ChoiceLimit<E, count>&) {
  std::array<bool, count> named{};
  const std::vector<std::string> names(EnumNames<E>::names.begin(), EnumNames<E>::names.begin() + count);
  for (const std::string& value : values_of(limit))
    named[parse_choice("--constraint", whole_name(value, names), names)] = true;
  if (limit.sign != "=" && limit.sign != "!=")
    throw limit.error(fmt::format("\"{}\" is no sign for a choice", limit.sign), form);
  ChoiceLimit<E, count> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (limit.sign == "=" && named[i]) out.add(static_cast<E>(i));
    if (limit.sign == "!=" && !named[i]) out.allow(static_cast<E>(i));
  }
  if (!out.given()) throw limit.error("leaves no value", form);
  return out;
}

using Reader = std::function<void(const Limit&, LayoutLimits&)>;

Reader number(NumberLimit LayoutLimits::*field) {
  return [field](const Limit& limit, LayoutLimits& out) { out.*field = number_limit(limit); };
}

template <class Choice>
Reader choice(Choice LayoutLimits::*field) {
  return [field](const Limit& limit, LayoutLimits& out) { out.*field = choice_limit(limit, out.*field); };
}

Reader exact(std::optional<int> LayoutLimits::*field) {
  return [field](const Limit& limit, LayoutLimits& out) {
    if (limit.sign != "=") throw limit.error("takes one value, with =", form);
    out.*field = count_of(limit, limit.value);
  };
}

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> known = {
      {"tensor", number(&LayoutLimits::tensor)},
      {"context", number(&LayoutLimits::context)},
      {"expert", number(&LayoutLimits::expert)},
      {"expert_tensor", number(&LayoutLimits::expert_tensor)},
      {"pipeline", number(&LayoutLimits::pipeline)},
      {"data", number(&LayoutLimits::data)},
      {"micro_batch", number(&LayoutLimits::micro_batch)},
      {"virtual_pipeline", number(&LayoutLimits::virtual_pipeline)},
      {"recompute", choice(&LayoutLimits::recompute)},
      {"sharding", choice(&LayoutLimits::sharding)},
      {"schedule", choice(&LayoutLimits::schedule)},
      {"order", choice(&LayoutLimits::order)},
      {"offload.weights", choice(&LayoutLimits::offload_weights)},
      {"offload.optimizer", choice(&LayoutLimits::offload_optimizer)},
      {"offload.activations", choice(&LayoutLimits::offload_activations)},
      {"recomputed_layers", exact(&LayoutLimits::recomputed_layers)},
      {"shard_group", exact(&LayoutLimits::shard_group)},
      {"memory_gb", [](const Limit& limit, LayoutLimits& out) { out.most_memory_gb = number_of(limit); }},
  };
  return known;
}

ConfigError nothing_left(const std::string& field) {
  return option_error("--constraint", field, fmt::format("the limits and pins leave no value of {}", field),
                      "drop one of them");
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, reader] : readers()) out.push_back(name);
  out.insert(out.end(), {"step_time_s", "nodes_kw"});
  return out;
}

}  // namespace

bool SearchConstraints::accept(const StepSummary& step) const {
  return (!most_step_s || to_seconds(step.end).in(second) <= *most_step_s) &&
         (!most_nodes_kw || step.mean_power.in(kilowatt) <= *most_nodes_kw);
}

void add_constraint(const std::string& typed, SearchConstraints& constraints) {
  const Limit limit = parts_of(typed);
  if (limit.name == "step_time_s") {
    constraints.most_step_s = std::min(number_of(limit), constraints.most_step_s.value_or(HUGE_VAL));
  } else if (limit.name == "nodes_kw") {
    constraints.most_nodes_kw = std::min(number_of(limit), constraints.most_nodes_kw.value_or(HUGE_VAL));
  } else {
    const auto reader = readers().find(limit.name);
    if (reader == readers().end()) parse_choice("--constraint", limit.name, names());
    LayoutLimits one;
    reader->second(limit, one);
    narrow(constraints.limits, one);
  }
}

void narrow(LayoutLimits& limits, const LayoutLimits& others) {
  const auto both = [&](auto field, const char* name) {
    (limits.*field).narrow(others.*field);
    if ((limits.*field).is_empty()) throw nothing_left(name);
  };
  const auto one = [&](auto field, const char* name) {
    if (limits.*field && others.*field && *(limits.*field) != *(others.*field)) throw nothing_left(name);
    if (others.*field) limits.*field = others.*field;
  };
  both(&LayoutLimits::tensor, "tensor");
  both(&LayoutLimits::context, "context");
  both(&LayoutLimits::expert, "expert");
  both(&LayoutLimits::expert_tensor, "expert_tensor");
  both(&LayoutLimits::pipeline, "pipeline");
  both(&LayoutLimits::data, "data");
  both(&LayoutLimits::micro_batch, "micro_batch");
  both(&LayoutLimits::virtual_pipeline, "virtual_pipeline");
  both(&LayoutLimits::recompute, "recompute");
  both(&LayoutLimits::sharding, "sharding");
  both(&LayoutLimits::schedule, "schedule");
  both(&LayoutLimits::order, "order");
  both(&LayoutLimits::offload_weights, "offload.weights");
  both(&LayoutLimits::offload_optimizer, "offload.optimizer");
  both(&LayoutLimits::offload_activations, "offload.activations");
  one(&LayoutLimits::recomputed_layers, "recomputed_layers");
  one(&LayoutLimits::shard_group, "shard_group");
  if (others.most_memory_gb)
    limits.most_memory_gb = std::min(*others.most_memory_gb, limits.most_memory_gb.value_or(HUGE_VAL));
}

std::vector<std::string> pin_settings(const Scenario& s, const std::vector<std::string>& settings,
                                      LayoutLimits& limits) {
  const LayoutLimits stated = limits_of(s);
  LayoutLimits pinned;
  std::vector<std::string> paths;
  const auto pin = [&](const char* path, auto field) {
    const auto sets = [&](const std::string& setting) {
      return setting.starts_with(std::string(path) + "=") && !setting.ends_with("=auto");
    };
    if (std::none_of(settings.begin(), settings.end(), sets)) return;
    pinned.*field = stated.*field;
    paths.emplace_back(path);
  };
  pin("job.parallel.tensor", &LayoutLimits::tensor);
  pin("job.parallel.context", &LayoutLimits::context);
  pin("job.parallel.expert", &LayoutLimits::expert);
  pin("job.parallel.expert_tensor", &LayoutLimits::expert_tensor);
  pin("job.parallel.pipeline", &LayoutLimits::pipeline);
  pin("job.parallel.data", &LayoutLimits::data);
  pin("job.parallel.virtual_pipeline", &LayoutLimits::virtual_pipeline);
  pin("job.parallel.schedule", &LayoutLimits::schedule);
  pin("job.parallel.order", &LayoutLimits::order);
  pin("job.micro_batch", &LayoutLimits::micro_batch);
  pin("job.recompute", &LayoutLimits::recompute);
  pin("job.recomputed_layers", &LayoutLimits::recomputed_layers);
  pin("job.sharding", &LayoutLimits::sharding);
  pin("job.shard_group", &LayoutLimits::shard_group);
  pin("job.offload.weights", &LayoutLimits::offload_weights);
  pin("job.offload.optimizer", &LayoutLimits::offload_optimizer);
  pin("job.offload.activations", &LayoutLimits::offload_activations);
  narrow(limits, pinned);
  return paths;
}

}  // namespace clusterwright
