// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/changed_job.hpp"

namespace clusterwright {

namespace {

/// Visits the fields that may be left open, with those of another job.
template <class Visit>
void visit_open_fields(Job& job, const Job& other, const Visit& visit) {
  visit(job.recompute, other.recompute);
  visit(job.micro_batch, other.micro_batch);
  visit(job.parallel.tensor, other.parallel.tensor);
  visit(job.parallel.pipeline, other.parallel.pipeline);
  visit(job.parallel.virtual_pipeline, other.parallel.virtual_pipeline);
  visit(job.parallel.context, other.parallel.context);
  visit(job.parallel.expert, other.parallel.expert);
  visit(job.parallel.expert_tensor, other.parallel.expert_tensor);
}

/// Job with the fields that it leaves open as in `other`.
Job filled_from(const Job& other, Job job) {
  if (!job.recompute) job.recomputed_layers = other.recomputed_layers;
  visit_open_fields(job, other, [](auto& field, const auto& value) {
    if (!field) field = value;
  });
  return job;
}

}  // namespace

Job changed_job(const Job& given, const Layout& layout) {
  Job out = with_layout(given, layout);
  if (!given.recompute) out.recomputed_layers.reset();
  if (!given.parallel.data) out.parallel.data.reset();
  visit_open_fields(out, given, [](auto& field, const auto& stated) {
    if (!stated) field.reset();
  });
  return out;
}

std::vector<std::string> settings_to(const Scenario& given, const Layout& layout) {
  Scenario filled = given;
  filled.job = filled_from(with_layout(given.job, layout), given.job);
  return settings_of(filled, layout);
}

}  // namespace clusterwright
