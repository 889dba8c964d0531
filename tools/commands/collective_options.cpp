// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/collective_options.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

struct GivenOption {
  const char* name;
  std::string value;  ///< empty: not given
  bool matters;
  const char* why;  ///< why it does not matter
};

}  // namespace

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
