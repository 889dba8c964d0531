// SPDX-License-Identifier: Apache-2.0
/// Blueprint in a file: the scenario that it describes, and the claims that it makes.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "sim/json_value.hpp"
#include "sim/number_or_text.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

enum class ClaimKind {
  accelerators,                ///< racks x accelerators in a rack
  training_days,               ///< duration of training; at most
  scale_up,                    ///< "NVLink 4": the generation of the links inside a node
  nic_gbit_per_s,              ///< rate of one accelerator, one direction
  layout,                      ///< "TP8 x PP4": whether it divides the accelerators
  weights_gb_per_accelerator,  ///< weights at the precision of the job
  fits,                        ///< "yes"
  rack_kw,                     ///< power of a rack of nodes; at most
  cooling,                     ///< an entry of the catalog's rack_cooling
  site_mw,                     ///< power of the facility, from the grid
  communication_share,         ///< exposed share of a step; at most
  utilisation,                 ///< model FLOPs over peak; at least
  failures,                    ///< mean time to interrupt, in hours; at least
  it_mw,                       ///< rated power of all machines
  switches,                    ///< of the network for training
  cables,                      ///< links of the network for training
  pue,                         ///< mean of a year; at most
  energy_gwh_per_year,         ///< from the grid in continuous use; at most
  it_mw_in_use,                ///< mean power of all machines
  racks,                       ///< all racks of the hall
  bisection_tb_per_s,          ///< one direction
  price_million_usd            ///< to buy, with building and installation where the price list has them
};
inline constexpr std::size_t claim_kind_count = 22;
inline constexpr std::array<std::string_view, claim_kind_count> claim_kind_names = {"accelerators",
                                                                                    "training_days",
                                                                                    "scale_up",
                                                                                    "nic_gbit_per_s",
                                                                                    "layout",
                                                                                    "weights_gb_per_accelerator",
                                                                                    "fits",
                                                                                    "rack_kw",
                                                                                    "cooling",
                                                                                    "site_mw",
                                                                                    "communication_share",
                                                                                    "utilisation",
                                                                                    "failures",
                                                                                    "it_mw",
                                                                                    "switches",
                                                                                    "cables",
                                                                                    "pue",
                                                                                    "energy_gwh_per_year",
                                                                                    "it_mw_in_use",
                                                                                    "racks",
                                                                                    "bisection_tb_per_s",
                                                                                    "price_million_usd"};

/// Whether claims of a kind are stated in words, not by a number.
bool stated_in_words(ClaimKind kind);
/// Whether the number of a claim is a share from 0 to 1.
bool is_share(ClaimKind kind);
/// Whether the number of a claim counts machines.
bool is_count(ClaimKind kind);
/// Whether claims of a kind are about a job, not about the machine alone.
bool needs_job(ClaimKind kind);

struct Claim {
  ClaimKind claim = ClaimKind::accelerators;
  NumberOrText stated;
  std::string words;                  ///< sentence as published
  std::optional<double> within = {};  ///< deviation that this claim may have; absent: AuditTolerance::holds
};
const Record<Claim>& record(const Claim*);

/// Tolerances of verdicts, relative to the stated number.
struct AuditTolerance {
  double holds = 0.05;
  double partly = 0.15;
};
const Record<AuditTolerance>& record(const AuditTolerance*);

/// Values that an audit takes where a blueprint states none.
struct AuditAssumptions {
  Sourced<double> tokens_per_parameter{20, "Hoffmann et al. 2022 (arXiv 2203.15556): compute-optimal training"};
  Sourced<double> failures_per_1000_node_days{
      3.79, "derived: 419 unplanned interruptions of 2,048 nodes in 54 days, Llama 3 report (arXiv 2407.21783)"};
  Sourced<Seconds> restart{10 * minute, "estimate: to find a failure, replace the node and load the last checkpoint"};
};
const Record<AuditAssumptions>& record(const AuditAssumptions*);

/// Claims and assumptions of a blueprint, without the scenario (cluster, transformer, job) that it describes.
struct Blueprint {
  std::string name;
  std::string source;
  std::optional<int> racks;               ///< number of compute racks; as many as facility.rack.nodes needs if absent
  std::optional<double> training_tokens;  ///< tokens_per_parameter times the parameters if absent
  std::vector<Claim> claims;
  AuditAssumptions assume;
  AuditTolerance tolerance;

  /// Claim of a kind, or nullptr.
  const Claim* find(ClaimKind kind) const;
  /// Number that the claim of a kind states; none where it is not made.
  std::optional<double> stated_number(ClaimKind kind) const;
};

/// Checks that each claim is stated once and in the form of its kind.
/// @param source  document of the blueprint, for places
/// @throws ConfigError E0360 for words where a number belongs or the other way round, a share above 1, a layout that
/// cannot be read or a word with no meaning; E0361 for a claim that is made twice; E0203 for a kind of cooling that the
/// catalog lacks
void check_claims(const Blueprint& blueprint, const Catalog& catalog, const JsonValue& source);

struct LoadedBlueprint {
  Blueprint blueprint;
  std::optional<Scenario> scenario;  ///< none where the blueprint describes a machine without a job
  Cluster cluster;
  Catalog catalog;    ///< catalog with the cluster's own parts
  Facility facility;  ///< complete
  PriceList prices;
  std::vector<InputFile> inputs;
};

/// @throws ConfigError with every error found
LoadedBlueprint load_blueprint(const std::filesystem::path& path, const ScenarioOptions& options);

/// Description of a blueprint file, for `schema`, `explain` and docs.
const RecordSpec& blueprint_spec();

}  // namespace clusterwright
