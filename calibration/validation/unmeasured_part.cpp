// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/unmeasured_part.hpp"

#include <algorithm>

#include "calibration/fit/parameter_fit.hpp"

namespace clusterwright {

namespace {

template <class Kept>
std::vector<Measurement> kept_rows(const std::vector<Measurement>& all, Kept kept) {
  std::vector<Measurement> out;
  for (const Measurement& m : all)
    if (kept(m.hardware.accelerator)) out.push_back(m);
  return out;
}

bool names(const ParameterSet& set, const std::string& accelerator) {
  return std::find(set.also_for.begin(), set.also_for.end(), accelerator) != set.also_for.end();
}

}  // namespace

UnmeasuredPart as_if_unmeasured(const AcceleratorPart& part, const std::vector<Measurement>& microbenchmarks,
                                const ScenarioShelf& shelf) {
  const std::vector<AcceleratorPart>& catalog = shelf.catalog.accelerators;
  const auto others = kept_rows(microbenchmarks, [&](const std::string& id) { return id != part.id; });
  const ParameterSet* present = parameters_for(shelf, part.id);
  if (others.size() == microbenchmarks.size() && present)
    return {*present, present->accelerator.empty() ? "generic" : "as " + present->accelerator};
  for (const ParameterSet& set : shelf.parameters) {
    const AcceleratorPart* relative = shelf.catalog.find_accelerator(set.accelerator);
    if (!relative || relative->id == part.id || !may_serve(*relative, part)) continue;
    ParameterSet fitted = fit_parameters(others, *relative, catalog);
    if (names(fitted, part.id)) return {std::move(fitted), "as " + relative->id};
  }
  return {fit_generic_parameters(others, catalog), "generic"};
}

ParameterSet without_architecture(const std::string& architecture, const std::vector<Measurement>& microbenchmarks,
                                  const Catalog& catalog) {
  const auto others = kept_rows(microbenchmarks, [&](const std::string& id) {
    const AcceleratorPart* part = catalog.find_accelerator(id);
    return part && step_architecture(*part) != architecture;
  });
  return fit_generic_parameters(others, catalog.accelerators);
}

}  // namespace clusterwright
