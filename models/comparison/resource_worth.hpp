// SPDX-License-Identifier: Apache-2.0
/// Worth of 10 % more of each resource of a job: what it does to tokens per second, and what it costs.
///
/// A resource is worth at most what more nodes for the same gain would cost: gain x price of the cluster. Example:
/// $107 M buy 1,024 accelerators. 10 % more network gives 0.4 % more tokens per second, which is worth $0.43 M. The
/// network costs $12 M, so 10 % more of it costs about $1.2 M: it does not pay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/comparison/compared_option.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct ResourceWorth {
  std::string resource;        ///< "network bandwidth"
  std::optional<double> less;  ///< relative change of tokens per second with 10 % less of it; none where that cannot be
  std::optional<double> more;  ///< with 10 % more; none where there is no more, as of a limit at the rating
  std::optional<Dollars> worth;  ///< of 10 % more; none without a price of the cluster
  std::optional<Dollars> cost;   ///< of 10 % more; none for what nobody sells alone
  bool estimated = false;        ///< `cost` is 10 % of what the resource costs now
  std::optional<Watts> power;    ///< that 10 % more takes from the grid, mean of a year; none where not computed
  bool of_part = false;          ///< property of the accelerator, of which only another accelerator has more
};

struct ResourceWorths {
  std::vector<ResourceWorth> resources;
  std::string no_larger;  ///< why the cluster cannot have more accelerators; empty where it can
};

/// Whether it is the power limit, by either of its names.
bool is_power_limit(const ResourceWorth& one);

/// Accelerators (whole replicas, the batch of each stays), then what a step uses, the largest gain first.
/// @param option  that runs; without a site there are no prices and no power
ResourceWorths resource_worths(const ComparedOption& option, const JobSite& site, const PriceList& prices);

}  // namespace clusterwright
