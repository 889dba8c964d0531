// SPDX-License-Identifier: Apache-2.0
/// Synchronisation of groups of replicas that trained apart (DiLoCo).
///
/// Behind its last local step every rank sends what its parameters have moved since the last synchronisation, adds up
/// what those with the same part in other groups send, and updates the common parameters with a momentum. Nothing hides
/// the exchange: it needs the result of the optimizer, and the next step needs the new weights.
#pragma once

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/level_copies.hpp"
#include "models/lowering/parameter_exchange.hpp"
#include "models/lowering/price_log.hpp"

namespace clusterwright {

class OuterStep {
 public:
  /// @param log  of the prices that are asked for; nullptr: not kept
  OuterStep(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned, RankOps& ops,
            LevelCopies& copies, ParameterExchange& exchange, PriceLog* log)
      : builder_(builder),
        kernels_(kernels),
        planned_(planned),
        ops_(ops),
        copies_(copies),
        exchange_(exchange),
        log_(log) {}

  /// @param updated  last op of the optimizer
  void write(const RankParameters& trained, OpId updated);

 private:
  OpId update_on_device(double part, OpId summed);
  /// States of both optimizers are on the host, which updates them and sends new weights.
  OpId update_on_host(double part, OpId summed);

  StepGraphBuilder& builder_;
  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  RankOps& ops_;
  LevelCopies& copies_;
  ParameterExchange& exchange_;
  PriceLog* log_;
};

}  // namespace clusterwright
