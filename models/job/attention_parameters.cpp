// SPDX-License-Identifier: Apache-2.0
#include "models/job/attention_parameters.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

const Record<AttentionParameters>& record(const AttentionParameters*) {
  using P = AttentionParameters;
  static const auto table =
      Record<P>("attention_parameters", "Fused attention, one kernel family")
          .required("forward_efficiency", &P::forward_efficiency,
                    {.help = "share of the 16-bit peak that the multiplies of the forward pass reach, scores aside",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("backward_efficiency", &P::backward_efficiency,
                    {.help = "share of the 16-bit peak that the multiplies of the backward pass reach, scores aside",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("score_clocks", &P::score_clocks,
                    {.help = "clock cycles of one multiprocessor for the exponential of one score, forward pass",
                     .min = 0,
                     .max = 100})
          .required("score_clocks_backward", &P::score_clocks_backward,
                    {.help = "clock cycles of one multiprocessor for one score between the multiplies, backward pass",
                     .min = 0,
                     .max = 100})
          .required("block_clocks", &P::block_clocks,
                    {.help = "clock cycles that a block of queries takes before and after its keys, forward pass",
                     .min = 0,
                     .max = 1e6})
          .required("block_clocks_backward", &P::block_clocks_backward,
                    {.help = "clock cycles that a block takes before and after what it meets, backward pass",
                     .min = 0,
                     .max = 1e6})
          .required("row_bytes_backward", &P::row_bytes_backward,
                    {.help = "memory traffic of the backward pass per element of a head's queries, not overlapped",
                     .min = 0,
                     .max = 10000,
                     .unit = "B"})
          .required("tail_share", &P::tail_share,
                    {.help = "time in which the last blocks run alone, in longest blocks", .min = 0, .max = 4})
          .optional("block_queries", &P::block_queries,
                    {.help = "queries that one multiprocessor takes at a time; 0 for kernels without blocks",
                     .min = 0,
                     .max = 65536})
          .optional("narrow_head_factor", &P::narrow_head_factor,
                    {.help = "efficiency at head width 64 over efficiency at head width 128, beyond what scores cost",
                     .min = 0,
                     .max = 1.5,
                     .above_min = true})
          .optional("unaligned_factor", &P::unaligned_factor,
                    {.help = "efficiency at head widths that are no multiple of 8 elements over that at the others",
                     .min = 0,
                     .max = 1,
                     .above_min = true})
          .required("executed_share", &P::executed_share,
                    {.help = "share of the full square of scores that is computed; 0.5 where a causal mask skips work",
                     .min = 0,
                     .max = 1,
                     .above_min = true})
          .required("score_bytes_forward", &P::score_bytes_forward,
                    {.help = "traffic per score between the multiplies, forward; 0 where scores stay on chip",
                     .min = 0,
                     .max = 1000,
                     .unit = "B"})
          .required("score_bytes_backward", &P::score_bytes_backward,
                    {.help = "traffic per score between the multiplies, backward; 0 where scores stay on chip",
                     .min = 0,
                     .max = 1000,
                     .unit = "B"});
  return table;
}

}  // namespace clusterwright
