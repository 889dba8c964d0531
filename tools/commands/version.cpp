// SPDX-License-Identifier: Apache-2.0
#include "tools/build_facts.hpp"

#include <fmt/format.h>

#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

ExitCode version(const VersionRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json});
  const BuildFacts& facts = build_facts();
  deliver(targets, request.output.quiet, [&](OutputFormat format) {
    if (format == OutputFormat::json)
      return write_json(JsonValue::object({{"name", "clusterwright"},
                                           {"version", facts.version},
                                           {"commit", facts.commit},
                                           {"compiler", facts.compiler},
                                           {"build_type", facts.build_type},
                                           {"result_schema_version", result_schema_version}})) +
             "\n";
    return fmt::format("clusterwright {}\n  commit    {}\n  compiler  {}\n  build     {}\n", facts.version,
                       facts.commit.empty() ? "unknown" : facts.commit, facts.compiler, facts.build_type);
  });
  return ExitCode::ok;
}

}  // namespace clusterwright
