// SPDX-License-Identifier: Apache-2.0
/// Scenario files: their fields, how one is read, and where each value came from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "models/job/configs_directory.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario.hpp"
#include "sim/field_spec.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

struct ScenarioOptions {
  std::vector<std::string> settings;  ///< "path=value", in order
  std::optional<std::filesystem::path> parameters;
  std::vector<std::string> faults = {};  ///< added to cluster.fabric.faults
  std::string placement = {};            ///< order or list of nodes for job.placement; empty: as the scenario says
  std::string node = {};                 ///< the cluster is made of these nodes alone; empty: as the scenario says
  int accelerators = 0;                  ///< of the cluster; 0: as many as the scenario has
  std::shared_ptr<const Catalog> catalog = {};  ///< shipped_catalog(), read before; nullptr: it is read
};

/// Parts in the configs directory, for predictions: sources of facts are not looked up.
std::shared_ptr<const Catalog> shipped_catalog();

/// First of the settings that says which nodes a cluster has: "cluster.node.part=DGX H100"; empty without one. Beside
/// ScenarioOptions::node it is refused (E0404).
std::string setting_of_nodes(const std::vector<std::string>& settings);

/// Reads a scenario: resolves references, applies settings, looks up stack and parameters, checks everything.
/// @throws ConfigError with every error found
Scenario load_scenario(const std::filesystem::path& path, const ScenarioOptions& options);

/// The same of a document that no file holds. Relative paths start at the working directory.
Scenario scenario_of_document(JsonValue document, const ScenarioOptions& options);

/// Scenario with every default written out; itself a valid scenario file.
JsonValue effective_scenario(const Scenario& scenario);

/// Catalog of the scenario, with the parts that its cluster describes itself.
Catalog catalog_of(const Scenario& scenario);

/// Origin of one value of the effective scenario.
struct Origin {
  std::string path;    ///< "job.parallel.tensor"
  std::string value;   ///< JSON text
  std::string origin;  ///< "configs/scenarios/x.json:12", "--set", "default"
};
/// @param effective  scenario with every default written out
/// @param written    the same before, with the places of its values
std::vector<Origin> origins(const JsonValue& effective, const JsonValue& written);

/// Fields of a scenario file after its references are resolved.
struct ScenarioSpec {
  ClusterSpec cluster;
  Transformer transformer;
  Job job;
  std::string parameters = "auto";
  std::string steps = "published";
  std::optional<PriceList> prices;  ///< read by commands that price something; see load_prices
};

/// Description of a scenario file, for `schema`, `explain` and docs.
const RecordSpec& scenario_spec();

/// Table with the fields of a scenario added, for files that hold one; without its transformer and job where `File`
/// may leave them out.
template <class File>
Record<File> with_scenario_fields(Record<File> table) {
  constexpr FieldRule transformer{.help = "the model; a Hugging Face config.json works too", .reference = true};
  constexpr FieldRule job{.help = "the work and its parallel layout"};
  table.required("cluster", &File::cluster, {.help = "the machine", .reference = true});
  if constexpr (std::is_same_v<decltype(File::job), Job>)
    table.required("transformer", &File::transformer, transformer).required("job", &File::job, job);
  else
    table.optional("transformer", &File::transformer, transformer).optional("job", &File::job, job);
  table
      .optional("parameters", &File::parameters,
                {.help = "path of a parameter file; auto: the file in configs/parameters fitted for the cluster's "
                         "accelerator, else generic.json, whose values come from related accelerators"})
      .optional("steps", &File::steps,
                {.help = "step calibration, which corrects sums of microbenchmarks to whole steps: a name in "
                         "configs/steps or a path"})
      .optional("prices", &File::prices,
                {.help = "price list of the cluster; configs/prices/default.json if not given", .reference = true});
  return table;
}

/// Document with references resolved and settings applied. @param spec  description of its kind of file
/// @param inputs  grows by the files that were read
JsonValue read_resolved(const std::filesystem::path& path, const RecordSpec& spec, const ScenarioOptions& options,
                        std::vector<InputFile>& inputs);

/// The same of a document that was read.
JsonValue resolved(JsonValue document, const RecordSpec& spec, const ScenarioOptions& options,
                   std::vector<InputFile>& inputs);

/// Looks up parts, stack and parameters. @param source  document that `spec` was decoded from
/// @param beside  folder that relative paths start from
/// @throws ConfigError with every error found
Scenario make_scenario(ScenarioSpec spec, JsonValue source, const ScenarioOptions& options,
                       const std::filesystem::path& beside, std::vector<InputFile> inputs);

}  // namespace clusterwright
