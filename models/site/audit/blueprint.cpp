// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/blueprint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "models/site/audit/stated_layout.hpp"
#include "models/site/plant/facility_files.hpp"
#include "sim/field_table.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

template <>
struct EnumNames<ClaimKind> {
  static constexpr auto names = claim_kind_names;
};

namespace {

FieldRule positive(const char* help) {
  return {.help = help, .min = 0, .max = 1e6, .above_min = true};
}

FieldRule share(const char* help) {
  return {.help = help, .min = 0, .max = 1};
}

std::string_view name_of(ClaimKind kind) {
  return claim_kind_names[static_cast<std::size_t>(kind)];
}

void check_stated(Contradictions& errors, const Claim& claim, const std::string& pointer) {
  const bool words = stated_in_words(claim.claim);
  const std::string name(name_of(claim.claim));
  if (std::holds_alternative<std::string>(claim.stated) != words) {
    errors.report("E0360", fmt::format("{} must be given {}", name, words ? "in words" : "as a number"), {pointer},
                  words ? "write it as the blueprint does, for example \"NVLink 4\" or \"yes\""
                        : "give the number alone; \"words\" can hold the sentence");
    return;
  }
  if (is_share(claim.claim) && std::get<double>(claim.stated) > 1)
    errors.report("E0360",
                  fmt::format("{} is a share and must be at most 1 (got {})", name, std::get<double>(claim.stated)),
                  {pointer}, "write 78 % as 0.78");
  if (claim.claim == ClaimKind::fits && std::get<std::string>(claim.stated) != "yes")
    errors.report("E0360", "the claim fits must be \"yes\"", {pointer},
                  "leave out the claim if the blueprint does not make it");
}

void check_layout_words(Contradictions& errors, const Claim& claim, const std::string& pointer) {
  const std::string* words = std::get_if<std::string>(&claim.stated);
  if (claim.claim != ClaimKind::layout || !words || read_layout(*words)) return;
  errors.report("E0360", fmt::format("the layout \"{}\" cannot be read", *words), {pointer},
                "write each degree once and nothing else, as in \"TP 8 x PP 4 x DP 16\" or \"8-way tensor, 4-way "
                "pipeline\"; \"words\" can hold the sentence");
}

void check_cooling(Contradictions& errors, const Claim& claim, const Catalog& catalog, const std::string& pointer) {
  const std::string* kind = std::get_if<std::string>(&claim.stated);
  if (claim.claim != ClaimKind::cooling || !kind || find_part(catalog.rack_cooling, *kind)) return;
  const std::vector<std::string> known = ids_of(catalog.rack_cooling);
  const std::string near = did_you_mean(*kind, known);
  errors.report("E0203", fmt::format("unknown kind of cooling \"{}\"", *kind), {pointer},
                near.empty() ? fmt::format("there are: {}", fmt::join(known, ", ")) : near);
}

}  // namespace

const Record<Claim>& record(const Claim*) {
  static const auto table =
      Record<Claim>("claim", "One claim of a blueprint, checked by `audit`")
          .required("claim", &Claim::claim, {.help = "subject of the claim"})
          .required(
              "stated", &Claim::stated,
              {.help = "value as published: a number in the unit that the claim's name gives (shares from 0 to 1, "
                       "failures in hours between interruptions), or words for scale_up, layout, fits and cooling",
               .min = 0,
               .max = 1e30,
               .above_min = true})
          .optional("words", &Claim::words, {.help = "sentence as published"})
          .optional("within", &Claim::within,
                    share("maximum deviation of this claim if it holds; tolerance.holds if not given"));
  return table;
}

const Record<AuditTolerance>& record(const AuditTolerance*) {
  static const auto table =
      Record<AuditTolerance>("tolerance", "Allowed relative deviation from a stated value")
          .optional("holds", &AuditTolerance::holds, share("maximum deviation of a claim that holds"))
          .optional("partly", &AuditTolerance::partly,
                    share("maximum deviation of a claim that holds in part; a claim also holds in part if a named "
                          "condition makes it hold"));
  return table;
}

const Record<AuditAssumptions>& record(const AuditAssumptions*) {
  using A = AuditAssumptions;
  static const auto table =
      Record<A>("audit_assumptions", "Values that an audit assumes where the blueprint is silent")
          .optional("tokens_per_parameter", &A::tokens_per_parameter,
                    positive("training tokens per parameter, where training_tokens is not given"))
          .optional("failures_per_1000_node_days", &A::failures_per_1000_node_days,
                    positive("node failures that interrupt a job"))
          .optional("restart_s", &A::restart,
                    {.help = "time from an interruption until training resumes", .min = 0, .max = 1e6});
  return table;
}

bool is_share(ClaimKind kind) {
  return kind == ClaimKind::communication_share || kind == ClaimKind::utilisation;
}

bool is_count(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::accelerators:
    case ClaimKind::switches:
    case ClaimKind::cables:
    case ClaimKind::racks:
      return true;
    default:
      return false;
  }
}

bool needs_job(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::training_days:
    case ClaimKind::layout:
    case ClaimKind::weights_gb_per_accelerator:
    case ClaimKind::fits:
    case ClaimKind::communication_share:
    case ClaimKind::utilisation:
      return true;
    default:
      return false;
  }
}

bool stated_in_words(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::scale_up:
    case ClaimKind::layout:
    case ClaimKind::fits:
    case ClaimKind::cooling:
      return true;
    default:
      return false;
  }
}

const Claim* Blueprint::find(ClaimKind kind) const {
  for (const Claim& claim : claims)
    if (claim.claim == kind) return &claim;
  return nullptr;
}

std::optional<double> Blueprint::stated_number(ClaimKind kind) const {
  const Claim* claim = find(kind);
  if (!claim) return {};
  return std::get<double>(claim->stated);
}

void check_claims(const Blueprint& blueprint, const Catalog& catalog, const JsonValue& source) {
  Contradictions errors(source);
  for (std::size_t i = 0; i < blueprint.claims.size(); ++i) {
    const Claim& claim = blueprint.claims[i];
    const std::string pointer = fmt::format("/claims/{}", i);
    check_stated(errors, claim, pointer + "/stated");
    check_layout_words(errors, claim, pointer + "/stated");
    check_cooling(errors, claim, catalog, pointer + "/stated");
    if (blueprint.find(claim.claim) != &claim)
      errors.report("E0361", fmt::format("the blueprint claims {} twice", name_of(claim.claim)), {pointer + "/claim"},
                    "audit the two versions of the blueprint in separate files");
  }
  errors.finish();
}

/// Fields of a scenario, with or without its job, and those of a blueprint.
struct BlueprintFile : Blueprint {
  ClusterSpec cluster;
  std::optional<Transformer> transformer;
  std::optional<Job> job;
  std::string parameters = ScenarioSpec().parameters;
  std::string steps = ScenarioSpec().steps;
  std::optional<PriceList> prices;

  ScenarioSpec scenario() const { return {cluster, *transformer, *job, parameters, steps, prices}; }
};

const Record<BlueprintFile>& record(const BlueprintFile*) {
  using F = BlueprintFile;
  static const auto table =
      with_scenario_fields(Record<F>("blueprint",
                                     "A design and its claims, which `audit` checks; without transformer and job a "
                                     "machine and claims on it alone")
                               .required("name", &F::name, {.help = "name of the blueprint"})
                               .optional("source", &F::source, {.help = "where the blueprint was published"}))
          .optional("racks", &F::racks,
                    {.help = "number of racks with nodes; auto: the number of nodes over cluster.facility.rack.nodes",
                     .min = 1,
                     .max = 1048576})
          .optional(
              "training_tokens", &F::training_tokens,
              {.help =
                   "tokens of the whole training run; assume.tokens_per_parameter times the parameters if not given",
               .min = 0,
               .max = 1e18,
               .above_min = true})
          .required("claims", &F::claims,
                    {.help = "the claims of the blueprint, each as published", .max_elements = 64})
          .optional("assume", &F::assume, {.help = "values assumed where the blueprint is silent"})
          .optional("tolerance", &F::tolerance, {.help = "allowed deviation from what is stated"});
  return table;
}

const RecordSpec& blueprint_spec() {
  return record(static_cast<const BlueprintFile*>(nullptr));
}

namespace {

void check_length(Contradictions& errors, const BlueprintFile& file) {
  if (file.training_tokens && (file.job->tokens || file.job->steps))
    errors.report("E0355", "the length of the training run is given twice, by the blueprint and by its job",
                  {"/training_tokens", "/job/tokens", "/job/steps"}, "give one of them");
}

/// A machine without a job has no claims on it, and nothing that only a prediction reads.
void check_no_job(Contradictions& errors, const BlueprintFile& file) {
  constexpr const char* help = "describe transformer and job, or leave this out";
  if (file.transformer.has_value() != file.job.has_value())
    errors.report("E0366", "a transformer needs a job, and a job a transformer", {"/transformer", "/job"},
                  "give both, or none: claims on the machine alone need none");
  for (std::size_t i = 0; i < file.claims.size(); ++i)
    if (needs_job(file.claims[i].claim))
      errors.report("E0366",
                    fmt::format("{} can be checked only for a transformer and a job, which the blueprint lacks",
                                name_of(file.claims[i].claim)),
                    {fmt::format("/claims/{}/claim", i)}, help);
  if (file.training_tokens)
    errors.report("E0366", "training_tokens has no effect without a job", {"/training_tokens"}, help);
  if (file.parameters != ScenarioSpec().parameters)
    errors.report("E0366", "parameters has no effect without a job", {"/parameters"}, help);
  if (file.steps != ScenarioSpec().steps) errors.report("E0366", "steps has no effect without a job", {"/steps"}, help);
}

void check_file(const BlueprintFile& file, const JsonValue& source) {
  Contradictions errors(source);
  if (file.transformer && file.job)
    check_length(errors, file);
  else
    check_no_job(errors, file);
  errors.finish();
}

}  // namespace

LoadedBlueprint load_blueprint(const std::filesystem::path& path, const ScenarioOptions& options) {
  std::vector<InputFile> inputs;
  const JsonValue source = read_resolved(path, blueprint_spec(), options, inputs);
  const auto file = decode_record<BlueprintFile>(source);
  const Catalog shipped = load_catalog(configs_directory() / "parts");
  LoadedBlueprint loaded{file, {}, {}, with_own_parts(shipped, file.cluster), {}, {}, {}};
  check_claims(file, loaded.catalog, source);
  check_file(file, source);
  const JsonValue& cluster = source.at("cluster");
  const std::string pointer = cluster.source == source.source ? "/cluster" : "";
  if (file.job) {
    loaded.scenario = make_scenario(file.scenario(), source, options, folder_of(path), inputs);
    inputs = loaded.scenario->inputs;
    loaded.cluster = loaded.scenario->cluster;
  } else {
    loaded.cluster = build_cluster(file.cluster, shipped, cluster, pointer);
  }
  loaded.facility = load_facility(loaded.cluster, loaded.catalog, cluster, pointer, inputs);
  loaded.prices = load_prices(source, loaded.catalog, inputs);
  loaded.inputs = std::move(inputs);
  return loaded;
}

}  // namespace clusterwright
