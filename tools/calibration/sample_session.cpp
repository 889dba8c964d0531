// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/sample_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "calibration/host/host_machine.hpp"
#include "calibration/sample_files/catalog_accelerator.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "sim/sha256.hpp"
#include "tools/cluster_session.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

bool is_gpu(const ProbeSamples& samples) {
  return samples.device.kind == ProbeDeviceKind::gpu;
}

/// Files of a folder in the order of their names.
std::vector<fs::path> sample_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Samples that are there twice would be fitted to and held out at once. @param inputs  files so far
void check_new(const fs::path& file, const std::vector<InputFile>& inputs) {
  const std::string hash = sha256(read_source(file.lexically_normal(), measurement_limits.bytes)->text());
  for (const InputFile& known : inputs) {
    if (known.sha256 != hash) continue;
    const auto place = [](const std::string& path) {
      return Place{std::make_shared<const SourceText>(path, ""), 0, 1, ""};
    };
    throw ConfigError({"E0340",
                       "the same samples are given twice",
                       {place(file.string()), place(known.path)},
                       "",
                       "name each file of samples once"});
  }
}

/// Reads all; drops documents without samples, and those of the host where there are GPUs.
void read_all(const std::vector<fs::path>& files, SampleSession& session) {
  for (const fs::path& file : files) {
    check_new(file, session.inputs);
    ProbeSamples samples = read_probe_samples(read_input(file, session.inputs, measurement_limits));
    if (samples.samples.empty())
      session.left_out.push_back(fmt::format("{}: it holds no samples", file.string()));
    else
      session.samples.push_back(std::move(samples));
  }
  if (std::none_of(session.samples.begin(), session.samples.end(), is_gpu)) return;
  const std::size_t hosts =
      std::erase_if(session.samples, [](const ProbeSamples& samples) { return !is_gpu(samples); });
  if (hosts > 0)
    session.left_out.push_back(
        fmt::format("{} file{} of the host: fit the host separately", hosts, hosts == 1 ? "" : "s"));
}

void check_any(const SampleSession& session, const std::vector<std::string>& paths) {
  if (!session.samples.empty()) return;
  throw ConfigError({"E0341",
                     fmt::format("there are no samples in {}", fmt::join(paths, ", ")),
                     {},
                     "",
                     "record some: clusterwright calibrate run"});
}

void check_one_kind(const SampleSession& session) {
  std::set<std::string> names;
  for (const ProbeSamples& samples : session.samples)
    names.insert(is_gpu(samples) ? samples.device.name : samples.device.cpu);
  if (names.size() < 2) return;
  throw ConfigError({"E0340",
                     fmt::format("the samples come from several devices: {}", fmt::join(names, ", ")),
                     {},
                     "",
                     "a fit takes one device: name only its files"});
}

AcceleratorPart named_part(const std::string& id, const Catalog& catalog) {
  if (const AcceleratorPart* part = catalog.find_accelerator(id)) return *part;
  std::vector<std::string> known;
  for (const AcceleratorPart& part : catalog.accelerators) known.push_back(part.id);
  const std::string meant = did_you_mean(id, known);
  throw ConfigError({"E0203",
                     fmt::format("unknown accelerator \"{}\"", id),
                     {},
                     "",
                     meant.empty() ? "list all: clusterwright catalog accelerators" : meant});
}

AcceleratorPart part_of(const ProbeSamples& samples, const std::string& asked, const Catalog& catalog) {
  if (!asked.empty()) return named_part(asked, catalog);
  if (!is_gpu(samples)) return host_part(samples);
  const ProbeDevice& device = samples.device;
  if (const auto id = catalog_accelerator(device.name, device.memory, catalog)) return named_part(*id, catalog);
  const auto near = nearest_accelerators(device.name, device.memory, catalog);
  throw ConfigError({"E0203",
                     fmt::format("the catalog has no accelerator \"{}\"", device.name),
                     {},
                     "",
                     near.empty()
                         ? "name the matching one with --accelerator   (list all: clusterwright catalog accelerators)"
                         : fmt::format("name the matching one with --accelerator; near: {}", fmt::join(near, ", "))});
}

}  // namespace

SampleSession open_samples(const SampleSessionRequest& request) {
  SampleSession session;
  read_all(sample_files(request.paths), session);
  check_any(session, request.paths);
  check_one_kind(session);
  for (ProbeSamples& samples : session.samples) samples = of_threads(std::move(samples), request.threads);
  const Catalog catalog = load_catalog(configs_directory() / "parts");
  session.part = part_of(session.samples.front(), request.accelerator, catalog);
  const bool generic = !is_gpu(session.samples.front()) && request.accelerator.empty();
  fs::path base = configs_directory() / "parameters" / "generic.json";
  if (!request.base.empty()) base = named_file(request.base, {"parameters"});
  if (request.base.empty() && !generic) base = parameter_file(session.part);
  session.base = decode_record<ParameterSet>(read_input(base, session.inputs));
  return session;
}

std::string origin_of(const SampleSession& session) {
  const ProbeSamples& first = session.samples.front();
  std::string from = first.tool;
  if (!first.date.empty()) from += ", " + first.date.substr(0, 10);
  if (!first.device.driver.empty()) from += ", driver " + first.device.driver;
  if (session.part.id == "host") from += ", " + first.device.cpu;
  return fmt::format("own samples of {} ({})", session.part.id, from);
}

SampledLinks links_of(const std::string& cluster, const SampleSession& session) {
  SampledLinks links;
  if (session.part.scale_up_bandwidth) links.scale_up = session.part.scale_up_bandwidth->value;
  if (!cluster.empty()) {
    const Cluster described = open_cluster(cluster, {}).cluster;
    links.scale_up = described.inner_bandwidth(described.domain);
    if (described.nics > 0) links.scale_out = described.network_per_accelerator();
  }
  if (crosses_nodes(session.samples) && links.scale_out <= BytesPerSecond{})
    throw ConfigError({"E0340",
                       "the samples cross nodes, but no network between the nodes is given",
                       {},
                       "",
                       "name the cluster of the samples: --cluster FILE   (clusterwright import "
                       "nccl-topology makes one)"});
  return links;
}

}  // namespace clusterwright
