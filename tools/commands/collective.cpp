// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "models/kernels/collectives/slow_flow.hpp"
#include "models/prediction/unstated_routing.hpp"
#include "sim/json_writer.hpp"
#include "sim/parallel_points.hpp"
#include "tools/cluster_session.hpp"
#include "tools/commands/collective_options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/collective_report.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/parameter_difference.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/warnings.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t shown_links = 5;

template <std::size_t N>
std::vector<std::string> words(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

template <class E, std::size_t N>
std::optional<E> choice(const char* option, const std::string& text, const std::array<std::string_view, N>& names) {
  if (text.empty()) return std::nullopt;
  return static_cast<E>(parse_choice(option, text, words(names)));
}

/// Nodes are either listed or picked.
void check_hosts(const CollectiveCommandRequest& request, NodePolicy policy) {
  if (request.hosts.empty() && policy == NodePolicy::hostlist)
    throw option_error("--placement", request.placement, "needs a list of nodes", "--hosts gpu[001-004]");
  if (!request.hosts.empty() && policy != NodePolicy::hostlist && policy != NodePolicy::optimised)
    throw option_error("--placement", request.placement, "chooses nodes itself, so --hosts cannot list them",
                       "leave out one of the two, or write --placement optimised");
}

std::uint64_t seed_of(const CollectiveCommandRequest& request) {
  return request.seed.empty() ? 0 : parse_seed({"--seed", request.seed});
}

GroupRequest group_request(const CollectiveCommandRequest& request, const Cluster& cluster) {
  GroupRequest group;
  group.ranks =
      request.gpus.empty() || !request.on.empty() ? cluster.spec.accelerators : parse_count({"--gpus", request.gpus});
  if (!request.concurrent.empty())
    group.groups = request.concurrent == "all" ? 0 : parse_count({"--concurrent", request.concurrent});
  group.policy = *choice<NodePolicy>("--placement", request.placement, node_policy_names);
  if (!request.hosts.empty()) {
    group.nodes = parse_hostlist(request.hosts);
    if (group.policy == NodePolicy::contiguous) group.policy = NodePolicy::hostlist;
  }
  check_hosts(request, group.policy);
  if (!request.stride.empty()) group.stride = parse_count({"--stride", request.stride});
  group.seed = seed_of(request);
  return group;
}

NetworkRequest network_request(const CollectiveCommandRequest& request) {
  NetworkRequest network;
  network.failures = request.failures;
  network.routing = choice<Routing>("--routing", request.routing, routing_names);
  if (!request.queue_pairs.empty()) network.queue_pairs = parse_count({"--queue-pairs", request.queue_pairs});
  if (!request.seed.empty()) network.seed = seed_of(request);
  return network;
}

/// @throws ConfigError E0339 for a transfer that forwards tokens inside nodes, and should not
void check_inside(const ExpertExchange& exchange) {
  if (!exchange.network_only || exchange.transfer == Algorithm::direct) return;
  throw ConfigError({"E0339",
                     "--inside-over-nics changes nothing here: bulk kernels forward tokens over scale-up links",
                     {Place{std::make_shared<const SourceText>("--inside-over-nics", "true"), 0, 4, ""}},
                     "",
                     "add --algorithm direct for low-latency kernels, or leave it out"});
}

/// Defaults are those of a large published mixture: 256 routed experts, 8 for each token.
ExpertExchange expert_exchange(const CollectiveCommandRequest& request, const CollectiveChoice& choice) {
  ExpertExchange out;
  out.experts = request.experts.empty() ? 256 : parse_count({"--experts", request.experts});
  out.top_k = request.top_k.empty() ? 8 : parse_count({"--top-k", request.top_k});
  if (!request.domain_limit.empty()) out.domain_limit = parse_count({"--domain-limit", request.domain_limit});
  if (!request.imbalance.empty()) out.imbalance = parse_share({"--imbalance", request.imbalance});
  out.transfer = choice.algorithm.value_or(Algorithm::hierarchical);
  out.network_only = request.inside_over_nics;
  out.seed = seed_of(request);
  return out;
}

CollectiveRequest collective_request(const CollectiveCommandRequest& request, std::vector<Communicator> groups,
                                     const Cluster& cluster) {
  CollectiveRequest out;
  out.op = *choice<CollectiveOp>("--op", request.op, collective_op_names);
  out.groups = std::move(groups);
  out.choice.algorithm = choice<Algorithm>("--algorithm", request.algorithm, algorithm_names);
  out.choice.protocol = choice<Protocol>("--protocol", request.protocol, protocol_names);
  out.sharp = request.sharp;
  out.experts = expert_exchange(request, out.choice);
  if (between_experts(out.op)) check_inside(out.experts);
  check_experts(out, cluster);
  return out;
}

int nodes_of(const std::vector<Communicator>& groups, const Cluster& cluster) {
  std::set<NodeId> nodes;
  for (const Communicator& group : groups)
    for (const AcceleratorId accelerator : group) nodes.insert(place_of(accelerator, cluster).node);
  return static_cast<int>(nodes.size());
}

std::vector<NamedLink> named(const std::vector<BusiestLink>& links, const NetworkGraph& graph) {
  std::vector<NamedLink> out;
  for (const BusiestLink& link : links)
    out.push_back({graph.link_name(link.link), graph.link_kinds()[graph.kind(link.link)].name,
                   link.seconds / links.front().seconds});
  return out;
}

/// "H100-SXM", or "H100-SXM and A100-80-SXM" of a mixed cluster.
std::string accelerators_of(const Cluster& cluster) {
  std::string text;
  for (const NodeGroup& kind : cluster.groups) text += (text.empty() ? "" : " and ") + kind.accelerator.id;
  return text.empty() ? cluster.accelerator.id : text;
}

bool compares(NodePolicy policy) {
  return policy != NodePolicy::contiguous && policy != NodePolicy::rail;
}

/// A report, and what a named parameter file does to it.
struct Answered {
  CollectiveReport report;
  std::optional<AgainstUsual> against;
};

/// The largest message first: the algorithm of large messages is often another than that of small ones, and laying its
/// traffic on links is what takes time.
std::vector<CollectiveAnswer> predict_all(const CollectivePredictor& predictor, const std::vector<Bytes>& sizes) {
  std::vector<CollectiveAnswer> rows(sizes.size());
  for_each_point(last_first(sizes.size()), [&](std::size_t i) {
    stop_if_interrupted();
    rows[i] = predictor.predict(sizes[i]);
  });
  return rows;
}

/// Times with the parameters that would be taken if none were named.
AgainstUsual compare_with_usual(const CollectiveSet& named, const ClusterSession& session, const RoutedNetwork* routed,
                                const CollectiveRequest& asked, const std::vector<Bytes>& sizes,
                                CollectiveReport& report) {
  const std::string& accelerator = session.cluster.accelerator.id;
  std::vector<InputFile> unused;
  const CollectiveSet usual = load_collective_set(session.cluster.accelerator, "", unused);
  const CollectivePredictor predictor(session.cluster, usual, routed, asked);
  AgainstUsual out{named.name, usual.name, named.accelerator == accelerator ? "" : named.accelerator, {}, {}, {}};
  const std::vector<CollectiveAnswer> rows = predict_all(predictor, sizes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    report.usual_times.push_back(rows[i].time);
    const double ratio = report.rows[i].time / rows[i].time;
    const bool first = i == 0;
    out.least_ratio = first ? ratio : std::min(*out.least_ratio, ratio);
    out.most_ratio = first ? ratio : std::max(*out.most_ratio, ratio);
  }
  out.differences = differing_sections(named, usual);
  return out;
}

/// Lets upper bounds include hashed paths where neither the fabric nor the user states the routing.
void include_hashing(const CollectiveCommandRequest& request, const Cluster& cluster, const CollectiveSet& parameters,
                     const CollectiveRequest& asked, const std::vector<Bytes>& sizes, CollectiveReport& report) {
  if (!request.routing.empty() || !request.failures.empty()) return;
  const std::optional<Cluster> hashed = hashed_cluster(cluster);
  if (!hashed) return;
  const std::vector<CollectiveAnswer> rows =
      predict_all(CollectivePredictor(*hashed, parameters, &hashed->network(), asked), sizes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CollectiveAnswer& row = report.rows[i];
    row.high = high_with_hashing(row.time, row.high, rows[i].time);
  }
  const std::string text = routing_sentence(cluster, "the largest size", report.rows.back().time, rows.back().time);
  if (!text.empty()) report.warnings.push_back(text);
}

/// The same nodes, with a block of each domain for the job.
void use_blocks(Cluster& cluster, const std::string& per_domain) {
  if (per_domain.empty()) return;
  const int used = parse_count({"--per-domain", per_domain});
  if (cluster.mixed() || used > cluster.domain)
    throw option_error("--per-domain", per_domain,
                       cluster.mixed() ? "needs nodes of one kind" : "is more than a domain has",
                       fmt::format("1 to {}", cluster.domain));
  cluster = resized(cluster, cluster.domains() * used, {used, {}});
}

Warnings warnings_about(const Cluster& cluster, const CollectiveRequest& asked) {
  Warnings out;
  for (std::string text : {idle_text(cluster.blocks, cluster.node_accelerators), uneven_experts(asked)})
    if (!text.empty()) out.push_back(std::move(text));
  return warnings_of(out, cluster.remarks);
}

Answered make_report(const CollectiveCommandRequest& request, ClusterSession& session) {
  use_blocks(session.cluster, request.per_domain);
  const Cluster& cluster = session.cluster;
  const std::vector<Bytes> sizes = parse_message_sizes({"--bytes", request.bytes});
  GroupRequest grouping = group_request(request, cluster);
  CollectiveRequest asked = collective_request(request, make_groups(grouping, cluster), cluster);
  const CollectiveSet parameters = load_collective_set(cluster.accelerator, request.parameters, session.inputs);
  const std::optional<RoutedNetwork> network = route_network(session, network_request(request));
  const RoutedNetwork* routed = network ? &*network : nullptr;
  check_options(request, asked.op, routed != nullptr);
  CollectiveReport report{asked.op,
                          grouping.ranks,
                          static_cast<int>(asked.groups.size()),
                          nodes_of(asked.groups, cluster),
                          cluster.spec.name,
                          accelerators_of(cluster),
                          std::string(node_policy_names[static_cast<std::size_t>(grouping.policy)]),
                          warnings_about(cluster, asked),
                          parameters.name,
                          {},
                          {},
                          {},
                          {}};
  const CollectivePredictor predictor(cluster, parameters, routed, asked);
  report.rows = predict_all(predictor, sizes);
  if (const auto& tail = cluster.spec.fabric.tail)
    if (const std::string text = far_tail_sentence(*tail, predictor.flows()); !text.empty())
      report.warnings.push_back(text);
  include_hashing(request, cluster, parameters, asked, sizes, report);
  std::optional<AgainstUsual> against;
  if (!request.parameters.empty()) against = compare_with_usual(parameters, session, routed, asked, sizes, report);
  if (routed) report.busiest = named(predictor.busiest(sizes.back(), shown_links), routed->graph);
  if (compares(grouping.policy)) {
    grouping.policy = NodePolicy::contiguous;
    asked.groups = make_groups(grouping, cluster);
    const CollectivePredictor plain(cluster, parameters, routed, asked);
    report.over_contiguous = report.rows.back().time / plain.predict(sizes.back()).time;
  }
  return {std::move(report), std::move(against)};
}

bool same_times(const CollectiveAnswer& a, const CollectiveAnswer& b) {
  return a.time == b.time && a.low == b.low && a.high == b.high;
}

/// Whether every time is the same without a part of what was asked.
bool answers_alike(const CollectiveCommandRequest& without, const CollectiveReport& report) {
  try {
    ClusterSession session = open_cluster(ClusterName{without.cluster, without.on, without.gpus}, without.settings);
    return std::ranges::equal(make_report(without, session).report.rows, report.rows, same_times);
  } catch (const ConfigError&) {
    return false;  // what was left out is needed
  }
}

/// Names what was typed and changes no time: settings, and options that only some networks read.
Warnings idle_inputs(const CollectiveCommandRequest& request, const CollectiveReport& report) {
  std::vector<std::string> idle;
  const auto try_without = [&](CollectiveCommandRequest without, const std::string& input) {
    if (answers_alike(without, report)) idle.push_back(input);
  };
  for (std::size_t i = 0; i < request.settings.size(); ++i) {
    CollectiveCommandRequest without = request;
    without.settings.erase(without.settings.begin() + static_cast<std::ptrdiff_t>(i));
    try_without(std::move(without), "--set " + request.settings[i]);
  }
  using Option = std::string CollectiveCommandRequest::*;
  for (const auto& [name, option] : {std::pair<const char*, Option>{"--seed", &CollectiveCommandRequest::seed},
                                     {"--queue-pairs", &CollectiveCommandRequest::queue_pairs}}) {
    if ((request.*option).empty()) continue;
    CollectiveCommandRequest without = request;
    (without.*option).clear();
    try_without(std::move(without), fmt::format("{} {}", name, request.*option));
  }
  if (idle.empty()) return {};
  return {fmt::format("given, but of no effect on these times: {}", fmt::join(idle, "; "))};
}

std::string as_text(const Answered& answered) {
  const CollectiveReport& report = answered.report;
  std::string text = printable(collective_title(report)) +
                     "\nTimes are those of the slowest group; low and high bound the 90 % interval.\n\n" +
                     render_text(collective_table(report));
  if (!report.busiest.empty()) text += "\n" + render_text(busiest_table(report));
  if (report.over_contiguous)
    text += fmt::format("\nAt the largest size, placement \"{}\" takes {} the time of contiguous nodes.\n",
                        report.placement, percent_text(*report.over_contiguous));
  text += warnings_text(report.warnings);
  if (answered.against) return text + "\n" + sentence_of(*answered.against) + "\n";
  return text + fmt::format("\nParameters: {}. Next: try --algorithm, --placement, --concurrent or --fail.\n",
                            report.parameters);
}

std::string render_as(OutputFormat format, const Answered& answered, const ClusterSession& session,
                      std::uint64_t seed) {
  const CollectiveReport& report = answered.report;
  switch (format) {
    case OutputFormat::json: {
      JsonValue document = result_header("collective", seed, session.inputs);
      add_to(document, report);
      document.set("against_usual", json_of(answered.against));
      return write_json(document) + "\n";
    }
    case OutputFormat::csv:
      return render_csv(collective_table(report));
    case OutputFormat::markdown:
      return "# " + markdown_text(collective_title(report)) + "\n\n" + render_markdown(collective_table(report)) +
             warnings_markdown(report.warnings);
    case OutputFormat::nccl_tests:
      return nccl_tests_columns(report);
    default:
      return as_text(answered);
  }
}

/// Whether the ranks cannot reach each other: an answer about the cluster, not a fault of the input.
bool finds_no_path(const ConfigError& error) {
  const auto& diagnostics = error.diagnostics();
  return std::all_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.code == "E0320"; });
}

ExitCode answer(const CollectiveCommandRequest& request, const std::vector<OutputTarget>& targets) {
  const std::uint64_t seed = seed_of(request);
  ClusterSession session = open_cluster(ClusterName{request.cluster, request.on, request.gpus}, request.settings);
  Answered answered = make_report(request, session);
  std::ranges::move(idle_inputs(request, answered.report), std::back_inserter(answered.report.warnings));
  deliver(targets, request.output.quiet,
          [&](OutputFormat format) { return render_as(format, answered, session, seed); });
  print_warnings(answered.report.warnings, targets);
  return ExitCode::ok;
}

}  // namespace

ExitCode collective(const CollectiveCommandRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::nccl_tests});
  try {
    return answer(request, targets);
  } catch (const ConfigError& error) {
    if (!finds_no_path(error)) throw;
    write_error(error.what());
    return ExitCode::impossible;
  }
}

}  // namespace clusterwright
