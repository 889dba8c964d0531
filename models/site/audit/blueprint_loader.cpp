#include "models/site/audit/blueprint_loader.hpp"

#include "models/job/scenario_spec.hpp"
#include "models/site/plant/facility_files.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct BlueprintFile : ScenarioSpec, Blueprint {};

const Record<BlueprintFile>& record(const BlueprintFile*) {
  using F = BlueprintFile;
  static const auto table =
      with_scenario_fields(Record<F>("blueprint", "What a published design describes and claims: `audit` reads it")
                               .required("name", &F::name, {.help = "of the blueprint"})
                               .optional("source", &F::source, {.help = "where it was published"}))
          .optional("racks", &F::racks,
                    {.help = "with nodes; as many as cluster.facility.rack.nodes makes of them if auto",
                     .min = 1,
                     .max = 1048576})
          .optional("training_tokens", &F::training_tokens,
                    {.help = "of the whole run; assume.tokens_per_parameter times the parameters if not given",
                     .min = 0,
                     .above_min = true})
          .required("claims", &F::claims, {.help = "what it says, each as published", .max_elements = 64})
          .optional("assume", &F::assume, {.help = "what is taken where it is silent"})
          .optional("tolerance", &F::tolerance, {.help = "how near is near enough"});
  return table;
}

const RecordSpec& blueprint_spec() {
  return record(static_cast<const BlueprintFile*>(nullptr));
}

LoadedBlueprint load_blueprint(const std::filesystem::path& path, const ScenarioOptions& options) {
  std::vector<InputFile> inputs;
  JsonValue source = read_resolved(path, blueprint_spec(), options, inputs);
  auto file = decode_record<BlueprintFile>(source);
  LoadedBlueprint loaded{file, {}, with_own_parts(load_catalog(configs_directory() / "parts"), file.cluster), {}};
  check_claims(file, loaded.catalog, source);
  loaded.scenario = make_scenario(std::move(file), std::move(source), options, path.parent_path(), std::move(inputs));
  const JsonValue& cluster = loaded.scenario.source.at("cluster");
  const bool in_line = cluster.source == loaded.scenario.source.source;
  loaded.facility = load_facility(loaded.scenario.cluster, loaded.catalog, cluster, in_line ? "/cluster" : "",
                                  loaded.scenario.inputs);
  return loaded;
}

}  // namespace clusterwright
