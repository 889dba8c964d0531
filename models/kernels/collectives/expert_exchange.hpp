// SPDX-License-Identifier: Apache-2.0
/// Traffic and time of tokens on their way to the experts of a mixture, and back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/kernels/collectives/collective_op.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Dispatch of one layer: every rank sends its tokens to the experts that they drew. Experts are dealt to the ranks in
/// equal runs, ranks to inner domains (nodes, or racks that act as one) likewise.
struct ExpertExchange {
  int ranks = 8;            ///< ranks that the experts are divided among (EP)
  int ranks_in_domain = 8;  ///< divides `ranks`, or holds them all
  int experts = 8;          ///< routed experts
  int top_k = 2;            ///< different experts of one token
  int domain_limit = 0;     ///< domains that a token may go to; 0: any
  double tokens = 0;        ///< tokens of one rank
  Bytes token_size;         ///< size of one copy, scales included
  /// direct: one copy for every expert, straight to its rank, as low-latency kernels do. hierarchical: one copy for
  /// each domain, over the sender's rail; inside it one for each rank, from the rank that it arrived at.
  Algorithm transfer = Algorithm::hierarchical;
  bool network_only = false;    ///< direct copies inside the domain take NICs as well: kernels that know only RDMA
  double imbalance = 0;         ///< coefficient of variation of the experts' popularity; drawn by the seed
  std::vector<double> weights;  ///< popularity of each expert; empty: drawn by `imbalance`
  std::uint64_t seed = 0;
  bool operator==(const ExpertExchange&) const = default;
};

struct ExpertLoad {
  Bytes mean;     ///< mean of all ranks
  Bytes busiest;  ///< expected value of the busiest rank
};

/// Dispatch of one layer. Means hold for sent and for received bytes; the busiest rank is the one that receives most,
/// as all send alike. Combining the results is the same the other way round, with its own token_size.
struct ExpertTraffic {
  double distinct_ranks = 0;    ///< expected ranks of one token, with the sender's own
  double distinct_domains = 0;  ///< expected domains of one token, with the sender's own
  ExpertLoad network;           ///< bytes between domains
  ExpertLoad scale_up;          ///< bytes inside domains
  double rows = 0;              ///< copies that the experts of one rank compute, mean
  double rows_busiest = 0;      ///< expected copies of the busiest rank
};

/// Expected bytes of the mean and of the busiest rank.
///
///   direct        network = tokens * size * (experts drawn in other domains; with network_only, at other ranks)
///                 inside  = tokens * size * (experts drawn at other ranks of the own domain; with network_only, none)
///   hierarchical  network = tokens * size * (other domains hit), at most top_k and domain_limit
///                 inside  = domains * tokens * size * (other ranks of a domain hit): the own ones, and from the
///                           tokens that arrive on the rank's rail
///
/// How often places are hit: expert_draw.hpp. With a domain limit, a token that would hit more domains hits exactly
/// that many, evenly drawn; routers that choose domains by the sum of their best scores hit at most 1 % fewer domains
/// and up to 2 % more ranks. The busiest rank: expected_maximum of independent counts, whose variance is raised by
/// ranks / (ranks - 1) where they have a fixed sum.
///
/// @throws std::invalid_argument for another transfer, network_only with one that is not direct, ranks that do not fill
///         their domains, top_k beyond the experts or those of domain_limit domains, or weights that are not as many as
///         experts
ExpertTraffic expert_traffic(const ExpertExchange& exchange);

/// Shares of one rank's payload by way. Every copy of every token counts in the payload.
struct ExpertShares {
  double network = 0;    ///< share that leaves the node over the rank's NIC
  double scale_up = 0;   ///< share that crosses the rank's scale-up port
  double imbalance = 1;  ///< busiest rank over the mean
};

/// Shares of an exchange with so many tokens that popularity alone makes ranks uneven; `tokens` and `token_size` do not
/// matter. What chance adds to few tokens is in the fitted curve.
ExpertShares exchange_shares(ExpertExchange exchange);

/// Curve of a collective set: "expert_exchange" of bulk kernels, which send hierarchically, or "expert_exchange_direct"
/// of low-latency ones.
std::string expert_curve(Algorithm transfer);

/// Shares if every copy travels by itself and experts are used evenly.
ExpertShares even_shares(const GroupShape& group);

/// Time of exchange kernels outside NCCL: a fixed time, then network and scale-up at once.
///   time = base_latency + rank_latency * (p - 1) + max(network bytes / (NIC * share), scale-up bytes / (link * share))
/// These kernels were measured over NVLink. Over PCI Express copies move no faster than those of an all-to-all.
/// @param curve       expert_curve() of the transfer
/// @param all_to_all  its curve inside a domain; nullptr: nothing limits copies over PCI Express
CollectiveTiming expert_exchange_time(Bytes payload, const GroupShape& group, const GroupLinks& links,
                                      const CollectiveParameters& curve, const NetworkParameters& network,
                                      const ExpertShares& shares, const CollectiveParameters* all_to_all = nullptr);

/// Curve that limits copies over PCI Express; nullptr if there is none.
const CollectiveParameters* all_to_all_curve(const std::map<std::string, CollectiveParameters>& curves);

/// Whether that curve judges an exchange: copies inside a domain move over PCI Express.
bool moves_over_pcie(const GroupShape& group, const GroupLinks& links);

}  // namespace clusterwright
