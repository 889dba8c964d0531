// SPDX-License-Identifier: Apache-2.0
#include "models/job/input_file.hpp"

#include "sim/json_reader.hpp"
#include "sim/sha256.hpp"

namespace clusterwright {

JsonValue read_input(const std::filesystem::path& path, std::vector<InputFile>& inputs) {
  const auto text = read_source(path.lexically_normal(), JsonLimits{}.bytes);
  inputs.push_back({text->name(), sha256(text->text())});
  return read_json(text);
}

}  // namespace clusterwright
