// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/outer_step.hpp"

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/kind_prices.hpp"
#include "models/lowering/planned_step.hpp"

namespace clusterwright {

namespace {

/// Bytes per parameter: the sum of the differences, the momentum and the common parameters are read, momentum, common
/// parameters and the rank's own 32-bit ones are written, and a 16-bit copy.
constexpr double outer_traffic = 6 * bytes_32bit + bytes_16bit;

WorkId add_outer_update(StepGraphBuilder& builder, const KernelTimes& kernels, double parameters) {
  const Bytes traffic = parameters * outer_traffic * byte;
  return builder.add_work("outer optimizer",
                          kernels.elementwise(traffic, {StreamingKernel::optimizer, KernelPass::update}).work);
}

}  // namespace

OpId OuterStep::update_on_device(double part, OpId summed) {
  if (log_)
    log_->add([=, c = ops_.rank_class()](PriceSheet& sheet) {
      add_outer_update(sheet.builder, sheet.prices.kernels(sheet.step.classes.kind(c)), part);
    });
  return ops_.kernel_behind(summed, add_outer_update(builder_, kernels_, part), StepCharge::optimizer);
}

OpId OuterStep::update_on_host(double part, OpId summed) {
  const OpId updated = copies_.update(MemoryLevel::host, part * outer_traffic * byte, summed);
  return copies_.copy(MemoryLevel::host, false, part * bytes_16bit * byte, updated, StepCharge::optimizer);
}

void OuterStep::write(const RankParameters& trained, OpId updated) {
  const double part = outer_part(planned_, trained);
  const OpId summed = exchange_.run(outer_reduction(planned_, trained), updated, -1);
  const OpId common = updates_on_host(planned_) ? update_on_host(part, summed) : update_on_device(part, summed);
  if (const auto gather = outer_gather(planned_, trained)) exchange_.run(*gather, common, -1);
}

}  // namespace clusterwright
