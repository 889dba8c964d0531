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

/// 16 nodes of eight H100 on one leaf, in a file of their own.
inline std::string sixteen_nodes(const std::string& node, const std::string& more = "") {
  return R"({"name": "Sixteen nodes", "source": "a test", "accelerators": 128, "node": )" + node + R"(,
  "fabric": {"transport": "infiniband", "tiers": [
    {"name": "leaf", "accelerators": 256, "switch": "QM9700/QM9790"}, {"name": "spine", "switch": "QM9700/QM9790"}]})" +
         more + "}";
}
inline const std::string dgx = R"({"part": "DGX H100"})";

}  // namespace clusterwright::testing
