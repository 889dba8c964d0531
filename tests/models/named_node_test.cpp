// SPDX-License-Identifier: Apache-2.0
// Nodes and accelerators by name: those that are sold, rented, described by hand, and misspelt.
#include <string>

#include "models/job/node_cluster.hpp"
#include "sim/diagnostic.hpp"
#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"

using namespace clusterwright;
using clusterwright::testing::shipped_parts;

namespace {

Diagnostic refused_node(const std::string& name) {
  try {
    named_node(name, shipped_parts());
  } catch (const ConfigError& error) {
    return error.diagnostics().front();
  }
  FAIL("found a node: " << name);
  return {};
}

constexpr const char* list_all = "   (list all: clusterwright catalog nodes)";

}  // namespace

TEST_CASE("an accelerator stands for the first node that is sold with it", "[models][nodes]") {
  CHECK(named_node("H100-SXM", shipped_parts()).id == "DGX H100");
  CHECK(named_node("GB200-GPU", shipped_parts()).accelerator_id == "GB200-GPU");
  CHECK(named_node("AWS p4d.24xlarge", shipped_parts()).rented);  // by its own name
}

TEST_CASE("an accelerator that no node is sold with is not called unknown", "[models][nodes]") {
  const Diagnostic error = refused_node("H20");
  CHECK(error.code == "E0203");
  CHECK(error.message == "no node of the catalog is sold with the accelerator \"H20\"");
  CHECK(error.help ==
        "describe its node: --on \"DGX H100\" --set 'cluster.node={\"accelerator\": \"H20\", \"nic\": "
        "\"ConnectX-7 NDR\"}', or the same in a cluster file (docs/machines.md)");
  CHECK(refused_node("h20").message == error.message);
}

TEST_CASE("an accelerator that is only rented names its nodes", "[models][nodes]") {
  const Diagnostic error = refused_node("A100-40-SXM");
  CHECK(error.message == "no node of the catalog is sold with the accelerator \"A100-40-SXM\"");
  CHECK(error.help ==
        "it is rented: name the node, \"AWS p4d.24xlarge\" or \"Azure ND96asr A100 v4\" or \"Google a2-highgpu-8g\"");
}

TEST_CASE("short names of parts suggest parts that a node is sold with", "[models][nodes]") {
  CHECK(refused_node("H100").help == std::string("did you mean \"H100-SXM\" or \"H100-NVL-94GB\"?") + list_all);
  CHECK(refused_node("A100").help == std::string("did you mean \"A100-80-SXM\" or \"A100-80-PCIe\"?") + list_all);
  CHECK(refused_node("GB200").help ==
        std::string("did you mean \"GB200-GPU\", \"GB200 NVL72 rack\" or \"GB200 compute tray\"?") + list_all);
  CHECK(refused_node("GB200 NVL72").help == std::string("did you mean \"GB200 NVL72 rack\"?") + list_all);
  CHECK(refused_node("B300").help == std::string("did you mean \"B300-HGX\"?") + list_all);
  CHECK(refused_node("Quantum-9").help == "(list all: clusterwright catalog nodes)");
}
