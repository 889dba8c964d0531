// SPDX-License-Identifier: Apache-2.0
/// Fields that are each right and do not agree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Collects contradictions between fields, each with the places of all.
class Contradictions {
 public:
  explicit Contradictions(const JsonValue& source) : source_(source) {}

  void report(std::string code, std::string message, const std::vector<std::string>& pointers, std::string help = {}) {
    Diagnostic d{std::move(code), std::move(message), {}, "", std::move(help)};
    for (const std::string& pointer : pointers)
      if (const JsonValue* value = source_.at_pointer(pointer)) d.places.push_back(value->place(pointer));
    if (d.places.empty()) d.places.push_back(source_.place(""));
    errors_.push_back(std::move(d));
  }
  void finish() const {
    if (!errors_.empty()) throw ConfigError(errors_);
  }

 private:
  const JsonValue& source_;
  std::vector<Diagnostic> errors_;
};

}  // namespace clusterwright
