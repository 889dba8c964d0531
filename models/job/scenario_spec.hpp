// SPDX-License-Identifier: Apache-2.0
/// A scenario file after its references are resolved, and how one is read: shared by files that hold a scenario.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

struct ScenarioSpec {
  ClusterSpec cluster;
  Transformer transformer;
  Job job;
  std::string parameters = "auto";
  std::string steps = "published";
  std::optional<PriceList> prices;  ///< read where something is bought; see load_prices
};

/// The description of a scenario file, for `schema`, `explain` and docs.
const RecordSpec& scenario_spec();

/// Adds the fields of a scenario to the table of a file that has them.
template <class File>
Record<File> with_scenario_fields(Record<File> table) {
  table.required("cluster", &File::cluster, {.help = "the machine", .reference = true})
      .required("transformer", &File::transformer,
                {.help = "the model; a Hugging Face config.json works too", .reference = true})
      .required("job", &File::job, {.help = "the work and its parallel layout"})
      .optional("parameters", &File::parameters,
                {.help = "path of a parameter file; auto: the file in configs/parameters fitted for the cluster's "
                         "accelerator, else transfer.json, whose values come from related accelerators"})
      .optional("steps", &File::steps,
                {.help = "step calibration, which corrects sums of microbenchmarks to whole steps: a name in "
                         "configs/steps or a path"})
      .optional("prices", &File::prices,
                {.help = "price list of the cluster; configs/prices/default.json if not given", .reference = true});
  return table;
}

/// The document with references resolved and settings applied. @param spec  of its kind
/// @param inputs  grows by the files that were read
JsonValue read_resolved(const std::filesystem::path& path, const RecordSpec& spec, const ScenarioOptions& options,
                        std::vector<InputFile>& inputs);

/// Looks up parts, stack and parameters. @param source  that `spec` was decoded from
/// @param beside  where relative paths start
/// @throws ConfigError with every error found
Scenario make_scenario(ScenarioSpec spec, JsonValue source, const ScenarioOptions& options,
                       const std::filesystem::path& beside, std::vector<InputFile> inputs);

}  // namespace clusterwright
