// SPDX-License-Identifier: Apache-2.0
/// Figures that the checks of claims read, computed once, and the findings that they return.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/blueprint.hpp"
#include "models/site/audit/stated_layout.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

/// Degrees of one replica, and the number of replicas that fit.
struct LayoutUse {
  int tensor = 1, pipeline = 1, context = 1;
  int accelerators = 0;  ///< accelerators of the cluster
  int replicas = 0;      ///< replicas that together fill whole nodes

  int replica() const { return tensor * pipeline * context; }
  int used() const { return replicas * replica(); }
  int idle() const { return accelerators - used(); }
};

/// Accelerators that a layout uses where it does not divide them.
/// @throws ConfigError E0362 if not even one replica fits, E0363 if the claim on the layout names other degrees than
/// the job, or one that the job leaves open
LayoutUse layout_use(const Scenario& scenario, const StatedLayout& stated);

/// Numbers of pipeline stages that leave no accelerator idle, with tensor and context degrees unchanged: the nearest to
/// the layout's first, of equally near ones the larger, which needs less memory.
std::vector<int> whole_pipelines(const LayoutUse& use, std::int64_t layers);

/// Scenario on the accelerators that its layout uses, with a batch that its replicas divide.
struct UsedScenario {
  Scenario scenario;
  std::vector<std::string> changes;  ///< "37 replicas on 1184 of 1200 accelerators"; empty: none
};
UsedScenario used_part(const Scenario& scenario, const LayoutUse& use);

/// What an audit reads; all outlive it.
struct AuditInput {
  const Blueprint& blueprint;
  const Cluster& cluster;
  const Catalog& catalog;    ///< with the cluster's own parts
  const Facility& facility;  ///< complete
  const PriceList& prices;
  const Scenario* scenario = nullptr;  ///< job on the same cluster; null where the blueprint describes none
};

/// Job that a blueprint describes, with its prediction.
struct JobCase {
  /// @throws ConfigError as layout_use and predict_step
  /// @param scenario  with the hosts that the hall cools
  JobCase(const Blueprint& blueprint, Scenario scenario);

  Scenario scenario;
  LayoutUse layout;
  UsedScenario used;  ///< on the accelerators that the layout uses
  StepPrediction step;
  double parameters = 0;  ///< number of parameters of the transformer
};

/// Figures of the site, as `size` plans and prices it. Racks hold as many nodes as the blueprint states, even where
/// that exceeds a limit, else as many as planned.
struct SiteFigures {
  int nodes = 0;
  int nodes_per_rack = 0;
  int racks = 0;      ///< with nodes
  int all_racks = 0;  ///< in the hall, as planned
  Watts node_rated;   ///< nameplate
  Watts node_mean;    ///< mean of the predicted step; typical without a job
  Watts node_other;   ///< part of node_mean that its accelerators do not draw
  std::string node_part;
  Watts it_rated, it_mean;  ///< nodes, switches, storage, services
  double pue = 1;           ///< mean of a year
  Watts site_rated;         ///< power from the grid: it_rated times pue
  Watts site_hottest;       ///< power from the grid at it_rated on the design day
  Watts site_mean;
  long long switches = 0, links = 0;        ///< of the network for training
  std::string switches_words, links_words;  ///< "32 leaf + 16 spine", "1,016 node-leaf + 1,024 leaf-spine"
  BytesPerSecond storage_write;             ///< write rate of the file system that is planned; zero without one
  CostReport cost;

  Watts rack_rated() const { return node_rated * nodes_per_rack; }
  Watts rack_mean() const { return node_mean * nodes_per_rack; }
};

/// @param step  prediction on the accelerators that the layout uses, with the hosts that the hall cools; null without a
///              job
SiteFigures site_figures(const AuditInput& input, const StepPrediction* step);

struct AuditCase {
  /// @throws ConfigError as JobCase and price_plan
  explicit AuditCase(const AuditInput& input);

  /// Words for the state that mean power belongs to.
  const char* in_use() const { return job ? "in the predicted step" : "in typical use"; }

  const Blueprint& blueprint;
  const Cluster& cluster;
  const Catalog& catalog;
  const Facility& facility;
  std::optional<JobCase> job;
  SiteFigures site;
};

enum class Holds { yes, partly, no };
inline constexpr std::array<std::string_view, 3> holds_names = {"yes", "partly", "no"};

struct ClaimFinding {
  ClaimKind claim = ClaimKind::accelerators;
  std::string words;                   ///< sentence as published; may be empty
  std::optional<NumberOrText> stated;  ///< none: the blueprint should state it, and does not
  NumberOrText computed;
  std::optional<Holds> holds;       ///< none where nothing is stated
  std::optional<double> error;      ///< computed over stated, less 1; none for words
  std::optional<double> low, high;  ///< 90 % interval of the computed number, where it follows from that of the step
  std::string arithmetic;           ///< one line with the numbers
  std::string remedy;               ///< change that would make it hold; may be empty
};

/// Side of the stated number that is good.
enum class ClaimSense { equal, at_most, at_least };

/// Deviation that the claim of a kind may have, else that of every claim.
AuditTolerance tolerance_of(const Blueprint& blueprint, ClaimKind kind);

/// Verdict on a computed number against a stated one.
/// @param conditional  whether the claim holds only under a condition that the arithmetic names
Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance,
            bool conditional = false);

/// Verdict on a claim that is right or wrong.
inline Holds judge(bool right, bool conditional = false) {
  return right ? Holds::yes : conditional ? Holds::partly : Holds::no;
}

/// Whether a computed number is within the first tolerance of what the blueprint states; false where it states nothing.
bool near_stated(const Blueprint& blueprint, ClaimKind kind, double computed, ClaimSense sense);

/// Finding before its check: the kind, and what the blueprint states.
ClaimFinding finding_of(const Blueprint& blueprint, ClaimKind kind);
/// Adds number, error and verdict. @param conditional  see `judge`
void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense,
              bool conditional = false);
/// 90 % interval of a computed number, from that of the step.
struct ClaimRange {
  double low = 0, high = 0;
};
/// Adds number, interval, error and verdict: a stated number inside the interval holds at least in part.
void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense,
              const ClaimRange& range, bool conditional = false);
/// Adds computed words and verdict of a claim in words.
void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional = false);

}  // namespace clusterwright
