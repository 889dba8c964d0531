// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace clusterwright {

namespace {

using Ranks = std::vector<NcclTestsRank>;

void contradiction(std::string message, std::vector<Place> places, std::string help, std::vector<Diagnostic>& errors) {
  errors.push_back({"E0340", std::move(message), std::move(places), "", std::move(help)});
}

/// Copies of one program that do not know each other all call themselves rank 0.
void check_once(const Ranks& ranks, std::vector<Diagnostic>& errors) {
  std::map<std::int64_t, const NcclTestsRank*> seen;
  for (const NcclTestsRank& rank : ranks) {
    const auto [first, fresh] = seen.emplace(rank.rank, &rank);
    if (fresh) continue;
    contradiction(fmt::format("rank {} is listed twice", rank.rank), {rank.place, first->second->place},
                  "programs that were built without MPI each run alone; build nccl-tests with MPI=1", errors);
    return;
  }
}

void check_same_gpu(const Ranks& ranks, std::vector<Diagnostic>& errors) {
  for (const NcclTestsRank& rank : ranks) {
    if (rank.gpu == ranks.front().gpu) continue;
    contradiction(fmt::format("the GPUs differ: \"{}\" and \"{}\"", rank.gpu, ranks.front().gpu),
                  {rank.place, ranks.front().place}, "samples are of one kind of GPU; measure the kinds apart", errors);
    return;
  }
}

std::int64_t listed(const Ranks& ranks) {
  std::int64_t sum = 0;
  for (const NcclTestsRank& rank : ranks) sum += rank.stands_for;
  return sum;
}

/// @pre all ranks are listed
void count_nodes(const Ranks& ranks, NcclTestsLayout& layout, std::vector<Diagnostic>& errors) {
  std::map<std::string, std::pair<std::int64_t, const NcclTestsRank*>> hosts;
  std::set<std::pair<std::string, std::int64_t>> processes;
  for (const NcclTestsRank& rank : ranks) {
    auto& [count, first] = hosts[rank.host];
    count += rank.stands_for;
    first = first ? first : &rank;
    processes.insert({rank.host, rank.process});
  }
  layout.nodes = static_cast<std::int64_t>(hosts.size());
  layout.processes = static_cast<std::int64_t>(processes.size());
  const auto& [usual, place] = hosts[ranks.front().host];
  for (const auto& [host, entry] : hosts) {
    if (entry.first == usual) continue;
    contradiction(fmt::format("one node has {} ranks, another has {}", usual, entry.first),
                  {entry.second->place, place->place}, "samples are of ranks that are spread evenly over nodes",
                  errors);
    return;
  }
}

}  // namespace

NcclTestsLayout nccl_tests_layout(const NcclTestsRun& run, std::vector<Diagnostic>& errors) {
  NcclTestsLayout layout;
  const Ranks& ranks = *run.ranks;
  if (ranks.empty()) return layout;
  layout.gpu = ranks.front().gpu;
  std::set<std::int64_t> groups;
  for (const NcclTestsRank& rank : ranks) {
    layout.ranks = std::max(layout.ranks, rank.rank + rank.stands_for);
    groups.insert(rank.group);
  }
  layout.groups = static_cast<std::int64_t>(groups.size());
  layout.not_listed = std::max<std::int64_t>(0, layout.ranks - listed(ranks));
  const std::size_t before = errors.size();
  check_once(ranks, errors);
  check_same_gpu(ranks, errors);
  if (layout.not_listed == 0 && errors.size() == before) count_nodes(ranks, layout, errors);
  return layout;
}

}  // namespace clusterwright
