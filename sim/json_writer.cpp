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
  for (const auto& [key, member] : value.members()) object[key] = convert(member);
  return object;
}

}  // namespace

std::string write_json(const JsonValue& value, int indent) {
  return convert(value).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace clusterwright
