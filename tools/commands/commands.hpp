// SPDX-License-Identifier: Apache-2.0
/// The commands of the program, one function each in a file of its own name. They know nothing of option parsing.
///
/// Results go to standard output or files, everything else to standard error.
/// @throws ConfigError for wrong input, Interrupted after a Ctrl-C
#pragma once

#include <string>
#include <vector>

#include "tools/exit_code.hpp"
#include "tools/output/output_target.hpp"

namespace clusterwright {

/// Options of every computing command.
struct ScenarioRequest {
  std::string scenario;               ///< path of the file; of a model where `on` names the machine
  std::string on;                     ///< node or accelerator that the cluster is made of; empty: as the scenario says
  std::string gpus;                   ///< number of accelerators; empty: as the scenario says
  std::vector<std::string> settings;  ///< "path=value"
  std::string parameters;             ///< path; empty: as the scenario says
  std::vector<std::string> faults;    ///< broken and slow parts of the network
  std::vector<std::string> slow;      ///< slower devices, as `parse_slow` reads them
  std::string cap;                    ///< power limit of accelerators, "80%" or "560W"; empty: as the scenario says
  std::string placement;              ///< order of nodes, or a file with their numbers; empty: as the scenario says
  std::string seed = "0";
  std::string command_line;  ///< command line as typed, for the report
};

struct RunRequest {
  ScenarioRequest scenario;
  OutputRequest output;
  std::string timeline;  ///< file for a trace; empty: none
  std::string heat;      ///< file for the heat of the links, format by its suffix; empty: none
  bool unfold = false;   ///< every accelerator for itself beside the folded step
  bool explain = false;
  std::string samples;        ///< number of seeds; empty: none beside that of the answer
  std::string beside;         ///< scenario of another job on the machine; empty: none
  bool blast_radius = false;  ///< what one failed part of each kind costs
  bool advise = false;        ///< tries layouts near the scenario's
};
ExitCode run(const RunRequest& request);

struct ScaleRequest {
  ScenarioRequest scenario;
  OutputRequest output;
  std::string gpus;     ///< a range; empty: an error with an example
  std::string mode;     ///< empty: strong
  bool replan = false;  ///< searches the layout anew at each size
  std::string power;    ///< instead of sizes: what the grid grants, "20MW"
  std::string caps;     ///< power limits to compare at that power, "100,80,60" percent of the rating
  std::string halls;    ///< files of configs/facilities to compare there, "air,direct-to-chip"; empty: the scenario's
};
ExitCode scale(const ScaleRequest& request);

/// Power over time; measures as facility.stabilization has them.
struct WaveRequestOptions {
  ScenarioRequest scenario;
  OutputRequest output;
  std::string length;                ///< "5min"; empty: two minutes
  std::string stall;                 ///< "5s": a pause in which all ranks wait; empty: none
  std::string utility;               ///< catalog entry of an interconnection; empty: as the facility says
  std::string floor;                 ///< firmware floor, "65%"; empty: as the facility says
  std::string filler;                ///< filler work, likewise
  std::vector<std::string> storage;  ///< catalog entries; empty: as the facility says
};
/// @return impossible if a limit of the named utility does not hold
ExitCode wave(const WaveRequestOptions& request);

/// What to buy for a training run. All targets are texts with units; empty: none.
struct PlanRequest {
  ScenarioRequest scenario;  ///< `on`: nodes or accelerators with commas; empty: one node of each priced accelerator
  OutputRequest output;
  std::string tokens, days, budget, power, racks;
  std::string chance = "50%";     ///< that the run is in time
  std::string hall;               ///< file of configs/facilities; empty: the usual hall of each node
  std::string sizes;              ///< numbers of accelerators to choose from; empty: those of each machine
  std::string objective;          ///< of the plan that is named best; empty: cost, or days where only others limit
  std::string precisions;         ///< "bf16,fp8"; empty: both where the part has them
  std::string caps;               ///< "100,80": power limits in percent of the rating; empty: none
  std::vector<std::string> vary;  ///< "taper=1,2": machines that differ in a field; all combinations
};
/// @return impossible if nothing meets all targets
ExitCode plan(const PlanRequest& request);

/// Options of a question beside each other.
struct CompareRequest {
  ScenarioRequest common;              ///< options that all share; `scenario` stays empty
  std::vector<std::string> scenarios;  ///< one for each option, unless `vary` makes several of each
  std::vector<std::string> vary;       ///< "node=B200,H200", "job.parallel.tensor=2,4"; all combinations
  bool replan = false;                 ///< the layout of each option is searched
  bool exit_code = false;              ///< whether a difference ends the program with code 3
  OutputRequest output;
};
/// @return impossible if no option runs; difference as `exit_code` asks
ExitCode compare(const CompareRequest& request);

/// Jobs beside each other on one power.
struct ShareRequest {
  ScenarioRequest common;              ///< options that all share; `scenario` stays empty
  std::vector<std::string> scenarios;  ///< one for each job
  std::string power;                   ///< what the grid grants in the mean, "2MW"
  std::string weights;                 ///< of the work of each job, "2,1"; empty: all 1
  OutputRequest output;
};
ExitCode share(const ShareRequest& request);

/// Worth of 10 % more of each resource of a job.
struct SensitivityRequest {
  ScenarioRequest scenario;
  OutputRequest output;
};
/// @return impossible if the job does not fit
ExitCode sensitivity(const SensitivityRequest& request);

struct SearchCommandRequest {
  ScenarioRequest scenario;
  OutputRequest output;
  std::string gpus;  ///< one count; empty: as many as the scenario has
  std::string objective = "time";
  std::vector<std::string> constraints;  ///< "tensor<=8"
  std::string top = "5";                 ///< plans that are predicted in full
  std::string layouts = "5M";            ///< layouts that are evaluated at most
  std::string replays = "100";
  bool keep = false;  ///< whatever the scenario states of the layout stays
};
ExitCode search(const SearchCommandRequest& request);

struct FitsRequest {
  std::string model;  ///< transformer: a name in configs/transformers, a file, or a Hugging Face config.json
  std::string gpu;    ///< id of an accelerator
  std::string task = "train";
  std::string sequence;  ///< tokens; empty: 4,096, or as many as the model has positions for
  std::string batch;     ///< sequences per step; empty: four for each GPU
  std::string precision = "bf16";
  std::string lora_rank = "16";
  std::string stack;  ///< empty: the usual ones
  std::string most = "4096";
  std::string command_line;
  OutputRequest output;
};
ExitCode fits(const FitsRequest& request);

/// Options stay text until the command reads them; empty ones take the default that the help names.
struct CollectiveCommandRequest {
  std::string cluster;                ///< path of a cluster or scenario file
  std::string on;                     ///< in its place: nodes by name, `gpus` of them, all in one group
  std::vector<std::string> settings;  ///< "path=value" of the cluster's fields
  std::string parameters;
  std::string op = "all_reduce";
  std::string bytes = "8..8Gx2";
  std::string gpus;        ///< GPUs of one group; empty: all
  std::string concurrent;  ///< groups at once: a count or "all"; empty: one
  std::string placement = "contiguous";
  std::string hosts;       ///< a Slurm hostlist
  std::string stride;      ///< accelerators between neighbours of a group
  std::string per_domain;  ///< accelerators that the job uses of each scale-up domain; empty: as the cluster says
  std::string algorithm, protocol;
  std::vector<std::string> failures;
  std::string routing;
  std::string queue_pairs;  ///< empty: as the fabric says
  bool sharp = false;
  std::string experts, top_k, domain_limit, imbalance;  ///< options of dispatch and combine
  bool inside_over_nics = false;                        ///< another one: direct copies use no scale-up links
  std::string seed;                                     ///< empty: paths as the fabric says, nodes with seed 0
  OutputRequest output;
};
ExitCode collective(const CollectiveCommandRequest& request);

struct SizeRequest {
  ScenarioRequest scenario;  ///< or a cluster file: then without a job
  std::string prices;        ///< a name in configs/prices, or a path; empty: as the scenario says
  std::string elevations;    ///< file for the devices of every rack; empty: none
  std::string patch_list;    ///< file for both ends of every cable; empty: none
  OutputRequest output;
};
ExitCode size(const SizeRequest& request);

struct AuditRequest {
  ScenarioRequest blueprint;  ///< `scenario` is the path of the blueprint
  OutputRequest output;
};
/// @return impossible if a claim does not hold
ExitCode audit(const AuditRequest& request);

struct ValidateRequest {
  std::vector<std::string> cases;  ///< files in the schema of the measurement set; empty: all that are shipped
  bool cross = false;              ///< also fits without the predicted cases
  bool designs = false;            ///< published designs of plants instead of measurements
  std::string parameters;          ///< a file, instead of the shipped set of its accelerator
  std::string max_error;           ///< largest median of a family with exit code 0; empty: none
  std::string command_line;        ///< command line as typed, for the report
  OutputRequest output;
};
ExitCode validate(const ValidateRequest& request);
/// Counts, watts and dollars of the designs in configs/designs.
ExitCode validate_designs(const ValidateRequest& request);

struct CalibrateRunRequest {
  std::string suite = "quick";
  std::string require;  ///< "gpu": its absence is an error
  std::string only;     ///< "host", "gpu"; empty: both
  std::string folder = "clusterwright-samples";
  std::string scratch;  ///< folder for the probe of storage; empty: the system's temporary folder
  std::string budget;   ///< time for each device; empty: the suite's
  std::string device = "0";
  OutputRequest output;
};
ExitCode calibrate_run(const CalibrateRunRequest& request);

struct CalibrateFitRequest {
  std::vector<std::string> files;  ///< samples, and folders of them
  std::string accelerator;         ///< catalog id; empty: by the driver's name
  std::string base;                ///< a parameter file; empty: the one that `run` would take
  std::string name;                ///< name of the new set; empty: name of the accelerator
  std::string cluster;             ///< cluster of the logged collectives; empty: links of the data sheet, one node
  std::string host_threads;        ///< threads of the host samples to use; empty: the most that ran
  bool keep_poor = false;          ///< a section that misses its limit keeps the base's values, instead of refusing
  OutputRequest output;            ///< .json: the parameter file; others: the report
};
ExitCode calibrate_fit(const CalibrateFitRequest& request);

struct CalibrateShowRequest {
  std::vector<std::string> files;  ///< a parameter file, samples, folders of samples
  std::string accelerator, cluster, host_threads;
  OutputRequest output;
};
ExitCode calibrate_show(const CalibrateShowRequest& request);

/// A small training step of this host, predicted from its samples and then run.
struct CalibrateLoopRequest {
  std::string samples;          ///< a file or folder; empty: the host is probed first
  std::string processes = "2";  ///< largest number of processes; the run starts with one
  std::string repetitions = "11";
  std::string layers = "4", hidden = "256", sequences = "2";
  OutputRequest output;
};
ExitCode calibrate_loop(const CalibrateLoopRequest& request);

struct ImportNcclTestsRequest {
  std::string file;       ///< a log, or the JSON that -J writes
  std::string operation;  ///< operation, for logs that do not name it; empty: as the log says
  std::string date;       ///< UTC; empty: not known
  OutputRequest output;
};
ExitCode import_nccl_tests(const ImportNcclTestsRequest& request);

struct ImportTopologyRequest {
  std::string file;  ///< file that NCCL_TOPO_DUMP_FILE names
  std::string accelerator, nic, nodes, transport, name;
  OutputRequest output;
};
ExitCode import_nccl_topology(const ImportTopologyRequest& request);

struct ImportHfConfigRequest {
  std::string file;  ///< config.json
  std::string name;
  OutputRequest output;
};
ExitCode import_hf_config_file(const ImportHfConfigRequest& request);

struct CheckRequest {
  std::vector<std::string> files;
  bool quiet = false;
};
ExitCode check(const CheckRequest& request);

struct ShowRequest {
  std::string file;
  std::string on, gpus;  ///< in its place: nodes by name and the number of their accelerators
  std::vector<std::string> settings;
  std::string parameters;
  bool topology = false;              ///< show the cluster of a scenario
  std::vector<std::string> failures;  ///< failures as in `collective`; imply the topology
  OutputRequest output;
};
ExitCode show(const ShowRequest& request);

struct InitRequest {
  std::string name;
  std::string from = "llama3-405b-h100";
  bool quiet = false;
  std::string model;  ///< transformer to pretrain instead; then `on` and `gpus` say where
  std::string on;     ///< node or accelerator
  std::string gpus;
};
ExitCode init(const InitRequest& request);

struct SchemaRequest {
  std::string kind = "scenario";
};
ExitCode schema(const SchemaRequest& request);

struct ExplainRequest {
  std::string topic;  ///< a field path, an error code, or empty for an overview
};
ExitCode explain(const ExplainRequest& request);

struct CatalogRequest {
  std::string section;  ///< "accelerators"; empty: counts
  std::string id;
  OutputRequest output;
};
ExitCode catalog(const CatalogRequest& request);

struct DoctorRequest {
  OutputRequest output;
};
/// Examines this machine and lists the tasks that it can run. Missing things are findings, not failures.
ExitCode doctor(const DoctorRequest& request);

struct VersionRequest {
  OutputRequest output;
};
ExitCode version(const VersionRequest& request);

}  // namespace clusterwright
