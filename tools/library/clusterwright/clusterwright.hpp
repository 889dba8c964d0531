// SPDX-License-Identifier: Apache-2.0
/// clusterwright as a library: start here. The only header that programs need; it includes nothing but the standard
/// library.
///
///   const clusterwright::Study study(clusterwright::shipped_file("scenarios/llama3-405b-h100.json"));
///   std::cout << study.predict().mfu << '\n';
///
/// Numbers are plain, in the unit that ends their name: _s seconds, _kw kilowatts, _usd dollars. They are the numbers
/// that `clusterwright run|scale|collective|size --format json` gives under the same names. Every function throws
/// std::runtime_error for input that contradicts itself; its text shows file, line and what would be right. A plan that
/// does not fit is an answer, not an error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clusterwright {

struct Scenario;

/// Training run of a job that states its end (job.tokens or job.steps), without failures and restarts.
struct PredictedRun {
  std::int64_t steps = 0;
  double days = 0;
  double days_low = 0;   ///< 90 % interval
  double days_high = 0;  ///< 90 % interval
  double gpu_hours = 0;  ///< of all accelerators that the run holds, idle ones included
  double nodes_mwh = 0;  ///< energy of all nodes of the job
};

/// One training step.
struct PredictedStep {
  int accelerators = 0;
  bool fits = false;
  std::string verdict;                        ///< one sentence: how much memory is used, or what does not fit
  double step_time_s = 0;                     ///< also where it does not fit, as the time it would take
  double step_time_low_s = 0;                 ///< 90 % interval
  double step_time_high_s = 0;                ///< 90 % interval
  double tokens_per_s = 0;                    ///< all accelerators together
  double mfu = 0;                             ///< model FLOPs over the data sheet's peak, 0 to 1
  double nodes_kw = 0;                        ///< mean power of all nodes of the job
  double energy_per_token_j = 0;              ///< energy of those nodes
  std::map<std::string, double> breakdown_s;  ///< step_time_s by cause, mean over ranks: "compute_gemm", "bubble"
  std::string bottleneck;                     ///< one sentence: what to change first
  std::optional<PredictedRun> training_run;   ///< absent if the job states no end
};

/// One size of a cluster on the efficiency curve.
struct PredictedScale {
  struct Point {
    PredictedStep step;     ///< meaningless where `reason` is set
    double efficiency = 0;  ///< tokens/s per accelerator over that of the first feasible point
    std::string reason;     ///< why the size is impossible; empty if it is not
  };
  std::vector<Point> points;  ///< in the order asked for
  int knee =
      0;  ///< largest size up to which tokens/s grow 1.8 times per doubling; 0 where the range does not bracket it
};

/// Purchase and operation of a cluster.
struct SizedSite {
  struct Item {
    std::string part;
    std::string use;
    std::int64_t count = 0;
    double usd_each = 0;  ///< 0 where no price is known
  };
  bool holds = false;  ///< every check of floor, power and cooling holds
  int accelerators = 0;
  int nodes = 0;  ///< without spares
  int racks = 0;
  std::vector<Item> items;  ///< bill of materials, building included
  double nodes_kw = 0;      ///< mean power of all nodes
  double it_kw = 0;         ///< mean power of all machines, switches included
  double site_kw = 0;       ///< mean power from the grid
  double capex_usd = 0;
  double usd_per_accelerator_hour = 0;
  double run_usd = 0;               ///< whole training run; 0 if the job states no end or does not fit
  double run_usd_low = 0;           ///< 90 % interval, that of the step: prices count as known
  double run_usd_high = 0;          ///< 90 % interval
  double utilisation = 0;           ///< share of all hours in use, inside every price of an hour in use
  double goodput = 0;               ///< share of those hours in which steps run, inside every price of tokens and runs
  std::vector<std::string> failed;  ///< checks that do not hold, a sentence each
};

/// One scenario file, read and checked. Copies share it; const members may be called from several threads.
class Study {
 public:
  /// @param settings    "path=value" in order: "job.parallel.tensor=4"
  /// @param parameters  file of fitted parameters; empty: the shipped ones of the accelerator
  explicit Study(const std::string& scenario_file, const std::vector<std::string>& settings = {},
                 const std::string& parameters = {});

  PredictedStep predict() const;

  /// @param strong  the global batch stays; otherwise the batch per replica
  PredictedScale scale(const std::vector<int>& accelerators, bool strong = true) const;

  /// Everything that has to be bought, placed, powered, cooled and paid for to run the scenario.
  SizedSite size() const;

 private:
  std::shared_ptr<const Scenario> scenario_;
};

/// One collective over one group of accelerators, nodes filled one after the other.
struct CollectiveQuestion {
  std::string op = "all_reduce";    ///< all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send
  int accelerators = 0;             ///< size of the group; 0: the whole cluster
  std::vector<std::int64_t> bytes;  ///< sizes as nccl-tests prints them
};

struct PredictedCollective {
  std::int64_t bytes = 0;
  double time_s = 0;
  double time_low_s = 0;   ///< 90 % interval
  double time_high_s = 0;  ///< 90 % interval
  double bus_bandwidth_gb_per_s = 0;
  std::string algorithm;
  std::string protocol;
  std::string limit;  ///< what more of would help first: "latency", "NICs", "leaf-spine links"
};

/// @param cluster_file  a cluster, or a scenario whose cluster is taken
/// @return an answer for each size, in order
std::vector<PredictedCollective> predict_collectives(const std::string& cluster_file,
                                                     const CollectiveQuestion& question);

/// Path of a shipped file: "scenarios/llama3-405b-h100.json", "clusters/h100-superpod.json".
std::string shipped_file(const std::string& name);

/// Folder of the shipped data, with `configs` in it. Programs that find clusterwright by find_package need not call
/// this: the package says where its data lie. $CLUSTERWRIGHT_CONFIGS overrules it.
bool set_data_folder(const std::string& folder);

#ifdef CLUSTERWRIGHT_DATA_FOLDER
inline const bool data_folder_is_set = set_data_folder(CLUSTERWRIGHT_DATA_FOLDER);
#endif

}  // namespace clusterwright
