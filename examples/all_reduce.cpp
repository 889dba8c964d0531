// SPDX-License-Identifier: Apache-2.0
// What all-reduces of several sizes take on a cluster.
//   all_reduce [CLUSTER]
#include <clusterwright/clusterwright.hpp>
#include <cstdio>
#include <exception>

namespace cw = clusterwright;

int main(int argc, char** argv) {
  try {
    const std::string cluster = argc > 1 ? argv[1] : cw::shipped_file("clusters/h100-superpod.json");
    cw::CollectiveQuestion question;
    question.accelerators = 64;
    question.bytes = {1 << 20, 1 << 26, 1 << 30};
    std::puts("       bytes       us    bus GB/s  algorithm  limit");
    for (const cw::PredictedCollective& row : cw::predict_collectives(cluster, question))
      std::printf("%12lld %8.1f %10.1f   %-9s  %s\n", static_cast<long long>(row.bytes), 1e6 * row.time_s,
                  row.bus_bandwidth_gb_per_s, row.algorithm.c_str(), row.limit.c_str());
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 2;
  }
}
