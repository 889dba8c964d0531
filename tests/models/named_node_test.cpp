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

TEST_CASE("chips of a torus take the smallest slice that holds them", "[models][nodes]") {
  const auto taken = [](const char* chip, int count) { return named_node(chip, shipped_parts(), count).id; };
  CHECK(taken("TPU-v5p", 64) == "TPU v5p host of a 4x4x4 slice");
  CHECK(taken("TPU-v5p", 128) == "TPU v5p host of a 8x8x8 slice");  // 64 < 128 <= 512
  CHECK(taken("TPU-v5p", 512) == "TPU v5p host of a 8x8x8 slice");
  CHECK(taken("TPU-v5p", 513) == "TPU v5p host of a 8x8x16 slice");
  CHECK(taken("TPU-v5p", 4096) == "TPU v5p host of a 16x16x16 slice");
  CHECK(taken("TPU-v6e", 64) == "TPU v6e host of a 8x8 slice");
  CHECK(taken("TPU-v6e", 256) == "TPU v6e host of a 16x16 slice");
}

TEST_CASE("a pod is taken where it is full, and where no slice holds the chips the largest one is", "[models][nodes]") {
  const auto taken = [](const char* chip, int count) { return named_node(chip, shipped_parts(), count).id; };
  CHECK(taken("TPU-v5p", 8960) == "TPU v5p pod");
  CHECK(taken("TPU-v5p", 8192) == "TPU v5p host of a 16x16x16 slice");  // twice; a pod would leave 768 idle
  CHECK(taken("TPU-v6e", 512) == "TPU v6e host of a 16x16 slice");
  CHECK(taken("TPU-v4", 64) == "TPU v4 rack");  // first of two domains of 64
  CHECK(taken("TPU-v4", 32) == "TPU v4 host of a 4x4x4 slice");
  CHECK(taken("TPU-v5p", 0) == "TPU v5p pod");  // no number: the first of the catalog
}

TEST_CASE("servers and racks are the first of the catalog for every number", "[models][nodes]") {
  for (const char* name : {"H100-SXM", "A100-80-SXM", "V100-SXM-32GB", "GB200-GPU", "MI250X", "Trainium2", "MI300X"})
    for (const int count : {1, 8, 16, 64, 72, 512, 4096}) {
      INFO(name << " x " << count);
      CHECK(sold_node(name, shipped_parts(), count) == sold_node(name, shipped_parts()));
    }
}

TEST_CASE("an accelerator of several slices names the others", "[models][nodes]") {
  CHECK(slice_remark("TPU-v6e", "TPU v6e host of a 16x16 slice", shipped_parts()) ==
        "--on TPU-v6e takes \"TPU v6e host of a 16x16 slice\", whose domain of 256 suits the number of accelerators; "
        "others by name: \"TPU v6e host of a 8x8 slice\"");
  CHECK(slice_remark("TPU v6e host of a 16x16 slice", "TPU v6e host of a 16x16 slice", shipped_parts()).empty());
  CHECK(slice_remark("H100-SXM", "DGX H100", shipped_parts()).empty());
  CHECK(slice_remark("", "TPU v6e host of a 16x16 slice", shipped_parts()).empty());
  CHECK(slice_remark("H100-SXM", "no node", shipped_parts()).empty());
}

TEST_CASE("an accelerator that no node is sold with is not called unknown", "[models][nodes]") {
  const Diagnostic error = refused_node("H20");
  CHECK(error.code == "E0203");
  CHECK(error.message == "no node of the catalog is sold with the accelerator \"H20\"");
  CHECK(
      error.help ==
      "describe its node in place of --on: --set 'cluster={\"accelerators\": 64, \"node\": {\"accelerator\": \"H20\", "
      "\"nic\": \"ConnectX-7 NDR\"}}', or the same in a cluster file (docs/machines.md)");
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
