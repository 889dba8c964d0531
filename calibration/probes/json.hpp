// SPDX-License-Identifier: Apache-2.0
#pragma once
// The least JSON that one document of samples needs. Text is built at once; nothing is parsed.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace clusterwright::probes {

inline std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Whole numbers keep every digit (byte and operation counts); the rest keep seven. NaN and infinity become null.
inline std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e18;
  char text[40];
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.7g", value);
  return text;
}

inline std::string json_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",") + items[i];
  return out + "]";
}

inline std::string json_numbers(const std::vector<double>& values) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const double value : values) items.push_back(json_number(value));
  return json_list(items);
}

/// An object in insertion order. `put_json` takes text that is JSON already.
class JsonObject {
 public:
  JsonObject& put_json(const std::string& key, const std::string& json) {
    body_ += (body_.empty() ? "" : ",") + json_string(key) + ":" + json;
    return *this;
  }
  JsonObject& put(const std::string& key, const std::string& text) { return put_json(key, json_string(text)); }
  JsonObject& put(const std::string& key, const char* text) { return put_json(key, json_string(text)); }
  JsonObject& put(const std::string& key, const JsonObject& object) { return put_json(key, object.text()); }
  JsonObject& put(const std::string& key, bool value) { return put_json(key, value ? "true" : "false"); }
  template <class Number,
            std::enable_if_t<std::is_arithmetic<Number>::value && !std::is_same<Number, bool>::value, int> = 0>
  JsonObject& put(const std::string& key, Number value) {
    return put_json(key, json_number(static_cast<double>(value)));
  }
  std::string text() const { return "{" + body_ + "}"; }
  bool empty() const { return body_.empty(); }

 private:
  std::string body_;
};

}  // namespace clusterwright::probes
