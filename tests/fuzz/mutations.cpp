// SPDX-License-Identifier: Apache-2.0
#include "mutations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "sim/diagnostic.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright::fuzz {

namespace {

void collect(JsonValue& value, std::vector<JsonValue*>& leaves, std::vector<JsonValue*>& nodes) {
  if (value.is(JsonKind::object)) {
    nodes.push_back(&value);
    for (auto& [key, member] : value.members()) collect(member, leaves, nodes);
  } else if (value.is(JsonKind::list)) {
    nodes.push_back(&value);
    for (JsonValue& element : value.elements()) collect(element, leaves, nodes);
  } else {
    leaves.push_back(&value);
  }
}

JsonValue other_number(const JsonValue& value, Random& random) {
  const double x = value.as_number();
  const std::array<double, 16> all = {
      0,   -1, 1, x + 1, x - 1, 2 * x, x / 2, 10 * x, x / 10, 1.5, 1e-300, 1e300, 1e6, 2147483648.0, 9007199254740993.0,
      1e-6};
  const double chosen = all[draw(random, all.size())];
  const bool whole = value.is(JsonKind::integer) && std::abs(chosen) < 1e15 && draw(random, 8) > 0;
  return whole ? JsonValue(static_cast<std::int64_t>(chosen)) : JsonValue(chosen);
}

JsonValue other_kind(Random& random) {
  switch (draw(random, 6)) {
    case 0:
      return {};
    case 1:
      return true;
    case 2:
      return JsonValue::list();
    case 3:
      return JsonValue::object();
    case 4:
      return "auto";
    default:
      return 7;
  }
}

void change_leaf(const std::vector<JsonValue*>& leaves, Random& random) {
  JsonValue& leaf = *leaves[draw(random, leaves.size())];
  const std::size_t way = draw(random, 10);
  if (way == 0)
    leaf = other_kind(random);
  else if (way == 1)
    leaf = JsonValue(*leaves[draw(random, leaves.size())]);
  else if (leaf.is_numeric())
    leaf = other_number(leaf, random);
  else if (leaf.is(JsonKind::boolean))
    leaf = JsonValue(!leaf.as_boolean());
  else
    leaf = JsonValue(*leaves[draw(random, leaves.size())]);
}

/// A member goes, an element comes twice or goes.
void change_node(JsonValue& node, Random& random) {
  if (node.is(JsonKind::object) && !node.members().empty()) {
    const std::size_t at = draw(random, node.members().size());
    node.members().erase(node.members().begin() + static_cast<std::ptrdiff_t>(at));
  } else if (node.is(JsonKind::list) && !node.elements().empty()) {
    const std::size_t at = draw(random, node.elements().size());
    if (draw(random, 2) == 0)
      node.push_back(JsonValue(node.elements()[at]));
    else
      node.elements().erase(node.elements().begin() + static_cast<std::ptrdiff_t>(at));
  }
}

std::string other_bytes(std::string text, Random& random) {
  for (std::size_t i = 0; i < 1 + draw(random, 4) && !text.empty(); ++i)
    text[draw(random, text.size())] = static_cast<char>(draw(random, 256));
  return text;
}

double drawn_number(const FieldSpec& field, Random& random) {
  const double low = field.min, high = field.max;
  const double start = low > 0 ? low : std::min(1e-3, std::abs(high) / 2);
  const double share = static_cast<double>(draw(random, 1 << 20)) / (1 << 20);
  if (!std::isfinite(high) || high <= 0) return std::pow(10, 12 * share - 6);
  return start * std::pow(high / start, share);
}

std::string number_text(const FieldSpec& field, double value) {
  if (field.type != FieldType::integer) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<long long>(std::clamp(std::round(value), field.min, 9e15)));
}

}  // namespace

std::size_t draw(Random& random, std::size_t below) {
  return static_cast<std::size_t>(random() % below);
}

std::string mutated(const std::string& text, Random& random) {
  if (draw(random, 10) == 0) return other_bytes(text, random);
  JsonValue document = read_json(std::make_shared<const SourceText>("base", text));
  for (std::size_t i = 0; i < 1 + draw(random, 3); ++i) {
    std::vector<JsonValue*> leaves, nodes;
    collect(document, leaves, nodes);
    if (leaves.empty()) break;
    if (draw(random, 6) > 0)
      change_leaf(leaves, random);
    else if (!nodes.empty())
      change_node(*nodes[draw(random, nodes.size())], random);
  }
  return write_json(document);
}

std::vector<DrawnField> drawn_fields(const RecordSpec& spec, const std::string& prefix) {
  std::vector<DrawnField> out;
  for (const FieldSpec& field : spec.fields) {
    const std::string path = prefix.empty() ? field.key : prefix + "." + field.key;
    if (field.is_list || field.is_map || field.key == "parts") continue;
    if (field.type == FieldType::record) {
      for (DrawnField& below : drawn_fields(field.nested(), path)) out.push_back(std::move(below));
    } else if (field.type != FieldType::text) {
      out.push_back({path, &field});
    }
  }
  return out;
}

std::string drawn_value(const FieldSpec& field, Random& random) {
  if (field.type == FieldType::boolean) return draw(random, 2) ? "true" : "false";
  if (field.type == FieldType::choice) return field.choices[draw(random, field.choices.size())];
  if (field.automatic && draw(random, 10) == 0) return "auto";
  const std::array<double, 10> usual = {1, 2, 3, 4, 8, 16, 64, 0.5, 100, 1024};
  switch (draw(random, 6)) {
    case 0:
      return number_text(field, std::isfinite(field.min) ? field.min : -1);
    case 1:
      return number_text(field, std::isfinite(field.max) ? field.max : 1e12);
    case 2:
    case 3:
      return number_text(field, usual[draw(random, usual.size())]);
    default:
      return number_text(field, drawn_number(field, random));
  }
}

}  // namespace clusterwright::fuzz
