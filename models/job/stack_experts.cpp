// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack_experts.hpp"

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
      Record<S>("stack_experts", "What a framework does with mixtures of experts")
          .optional("transfer", &S::transfer,
                    {.help = "tokens travel by an all-to-all of all copies, or by kernels that send one copy to each "
                             "node and one to each rank inside it"})
          .optional("narrow_dispatch", &S::narrow_dispatch,
                    {.help = "tokens travel to experts in 8 bit where multiplies run in 8 bit"})
          .optional("overlap_shared", &S::overlap_shared, {.help = "shared experts run while tokens travel"})
          .optional("overlap_exchange", &S::overlap_exchange,
                    {.help = "forward and backward passes of two micro-batches hide each other's exchanges"})
          .optional("one_launch", &S::one_launch,
                    {.help = "the multiplies of all experts of a rank are one kernel; else one for each expert"})
          .optional("synchronises", &S::synchronises,
                    {.help = "the host reads how many tokens each expert got before it issues what follows"})
          .optional(
              "launch_us", &S::launch,
              {.help = "host time to issue one multiply, or one cast, of one expert, launched one by one", .min = 0})
          .optional("imbalance", &S::imbalance,
                    {.help = "coefficient of variation of the experts' popularity within a micro-batch, where the job "
                             "does not say",
                     .min = 0,
                     .max = 8});
  return table;
}

}  // namespace clusterwright
