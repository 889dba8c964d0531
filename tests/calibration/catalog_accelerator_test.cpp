// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/catalog_accelerator.hpp"

#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;

namespace {

const Catalog& shipped() {
  static const Catalog catalog = load_catalog(CLUSTERWRIGHT_CONFIGS "/parts");
  return catalog;
}

std::string accelerator(std::string_view name, double mebibytes = 0) {
  return catalog_accelerator(name, mebibytes * mebibyte, shipped()).value_or("none");
}

std::vector<std::string> near(std::string_view name, double mebibytes = 0) {
  return nearest_accelerators(name, mebibytes * mebibyte, shipped());
}

}  // namespace

TEST_CASE("every driver name leads to a part of the catalog", "[calibration][accelerator]") {
  std::set<std::string_view> names;
  for (const DriverName& row : driver_names()) {
    INFO(row.name);
    CHECK(shipped().find_accelerator(std::string(row.accelerator)));
    CHECK(accelerator("NVIDIA " + std::string(row.name)) == row.accelerator);
    CHECK(names.insert(row.name).second);
  }
}

TEST_CASE("names and memory as nvidia-smi lists them", "[calibration][accelerator]") {
  CHECK(accelerator("NVIDIA H200", 143771) == "H200");
  CHECK(accelerator("NVIDIA H100 80GB HBM3", 81559) == "H100-SXM");
  CHECK(accelerator("NVIDIA H100 PCIe", 81559) == "H100-PCIe");
  CHECK(accelerator("NVIDIA H100 NVL", 95830) == "H100-NVL-94GB");
  CHECK(accelerator("NVIDIA A100-SXM4-80GB", 81920) == "A100-80-SXM");
  CHECK(accelerator("NVIDIA A100-SXM4-40GB", 40960) == "A100-40-SXM");
  CHECK(accelerator("NVIDIA A100 80GB PCIe", 81920) == "A100-80-PCIe");
  CHECK(accelerator("NVIDIA A100-PCIE-40GB", 40960) == "A100-40-PCIe");
  CHECK(accelerator("NVIDIA B200", 183359) == "B200");
  CHECK(accelerator("NVIDIA GB200", 189471) == "GB200-GPU");
  CHECK(accelerator("NVIDIA B300 SXM6 AC", 275040) == "B300-HGX");
  CHECK(accelerator("NVIDIA GB300", 284208) == "GB300-GPU");
  CHECK(accelerator("NVIDIA GH200 480GB", 97871) == "GH200-96GB");
  CHECK(accelerator("NVIDIA GH200 120GB", 97871) == "GH200-96GB");
  CHECK(accelerator("NVIDIA GH200 144G HBM3e", 146831) == "GH200-144GB");
  CHECK(accelerator("NVIDIA H800", 81559) == "H800");
  CHECK(accelerator("NVIDIA H20", 97871) == "H20");
  CHECK(accelerator("NVIDIA L40S", 46068) == "L40S");
  CHECK(accelerator("NVIDIA GeForce RTX 4090", 24564) == "RTX-4090");
  CHECK(accelerator("NVIDIA GeForce RTX 3090", 24576) == "RTX-3090");
}

TEST_CASE("old drivers leave the maker's name out", "[calibration][accelerator]") {
  CHECK(accelerator("A100-SXM4-40GB", 40536) == "A100-40-SXM");
  CHECK(accelerator("  geforce  rtx 3090 ") == "RTX-3090");
}

TEST_CASE("boards that only look like a part are none", "[calibration][accelerator]") {
  for (const char* name :
       {"NVIDIA H200 NVL", "NVIDIA H800 PCIe", "NVIDIA A800-SXM4-80GB", "NVIDIA H20-3e", "NVIDIA A100-SXM-64GB",
        "NVIDIA L4", "NVIDIA L40", "Tesla V100-SXM2-32GB", "NVIDIA RTX 6000 Ada Generation",
        "NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 3090 Ti",
        "NVIDIA H100 80GB HBM3 MIG 3g.40gb", "NVIDIA", "", "\xff\xfe"}) {
    INFO(name);
    CHECK(accelerator(name) == "none");
  }
}

TEST_CASE("the memory tells boards of one name apart", "[calibration][accelerator]") {
  CHECK(accelerator("NVIDIA GB300", 256703) == "none");          // of a workstation: 252 GiB
  CHECK(accelerator("NVIDIA H100 80GB HBM3", 40192) == "none");  // a slice
  CHECK(accelerator("NVIDIA H20", 143771) == "none");
}

TEST_CASE("an accelerator that the catalog lacks is not found", "[calibration][accelerator]") {
  CHECK_FALSE(catalog_accelerator("NVIDIA H200", {}, Catalog{}));
  CHECK(nearest_accelerators("NVIDIA H200 NVL", {}, Catalog{}).empty());
}

TEST_CASE("unknown names suggest what shares their words, the nearest memory first", "[calibration][accelerator]") {
  using Ids = std::vector<std::string>;
  CHECK(near("NVIDIA H200 NVL", 143771) == Ids{"H200", "H100-NVL-94GB"});
  CHECK(near("NVIDIA A800-SXM4-80GB", 81920) == Ids{"A100-80-SXM"});
  CHECK(near("NVIDIA GeForce RTX 4090 D", 24564) == Ids{"RTX-4090"});
  CHECK(near("NVIDIA H20-3e", 143771) == Ids{"H20"});
  CHECK(near("NVIDIA GB300", 256703) == Ids{"GB300-GPU"});
  CHECK(near("NVIDIA A100-SXM-64GB", 65536).size() == 3);
  CHECK(near("Tesla V100-SXM2-32GB", 32768).empty());
  CHECK(near("").empty());
}
