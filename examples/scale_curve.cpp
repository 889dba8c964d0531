// SPDX-License-Identifier: Apache-2.0
// Efficiency of a job over sizes of its cluster, and what the largest size would cost.
//   scale_curve [SCENARIO]
#include <clusterwright/clusterwright.hpp>
#include <cstdio>
#include <exception>

namespace cw = clusterwright;

namespace {

void print(const cw::PredictedScale& curve) {
  std::puts("    GPUs    tokens/s  efficiency");
  for (const auto& [step, efficiency, reason] : curve.points) {
    if (reason.empty())
      std::printf("%8d %11.0f %10.1f%%\n", step.accelerators, step.tokens_per_s, 100 * efficiency);
    else
      std::printf("%8d  %s\n", step.accelerators, reason.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const cw::Study study(argc > 1 ? argv[1] : cw::shipped_file("scenarios/llama3-70b-h100.json"));
    print(study.scale({256, 512, 1024}));
    const cw::SizedSite site = study.size();
    std::printf("As written: %d nodes in %d racks, %.0f kW from the grid, $%.1f M to buy, $%.2f per GPU and hour\n",
                site.nodes, site.racks, site.site_kw, site.capex_usd / 1e6, site.usd_per_accelerator_hour);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 2;
  }
}
