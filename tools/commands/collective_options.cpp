// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/collective_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "models/kernels/collectives/expert_draw.hpp"
#include "sim/diagnostic.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

struct GivenOption {
  const char* name;
  std::string value;  ///< empty: not given
  bool matters;
  const char* why;  ///< why it does not matter
};

[[noreturn]] void refuse_exchange(CollectiveOp op, const std::string& why, const std::string& help) {
  throw ConfigError({"E0332", fmt::format("{} cannot run here: {}", name_of(op), why), {}, "", help});
}

/// Number of domains of a group, and its ranks in the fullest of them.
struct Spread {
  int domains = 0, most = 0;
};

Spread spread_of(const Communicator& group, const Cluster& cluster) {
  std::map<int, int> ranks;
  Spread out;
  for (const AcceleratorId accelerator : group)
    out.most = std::max(out.most, ++ranks[place_of(accelerator, cluster).domain]);
  out.domains = static_cast<int>(ranks.size());
  return out;
}

/// Refuses groups that spread unevenly over domains. The model deals experts to domains in equal numbers, so it takes
/// 12 ranks on nodes of 8 for twice 6, but has no such form of 60.
void check_filled(CollectiveOp op, int ranks, const Spread& spread, const Cluster& cluster) {
  if (ranks % (ranks / spread.domains) == 0) return;
  const int below = ranks / spread.most * spread.most, above = below + spread.most;
  std::string help = fmt::format("take whole domains: --gpus {}", below);
  if (above <= cluster.spec.accelerators) help += fmt::format(" or {}", above);
  refuse_exchange(op,
                  fmt::format("{} ranks spread unevenly over {} nodes or scale-up domains, of which one holds {}",
                              ranks, spread.domains, spread.most),
                  help);
}

/// Refuses tokens that draw more experts than there are, or than the domains of one token hold.
void check_draws(CollectiveOp op, const ExpertExchange& drawn, int domains) {
  if (drawn.top_k > drawn.experts)
    refuse_exchange(op, fmt::format("a token draws {} different experts, and there are {}", drawn.top_k, drawn.experts),
                    fmt::format("--top-k of at most {}, or more --experts", drawn.experts));
  if (const double widest = widest_popularity(drawn.experts); drawn.imbalance > widest)
    refuse_exchange(
        op,
        fmt::format("the popularity of {} experts cannot vary by {:.3g} of the mean", drawn.experts, drawn.imbalance),
        fmt::format("an --imbalance of at most {:.3g}, or more --experts", std::floor(100 * widest) / 100));
  const int reached = drawn.domain_limit;
  if (reached > 0 && reached < domains && static_cast<long long>(drawn.experts) / domains * reached < drawn.top_k)
    refuse_exchange(op,
                    fmt::format("{} of {} nodes or scale-up domains hold fewer than the {} experts of a token", reached,
                                domains, drawn.top_k),
                    "a higher --domain-limit, or more --experts");
}

}  // namespace

void check_experts(const CollectiveRequest& asked, const Cluster& cluster) {
  if (!between_experts(asked.op)) return;
  for (const Communicator& group : asked.groups) {
    const Spread spread = spread_of(group, cluster);
    check_filled(asked.op, static_cast<int>(group.size()), spread, cluster);
    check_draws(asked.op, asked.experts, spread.domains);
  }
}

std::string uneven_experts(const CollectiveRequest& asked) {
  const int experts = asked.experts.experts, ranks = static_cast<int>(asked.groups.front().size());
  if (!between_experts(asked.op) || experts % ranks == 0) return {};
  const int least = experts / ranks;
  return fmt::format("{} ranks do not divide {} experts evenly: some hold {}, others {}", ranks, experts, least,
                     least + 1);
}

void check_options(const CollectiveCommandRequest& r, CollectiveOp op, bool has_network) {
  const bool experts = between_experts(op);
  const bool by_switches =
      op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
  const char* not_experts = "only dispatch and combine route tokens to experts";
  const char* no_network = "the cluster has no network: it is one node or one scale-up domain";
  const std::array<GivenOption, 9> options = {
      {{"--experts", r.experts, experts, not_experts},
       {"--top-k", r.top_k, experts, not_experts},
       {"--domain-limit", r.domain_limit, experts, not_experts},
       {"--imbalance", r.imbalance, experts, not_experts},
       {"--inside-over-nics", r.inside_over_nics ? "true" : "", experts, not_experts},
       {"--sharp", r.sharp ? "true" : "", by_switches,
        "only all_reduce, all_gather and reduce_scatter are offloaded to switches"},
       {"--fail", r.failures.empty() ? "" : r.failures.front(), has_network, no_network},
       {"--routing", r.routing, has_network, no_network},
       {"--queue-pairs", r.queue_pairs, has_network, no_network}}};
  for (const GivenOption& option : options)
    if (!option.value.empty() && !option.matters)
      throw ConfigError(
          {"E0339",
           fmt::format("{} changes nothing for {}: {}", option.name, name_of(op), option.why),
           {Place{std::make_shared<const SourceText>(option.name, option.value), 0, option.value.size(), ""}},
           "",
           "leave it out"});
}

}  // namespace clusterwright
