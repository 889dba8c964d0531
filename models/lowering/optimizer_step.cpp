// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/optimizer_step.hpp"

#include <algorithm>

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/kind_prices.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/step_recipes.hpp"
#include "models/memory/parameter_memory.hpp"

namespace clusterwright {

double host_update_traffic(const PlannedJob& planned) {
  return 2 * (2 * planned.stack.memory.moment_size.value + planned.stack.memory.master_size.value);
}

OptimizerStep::OptimizerStep(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                             RankOps& ops, LevelCopies& copies, const StageWeights& weights, int layers, PriceLog* log)
    : builder_(builder),
      kernels_(kernels),
      planned_(planned),
      ops_(ops),
      copies_(copies),
      log_(log),
      layers_(layers),
      trained_(weights.trained.total()),
      owned_(updated_part(planned, weights.trained)) {}

WorkId OptimizerStep::kernel(double local, double owned) {
  if (log_)
    log_->add([=, c = ops_.rank_class()](PriceSheet& sheet) {
      const KernelTimes& kernels = sheet.prices.kernels(sheet.step.classes.kind(c));
      add_optimizer(sheet.builder, kernels, local, owned, sheet.step.job.stack);
    });
  return add_optimizer(builder_, kernels_, local, owned, planned_.stack);
}

OpId OptimizerStep::copy_states(bool out, int parts, OpId after) {
  const bool with_weights = out && planned_.offload.weights == MemoryLevel::pool;
  const double each = optimizer_state_size(planned_, true) + (with_weights ? bytes_16bit : 0);
  return copies_.copy(MemoryLevel::pool, out, owned_ / parts * each * byte, after, StepCharge::optimizer);
}

/// States come from the pool and go back layer by layer, one part on its way while another is updated.
OpId OptimizerStep::update_through_pool(OpId norm) {
  const int parts = std::max(1, layers_);
  const WorkId update = kernel(trained_ / parts, owned_ / parts);
  OpId last;
  for (int part = 0; part < parts; ++part) {
    const OpId fetched = copy_states(false, parts, norm);
    last = copy_states(true, parts, ops_.kernel_behind(fetched, update, StepCharge::optimizer));
  }
  return last;
}

/// Gradients go to the host, which updates its states and sends new weights to where they are kept.
OpId OptimizerStep::update_on_host(OpId norm) {
  const Bytes gradients = owned_ * planned_.stack.reduced_size.value * byte;
  const OpId out = copies_.copy(MemoryLevel::host, true, gradients, norm, StepCharge::optimizer);
  const OpId updated = copies_.update(optimizer_level(planned_), owned_ * host_update_traffic(planned_) * byte, out);
  const Bytes weights = owned_ * bytes_16bit * byte;
  switch (planned_.offload.weights) {
    case MemoryLevel::nvme:
      return copies_.host_to_drives(weights, updated);
    case MemoryLevel::pool:
      return copies_.copy(MemoryLevel::pool, true, weights, updated, StepCharge::optimizer);
    default:
      return copies_.copy(MemoryLevel::host, false, weights, updated, StepCharge::optimizer);
  }
}

OpId OptimizerStep::write(OpId norm) {
  if (optimizer_level(planned_) == MemoryLevel::pool) return update_through_pool(norm);
  if (!updates_on_host(planned_)) return ops_.kernel_behind(norm, kernel(trained_, owned_), StepCharge::optimizer);
  // The device clears its gradients behind the copy.
  const OpId updated = update_on_host(norm);
  return ops_.kernel_behind(updated, kernel(trained_, 0), StepCharge::optimizer);
}

}  // namespace clusterwright
