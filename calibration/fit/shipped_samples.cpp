// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/shipped_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "calibration/fit/parameter_fit.hpp"
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

ParameterSet with_samples(const ParameterSet& published, std::vector<CardSamples> cards) {
  if (cards.empty()) return published;
  const CardSamples own = std::move(cards.front());
  cards.erase(cards.begin());
  const ProbeSamples& first = own.documents.front();
  const std::string source = fmt::format("{} of {}, {}", first.tool, own.part->id, first.date.substr(0, 10));
  const SampleFitOptions options{published.name, source, {}, std::move(cards)};
  ParameterSet out = fit_samples(own.documents, *own.part, published, options).parameters;
  if (own.part->id != published.accelerator) keep_beside_die(published, out);
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
  std::vector<CardSamples> cards;
  const auto add = [&](const AcceleratorPart& of) {
    if (auto documents = shipped_samples(folder, of, catalog); !documents.empty())
      cards.push_back({&of, std::move(documents)});
  };
  add(part);
  for (const AcceleratorPart& other : catalog.accelerators)
    if (other.id != part.id && same_die(other, part)) add(other);
  return with_samples(fit_parameters(measurements, part, catalog.accelerators), std::move(cards));
}

}  // namespace clusterwright
