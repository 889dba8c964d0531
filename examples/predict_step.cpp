// SPDX-License-Identifier: Apache-2.0
// One training step of a scenario, and what it would be with recomputation.
//   predict_step [SCENARIO]
#include <clusterwright/clusterwright.hpp>
#include <cstdio>
#include <exception>

namespace cw = clusterwright;

namespace {

void print(const char* title, const cw::PredictedStep& step) {
  std::printf("%s: %.3f s (%.3f to %.3f), MFU %.1f %%, %.0f kW; %s\n", title, step.step_time_s, step.step_time_low_s,
              step.step_time_high_s, 100 * step.mfu, step.nodes_kw, step.verdict.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string file = argc > 1 ? argv[1] : cw::shipped_file("scenarios/llama3-405b-h100.json");
    print("as written", cw::Study(file).predict());
    print("all layers recomputed", cw::Study(file, {"job.recompute=full"}).predict());
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 2;
  }
}
