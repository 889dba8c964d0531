// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/stabilization_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

FieldRule floor_share() {
  return {.help = "lowest power over the power limit of the accelerator", .min = 0, .max = 1};
}

FieldRule rate(const char* help) {
  return {.help = help, .min = 0, .max = 1e6, .above_min = true, .unit = "W/s"};
}

}  // namespace

const Record<PowerSmoothingSpec>& record(const PowerSmoothingSpec*) {
  using S = PowerSmoothingSpec;
  static const auto table =
      Record<S>("power_smoothing", "Firmware that holds the power of an accelerator up and bounds its changes")
          .optional("floor", &S::floor, floor_share())
          .optional("ramp_up_w_per_second", &S::ramp_up,
                    rate("fastest rise of the power of one accelerator; not bounded if not given"))
          .optional("ramp_down_w_per_second", &S::ramp_down,
                    rate("fastest fall of the power of one accelerator; not bounded if not given"))
          .optional("hold_s", &S::hold, {.help = "time for which the floor stays after the last work", .min = 0});
  return table;
}

const Record<FillerSpec>& record(const FillerSpec*) {
  using S = FillerSpec;
  static const auto table =
      Record<S>("filler", "Multiplies that a program runs while an accelerator waits")
          .optional("floor", &S::floor, floor_share())
          .optional("reaction_ms", &S::reaction,
                    {.help = "time from the beginning of a wait to filler, and from its end to work", .min = 0});
  return table;
}

const Record<StorageUseSpec>& record(const StorageUseSpec*) {
  using S = StorageUseSpec;
  static const auto table =
      Record<S>("storage_use", "Energy storage of one kind")
          .required("part", &S::part, {.help = "catalog entry of the module", .catalog = "energy_storage"})
          .optional(
              "modules", &S::modules,
              {.help = "modules at each accelerator, in each compute rack, or in the hall", .min = 1, .max = 1e5});
  return table;
}

const Record<StabilizationSpec>& record(const StabilizationSpec*) {
  using S = StabilizationSpec;
  static const auto table =
      Record<S>("stabilization", "What holds the swings of power down, and what the utility allows; `wave` reads it")
          .optional("interconnection", &S::interconnection,
                    {.help = "catalog entry of the utility's limits; none if empty", .catalog = "interconnections"})
          .optional("smoothing", &S::smoothing, {.help = "firmware of the accelerators; none if not given"})
          .optional("filler", &S::filler, {.help = "filler work of the program; none if not given"})
          .optional("storage", &S::storage, {.help = "energy storage", .max_elements = 8});
  return table;
}

}  // namespace clusterwright
