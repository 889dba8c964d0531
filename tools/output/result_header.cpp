// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_header.hpp"

#include "tools/build_facts.hpp"

namespace clusterwright {

JsonValue result_header(const std::string& command, std::uint64_t seed, const std::vector<InputFile>& inputs) {
  JsonValue list = JsonValue::list();
  for (const InputFile& input : inputs)
    list.push_back(JsonValue::object({{"path", input.path}, {"sha256", input.sha256}}));
  return JsonValue::object(
      {{"schema_version", result_schema_version},
       {"tool", JsonValue::object({{"name", "clusterwright"}, {"version", build_facts().version}})},
       {"command", command},
       {"seed", seed},
       {"inputs", list}});
}

}  // namespace clusterwright
