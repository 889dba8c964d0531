// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/field_schema.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_target.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

ExitCode schema(const SchemaRequest& request) {
  const std::size_t kind = parse_choice("KIND", request.kind, config_kind_names());
  write_file("-", write_json(json_schema(spec_of(static_cast<ConfigKind>(kind)))) + "\n");
  return ExitCode::ok;
}

}  // namespace clusterwright
