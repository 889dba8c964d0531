#include "models/site/audit/layout_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/job/contradictions.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

namespace {

/// The number behind "TP" in "TP8 x PP4" or "TP 8, PP 4".
std::optional<int> degree_in(const std::string& layout, const char* name) {
  std::size_t at = layout.find(name);
  if (at == std::string::npos) return {};
  at = layout.find_first_not_of(" =-", at + 2);
  if (at == std::string::npos) return {};
  int degree = 0;
  const auto [rest, error] = std::from_chars(layout.data() + at, layout.data() + layout.size(), degree);
  if (error != std::errc()) return {};
  return degree;
}

void check_words(Contradictions& errors, const LayoutUse& use, const Job& job, const std::string& layout) {
  const auto differs = [&](const char* name, int degree, const char* field) {
    const std::optional<int> stated = degree_in(layout, name);
    if (stated.value_or(degree) != degree)
      errors.report("E0363", fmt::format("the claim says {} {}, the job {}", name, *stated, degree),
                    {fmt::format("/job/parallel/{}", field)}, "describe the layout that the blueprint claims");
  };
  differs("TP", use.tensor, "tensor");
  differs("PP", use.pipeline, "pipeline");
  differs("CP", use.context, "context");
  if (job.parallel.data) differs("DP", *job.parallel.data, "data");
}

/// Replicas that make up whole nodes.
int whole_replicas(int room, int replica, int node) {
  const int step = node / std::gcd(replica, node);
  return room / step * step;
}

}  // namespace

LayoutUse layout_use(const Scenario& s, const std::string& stated_layout) {
  const ParallelSpec& parallel = s.job.parallel;
  const int all = s.cluster.spec.accelerators;
  LayoutUse use;
  use.tensor = parallel.tensor.value_or(std::min(s.cluster.node_accelerators, all));
  use.pipeline = parallel.pipeline.value_or(1);
  use.context = parallel.context.value_or(1);
  use.accelerators = all;
  const int room = std::min(all / use.replica(), parallel.data.value_or(all));
  use.replicas = whole_replicas(room, use.replica(), s.cluster.node_accelerators);
  Contradictions errors(s.source);
  check_words(errors, use, s.job, stated_layout);
  if (use.replicas == 0)
    errors.report("E0362",
                  fmt::format("one replica of tensor {} x pipeline {} x context {} takes more than the {} accelerators",
                              use.tensor, use.pipeline, use.context, all),
                  {"/job/parallel", "/cluster/accelerators"}, "describe a smaller layout or a larger cluster");
  errors.finish();
  return use;
}

std::vector<int> whole_pipelines(const LayoutUse& use, std::int64_t layers) {
  std::vector<int> out;
  const int without = use.tensor * use.context;
  for (int stages = 1; stages <= layers && stages * without <= use.accelerators; ++stages)
    if (use.accelerators % (stages * without) == 0 && splits_evenly(layers, stages)) out.push_back(stages);
  const auto distance = [&](int stages) { return std::abs(stages - use.pipeline); };
  std::stable_sort(out.begin(), out.end(),
                   [&](int a, int b) { return distance(a) != distance(b) ? distance(a) < distance(b) : a > b; });
  return out;
}

UsedScenario used_part(const Scenario& scenario, const LayoutUse& use) {
  UsedScenario out{scenario, {}};
  Job& job = out.scenario.job;
  if (use.idle() > 0) {
    out.scenario.cluster = resized(scenario.cluster, use.used());
    job.parallel.data = use.replicas;
    out.changes.push_back(fmt::format("{} replicas on {} of {} accelerators, {} idle", use.replicas, use.used(),
                                      use.accelerators, use.idle()));
  }
  if (!job.parallel.pipeline) return out;  // the program chooses it, and with it the replicas
  const int stride = job.micro_batch.value_or(1) * use.replicas;
  const int micro_batches = std::max(1, static_cast<int>(std::lround(1.0 * job.global_batch / stride)));
  if (micro_batches * stride != job.global_batch)
    out.changes.push_back(fmt::format("a batch of {} sequences instead of {}, which {} replicas divide",
                                      micro_batches * stride, job.global_batch, use.replicas));
  job.global_batch = micro_batches * stride;
  return out;
}

}  // namespace clusterwright
