// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/global_links.hpp"

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

GlobalLinks::GlobalLinks(int groups_, long long ports, int per_pair) : groups(groups_) {
  if (groups < 2) return;
  everywhere = ports / (groups - 1);
  if (everywhere < std::max(1, per_pair)) throw std::invalid_argument("the groups of a dragonfly must all be joined");
  if (per_pair > 0) {
    everywhere = per_pair;
    return;
  }
  extra = static_cast<int>(ports % (groups - 1));
  // Extra cables pair up groups at distance e and -e; an odd number needs groups that lie opposite.
  if (extra % 2 == 1 && groups % 2 == 1) --extra;
}

long long GlobalLinks::half_cut() const {
  const long long half = groups / 2;
  long long cut = everywhere * half * half;
  // A ring is cut in two places; cables of distance e pass over each of them e times.
  for (long long e = 1; e <= extra / 2; ++e) cut += 2 * e;
  if (extra % 2 == 1) cut += half;
  return cut;
}

std::vector<GlobalLinks::Cable> GlobalLinks::cables() const {
  std::vector<Cable> list;
  list.reserve(static_cast<std::size_t>(all()));
  const auto join = [&](int from, int distance, long long from_port, long long to_port) {
    list.push_back({from, from_port, (from + distance) % groups, to_port});
  };
  const long long first_extra = everywhere * (groups - 1);
  for (int group = 0; group < groups; ++group) {
    // The cable to the group at distance d has port d - 1 of each round; seen from there the distance is groups - d.
    for (long long round = 0; round < everywhere; ++round)
      for (int d = 1; group + d < groups; ++d)
        join(group, d, round * (groups - 1) + d - 1, round * (groups - 1) + groups - d - 1);
    for (int e = 1; e <= extra / 2; ++e) join(group, e, first_extra + 2 * (e - 1), first_extra + 2 * (e - 1) + 1);
    if (extra % 2 == 1 && group < groups / 2) join(group, groups / 2, first_extra + extra - 1, first_extra + extra - 1);
  }
  return list;
}

}  // namespace clusterwright
