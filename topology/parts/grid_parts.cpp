// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/grid_parts.hpp"

#include "sim/field_table.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

template <>
struct EnumNames<StoragePlace> {
  static constexpr auto names = storage_place_names;
};

namespace {

FieldRule above_zero(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

FieldRule frequency(const char* help) {
  return {.help = help, .min = 0.01, .max = 100, .unit = "Hz"};
}

}  // namespace

const Record<EnergyStoragePart>& record(const EnergyStoragePart*) {
  using Part = EnergyStoragePart;
  static const auto table =
      Record<Part>("energy_storage", "Capacitors or batteries that take up swings of power")
          .required("id", &Part::id, {.help = "name that facilities refer to"})
          .required("place", &Part::place,
                    {.help = "place of a module: in the supply of each accelerator, in each compute rack, in the hall"})
          .required("energy_j", &Part::energy, above_zero("usable energy of one module"))
          .required("power_w", &Part::power, above_zero("most power that one module takes up or gives"))
          .required("efficiency", &Part::efficiency,
                    {.help = "energy out over energy in, there and back", .min = 0.1, .max = 1})
          .optional("price_usd", &Part::price_usd,
                    {.help = "low and high end of prices paid, and the list price", .min = 0, .map_keys = price_keys})
          .optional("note", &Part::note, {.help = "remark for readers"});
  return table;
}

const Record<GeneratorPart>& record(const GeneratorPart*) {
  using Part = GeneratorPart;
  static const auto table =
      Record<Part>("generator", "Generators that carry a site without its grid")
          .required("id", &Part::id, {.help = "name for readers"})
          .required("first_block", &Part::first_block,
                    {.help = "load that it takes at once, over its rating", .min = 0.01, .max = 1})
          .required("start_s", &Part::start, above_zero("time from the loss of the grid to its first load"))
          .optional("note", &Part::note, {.help = "remark for readers"});
  return table;
}

const Record<InterconnectionPart>& record(const InterconnectionPart*) {
  using Part = InterconnectionPart;
  static const auto table =
      Record<Part>("interconnection", "What a utility allows the power of a site to do; a limit not given is not set")
          .required("id", &Part::id, {.help = "name that facilities refer to"})
          .optional("applies_from_mw_site", &Part::applies_from,
                    {.help = "power from which a site has these limits", .min = 0})
          .optional("ramp_mw_site", &Part::ramp, above_zero("maximum change of power within the ramp window"))
          .optional("ramp_window_s", &Part::ramp_window, above_zero("window of the ramp"))
          .optional("ramp_from_mw_site", &Part::ramp_from,
                    {.help = "changes up to this one may be faster than the ramp", .min = 0})
          .optional("range_mw_site", &Part::range, above_zero("maximum power, peak to peak, within any range window"))
          .optional("range_window_s", &Part::range_window, above_zero("window of the range"))
          .optional("band_mw_site", &Part::band, above_zero("maximum power of oscillations in the band, peak to peak"))
          .optional("band_share", &Part::band_share,
                    {.help = "the same over the largest power of the site; the lesser counts", .min = 0, .max = 1})
          .optional("band_low_hz", &Part::band_low_hz, frequency("lowest frequency of the band"))
          .optional("band_high_hz", &Part::band_high_hz, frequency("highest frequency of the band"))
          .optional("note", &Part::note, {.help = "remark for readers"});
  return table;
}

}  // namespace clusterwright
