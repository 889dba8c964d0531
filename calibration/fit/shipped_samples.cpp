// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/shipped_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "calibration/fit/parameter_fit.hpp"
#include "calibration/fit/sample_fit.hpp"
#include "calibration/sample_files/catalog_accelerator.hpp"

namespace clusterwright {

namespace {

bool is_of(const ProbeSamples& samples, const AcceleratorPart& part, const Catalog& catalog) {
  return samples.device.kind == ProbeDeviceKind::gpu &&
         catalog_accelerator(samples.device.name, samples.device.memory, catalog) == part.id;
}

/// Restores what another part with the same die does not tell.
void keep_beside_die(const ParameterSet& published, ParameterSet& out) {
  out.memory = published.memory;
  out.thermal = published.thermal;
  const auto beside = [](const FitReport& fit) { return fit.name == "memory" || fit.name == "host link"; };
  std::erase_if(out.fits, beside);
  std::ranges::copy_if(published.fits, std::back_inserter(out.fits), beside);
}

}  // namespace

std::vector<ProbeSamples> shipped_samples(const std::filesystem::path& folder, const AcceleratorPart& part,
                                          const Catalog& catalog) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<ProbeSamples> out;
  for (const std::filesystem::path& file : files) {
    ProbeSamples samples = read_probe_samples(file);
    if (is_of(samples, part, catalog)) out.push_back(std::move(samples));
  }
  return out;
}

ParameterSet with_samples(const ParameterSet& published, const AcceleratorPart& sampled,
                          const std::vector<ProbeSamples>& samples) {
  if (samples.empty()) return published;
  const ProbeSamples& first = samples.front();
  const std::string source = fmt::format("{} of {}, {}", first.tool, sampled.id, first.date.substr(0, 10));
  ParameterSet out = fit_samples(samples, sampled, published, {published.name, source, {}}).parameters;
  if (sampled.id != published.accelerator) keep_beside_die(published, out);
  out.accelerator = published.accelerator;
  out.also_for = published.also_for;
  std::erase_if(out.attention, [&](const auto& kernel) { return !published.attention.contains(kernel.first); });
  std::erase_if(out.fits, [&](const FitReport& fit) {
    return fit.name.starts_with("attention/") && !out.attention.contains(fit.name.substr(10));
  });
  return out;
}

ParameterSet fit_shipped_set(const std::vector<Measurement>& measurements, const std::filesystem::path& folder,
                             const AcceleratorPart& part, const Catalog& catalog) {
  const ParameterSet published = fit_parameters(measurements, part, catalog.accelerators);
  const auto fitted_to = [&](const AcceleratorPart& sampled) {
    return with_samples(published, sampled, shipped_samples(folder, sampled, catalog));
  };
  if (!shipped_samples(folder, part, catalog).empty()) return fitted_to(part);
  for (const AcceleratorPart& other : catalog.accelerators)
    if (same_die(other, part) && !shipped_samples(folder, other, catalog).empty()) return fitted_to(other);
  return published;
}

}  // namespace clusterwright
