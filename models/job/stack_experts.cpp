// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack_experts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<ExpertTransfer> {
  static constexpr std::array<std::string_view, 2> names = {"all-to-all", "hierarchical"};
};

const Record<StackExperts>& record(const StackExperts*) {
  using S = StackExperts;
  static const auto table =
      Record<S>("stack_experts", "How a framework handles mixtures of experts")
          .optional("transfer", &S::transfer,
                    {.help = "transport of tokens: an all-to-all of all copies, or kernels that send one copy to each "
                             "node and one to each rank inside it"})
          .optional("narrow_dispatch", &S::narrow_dispatch,
                    {.help = "tokens are sent to experts in 8 bits in 8-bit runs"})
          .optional("overlap_shared", &S::overlap_shared, {.help = "shared experts are computed while tokens are sent"})
          .optional(
              "overlap_exchange", &S::overlap_exchange,
              {.help =
                   "two micro-batches, one in its forward and one in its backward pass, hide each other's exchanges"})
          .optional("one_launch", &S::one_launch,
                    {.help = "one kernel computes a GEMM for all experts of a rank; otherwise one kernel per expert"})
          .optional("synchronises", &S::synchronises,
                    {.help = "the host reads the number of tokens of each expert before it launches what follows"})
          .optional("routing_kernels", &S::routing_kernels,
                    {.help = "kernels that choose experts and map rows to them in a forward pass, and as many in a "
                             "backward pass; each takes kernel_launch_us of the host",
                     .min = 0,
                     .max = 1e4})
          .optional("prepared_routing_kernels", &S::prepared_routing_kernels,
                    {.help = "as many where transfer is hierarchical, whose kernels also map rows to experts",
                     .min = 0,
                     .max = 1e4})
          .optional(
              "launch_us", &S::launch,
              {.help = "host time to launch one GEMM, or one cast, of one expert, if launched one by one", .min = 0})
          .optional(
              "imbalance", &S::imbalance,
              {.help =
                   "coefficient of variation of the experts' popularity within a micro-batch, if the job does not say",
               .min = 0,
               .max = 8});
  return table;
}

double launched_routing_kernels(const StackExperts& experts) {
  const double all = experts.routing_kernels.value;
  return experts.transfer == ExpertTransfer::hierarchical ? std::min(all, experts.prepared_routing_kernels.value) : all;
}

}  // namespace clusterwright
