// SPDX-License-Identifier: Apache-2.0
#include "sim/json_writer.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace clusterwright {

namespace {

using Json = nlohmann::ordered_json;

Json convert(const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::null:
      return nullptr;
    case JsonKind::boolean:
      return value.as_boolean();
    case JsonKind::integer:
      return value.as_integer();
    case JsonKind::number:
      if (!std::isfinite(value.as_number())) throw std::logic_error("a result holds a number that is not finite");
      return value.as_number();
    case JsonKind::text:
      return value.as_text();
    case JsonKind::list: {
      Json list = Json::array();
      for (const JsonValue& element : value.elements()) list.push_back(convert(element));
      return list;
    }
    case JsonKind::object:
      break;
  }
  Json object = Json::object();
  auto& members = object.get_ref<Json::object_t&>();  // appended unsearched: keys of a value differ
  for (const auto& [key, member] : value.members()) members.push_back({key, convert(member)});
  return object;
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// A list or object, `write` giving each of its values.
template <class Write>
std::string bracketed(const Json& value, const std::string& open, const std::string& comma, const std::string& close,
                      const Write& write) {
  std::string out(1, value.is_object() ? '{' : '[');
  for (auto element = value.begin(); element != value.end(); ++element) {
    out += element == value.begin() ? open : comma;
    const std::string key = value.is_object() ? dump(element.key(), -1) + ": " : std::string();
    out += key + write(*element, key.size());
  }
  return out + close + (value.is_object() ? '}' : ']');
}

std::string on_one_line(const Json& value) {
  if (!value.is_structured()) return dump(value, -1);
  return bracketed(value, "", ", ", "", [](const Json& element, std::size_t) { return on_one_line(element); });
}

/// @param taken  columns before the value and behind it
std::string folded(const Json& value, std::size_t depth, std::size_t taken, std::size_t columns) {
  std::string line = on_one_line(value);
  if (!value.is_structured() || value.empty() || line.size() + taken <= columns) return line;
  const std::string outer(2 * depth, ' ');
  const std::string inner = "\n  " + outer;
  return bracketed(value, inner, "," + inner, "\n" + outer, [&](const Json& element, std::size_t key) {
    return folded(element, depth + 1, 2 * (depth + 1) + key + 1, columns);
  });
}

}  // namespace

std::string write_json(const JsonValue& value, int indent) {
  return dump(convert(value), indent);
}

std::string write_folded_json(const JsonValue& value, std::size_t columns) {
  return folded(convert(value), 0, 0, columns);
}

}  // namespace clusterwright
