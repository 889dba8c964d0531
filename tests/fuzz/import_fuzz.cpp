// SPDX-License-Identifier: Apache-2.0
// The importers on arbitrary bytes: the first byte chooses. Wrong input may only end in a ConfigError; what is
// accepted must be a document that reads back, a cluster that builds, a transformer that can be counted.
// Wants clang++ -fsanitize=fuzzer,address,undefined, and the folders below compiled with fuzzer-no-link in its place.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "models/job/hf_config.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/import/nccl_tests.hpp"
#include "tools/import/topology_cluster.hpp"
#include "topology/cluster/cluster.hpp"

using namespace clusterwright;

namespace {

/// Two accelerators and a NIC, so that guesses succeed and fail.
const Catalog& small_catalog() {
  static const Catalog catalog = [] {
    Catalog out;
    out.accelerators.resize(2);
    for (AcceleratorPart& part : out.accelerators) part.vendor = "NVIDIA";
    out.accelerators[0].id = "H100-SXM";
    out.accelerators[0].architecture = "Hopper";
    out.accelerators[0].scale_up_links = Sourced<int>{18};
    out.accelerators[0].scale_up_bandwidth = Sourced<BytesPerSecond>{450 * gigabyte_per_second};
    out.accelerators[0].host_bandwidth = Sourced<BytesPerSecond>{63 * gigabyte_per_second};
    out.accelerators[1].id = "L40S";
    out.accelerators[1].architecture = "Ada";
    out.nics.emplace_back().id = "ConnectX-7 NDR";
    out.nics.back().rate = Sourced<BytesPerSecond>{400 * gigabit_per_second};
    return out;
  }();
  return catalog;
}

void import_log(const std::shared_ptr<const SourceText>& source, const std::string& operation) {
  const ProbeSamples samples = read_nccl_tests(source, {"2026-11-21T21:04:06Z", operation});
  const JsonValue document = write_probe_samples(samples);
  if (write_json(write_probe_samples(read_probe_samples(document))) != write_json(document)) __builtin_trap();
}

void import_topology(const std::shared_ptr<const SourceText>& source, const std::string& accelerator) {
  const NodeTopology topology = read_nccl_topology(source);
  for (std::size_t gpu = 0; gpu < topology.gpus.size() && gpu < 64; ++gpu) nearest_nics(topology, gpu);
  ClusterImport options;
  options.accelerator = accelerator;
  options.nodes = 2;
  options.transport = Transport::roce;
  const JsonValue document = cluster_of(topology, options, small_catalog());
  try {
    build_cluster(decode_record<ClusterSpec>(document), small_catalog(), document);
  } catch (const ConfigError&) {
    __builtin_trap();
  }
}

void import_model(const std::shared_ptr<const SourceText>& source) {
  const HfImport imported = import_hf_config(read_json(source));
  const auto text = std::make_shared<const SourceText>("own", write_json(imported.document));
  const double count = total_parameters(decode_record<Transformer>(read_json(text)));
  if (!std::isfinite(count) || count != total_parameters(imported.transformer)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto source =
      std::make_shared<const SourceText>("fuzz", std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  try {
    switch (data[0] % 5) {
      case 0:
        import_log(source, "");
        break;
      case 1:
        import_log(source, "all_gather");
        break;
      case 2:
        import_topology(source, "");
        break;
      case 3:
        import_topology(source, "H100-SXM");
        break;
      default:
        import_model(source);
    }
  } catch (const ConfigError&) {
  }
  return 0;
}
