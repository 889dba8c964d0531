// SPDX-License-Identifier: Apache-2.0
/// Clusters and scenarios that tests size with the program.
#pragma once

#include <string>

#include "support/program_room.hpp"

namespace clusterwright::testing {

inline std::string shipped_file(const std::string& name) {
  return "'" CLUSTERWRIGHT_CONFIGS "/" + name + ".json' ";
}
inline const std::string superpod_file = shipped_file("clusters/dgx-h100-127");
inline const std::string sized_job = shipped_file("scenarios/llama3-70b-h100");

/// @param code  1 where the cluster cannot be built as asked: everything is still computed
inline JsonValue sized(const ProgramRoom& room, const std::string& arguments, int code = 0) {
  const Outcome outcome = room.run("size " + arguments + " --format json");
  INFO("clusterwright size " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == code);
  CHECK(outcome.err.empty());
  return outcome.json();
}

inline JsonValue sized(const std::string& arguments, int code = 0) {
  return sized(ProgramRoom(), arguments, code);
}

inline double number(const JsonValue& object, const std::string& pointer) {
  const JsonValue* value = object.at_pointer(pointer);
  INFO(pointer);
  REQUIRE(value);
  return value->as_number();
}

/// Sum of one member over a list of objects; null counts as zero.
inline double sum_of_key(const JsonValue& list, const char* key) {
  double out = 0;
  for (const JsonValue& one : list.elements())
    if (!one.at(key).is_null()) out += one.at(key).as_number();
  return out;
}

/// Power of every node of a tree is the sum of its parts.
inline void check_tree(const JsonValue& node) {
  const JsonValue& parts = node.at("parts");
  if (parts.elements().empty()) return;
  INFO(node.at("name").as_text());
  CHECK(number(node, "/kw") == Approx(sum_of_key(parts, "kw")));
  for (const JsonValue& part : parts.elements()) check_tree(part);
}

/// 16 nodes of eight H100 on one leaf, in a file of their own.
inline std::string sixteen_nodes(const std::string& node, const std::string& more = "") {
  return R"({"name": "Sixteen nodes", "source": "a test", "accelerators": 128, "node": )" + node + R"(,
  "fabric": {"transport": "infiniband", "tiers": [
    {"name": "leaf", "accelerators": 256, "switch": "QM9700/QM9790"}, {"name": "spine", "switch": "QM9700/QM9790"}]})" +
         more + "}";
}
inline const std::string dgx = R"({"part": "DGX H100"})";

}  // namespace clusterwright::testing
