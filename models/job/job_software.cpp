// SPDX-License-Identifier: Apache-2.0
#include "models/job/job_software.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

namespace clusterwright {

namespace {

constexpr double narrow = 2;          ///< bytes of a 16-bit number
constexpr double narrow_update = 14;  ///< gradient and three states read, these written, of 16 bits each

void at_most(Sourced<double>& size, double most) {
  const char* why = "16 bits: the job keeps no 32-bit master weights";
  if (size.value > most) size = {most, why};
}

}  // namespace

SoftwareStack without_master_weights(SoftwareStack stack) {
  at_most(stack.gradient_size, narrow);
  at_most(stack.reduced_size, narrow);
  at_most(stack.kernels.weight_gradient, 2 * narrow);  // a 16-bit sum, read and written
  at_most(stack.kernels.gradient_sum, 3 * narrow);
  at_most(stack.kernels.update, narrow_update);
  at_most(stack.memory.master_size, narrow);
  at_most(stack.memory.moment_size, narrow);
  at_most(stack.memory.kept_gradient_size, 0);
  at_most(stack.memory.owned_gradient_size, 0);
  return stack;
}

SoftwareStack with_choices(SoftwareStack stack, const Job& job) {
  if (job.attention) stack.attention = *job.attention;
  return job.master_weights ? stack : without_master_weights(std::move(stack));
}

const LatentKernels* lacking_kernel(const SoftwareStack& stack, const Job& job, const Transformer& model,
                                    const AcceleratorPart& part) {
  if (job.attention || model.width_of_head() == model.width_of_value()) return nullptr;
  const auto found = std::ranges::find(stack.latent_kernels, architecture_of(part), &LatentKernels::architecture);
  if (found == stack.latent_kernels.end()) return nullptr;
  const bool came = found->since.known() && !(job.release.known() && job.release < found->since);
  return came ? nullptr : &*found;
}

SoftwareStack with_kernels_of(SoftwareStack stack, const Job& job, const Transformer& model,
                              const AcceleratorPart& part) {
  if (lacking_kernel(stack, job, model, part)) stack.attention = unfused_kernels;
  return stack;
}

void check_latent_kernels(const SoftwareStack& stack, const std::vector<AcceleratorPart>& catalog,
                          const AcceleratorPart& own, const JsonValue& document) {
  std::set<std::string> known = {architecture_of(own)};
  for (const AcceleratorPart& part : catalog) known.insert(architecture_of(part));
  known.erase("");
  for (std::size_t i = 0; i < stack.latent_kernels.size(); ++i) {
    const std::string& name = stack.latent_kernels[i].architecture;
    if (known.contains(name)) continue;
    const std::string pointer = fmt::format("/latent_kernels/{}/architecture", i);
    const JsonValue* said = document.at_pointer(pointer);
    throw ConfigError({"E0203", fmt::format("no accelerator has the architecture \"{}\"", name.substr(0, 60)),
                       said ? std::vector{said->place(pointer)} : std::vector<Place>{}, "",
                       fmt::format("there are: {}", fmt::join(known, ", "))});
  }
}

void check_attention(const Job& job, const ParameterSet& parameters, const JsonValue& source) {
  if (!job.attention || parameters.attention.contains(*job.attention)) return;
  const auto names = std::views::keys(parameters.attention);
  const std::vector<std::string> known(names.begin(), names.end());
  const JsonValue* said = source.at_pointer("/job/attention");
  throw ConfigError({"E0203",
                     fmt::format("parameters \"{}\" describe no attention kernels \"{}\"", parameters.name,
                                 job.attention->substr(0, 60)),
                     said ? std::vector{said->place("/job/attention")} : std::vector<Place>{}, "",
                     fmt::format("there are: {}", fmt::join(known, ", "))});
}

}  // namespace clusterwright
