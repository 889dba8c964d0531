#include "calibration/validation/job_key.hpp"

#include <fmt/format.h>

#include "calibration/validation/published_layout.hpp"

namespace clusterwright {

JobKey& JobKey::add(const std::string& value) {
  text_ += value + "/";
  return *this;
}

JobKey& JobKey::add(std::int64_t value) {
  return add(fmt::format("{}", value));
}

JobKey& JobKey::model(const MeasuredModel& m) {
  for (const auto& size : {m.layers, m.hidden, m.heads, m.kv_heads, m.head_width, m.ffn, m.vocabulary, m.sequence,
                           m.sliding_window, m.sliding_window_every, m.lora_rank})
    add(size);
  add(m.gated_mlp).add(m.tied_embeddings).add(m.trainable).add(std::int64_t{m.causal});
  if (const auto& l = m.latent)
    add(l->query_rank).add(l->key_value_rank).add(l->plain_width).add(l->rotary_width).add(l->value_width);
  if (const auto& e = m.experts) {
    add(e->experts).add(e->per_token).add(e->ffn).add(e->shared).add(e->dense_layers);
    add(e->every).add(e->groups).add(e->limited_groups);
  }
  return *this;
}

JobKey& JobKey::software(const MeasuredJob& job) {
  add(job.task).add(job.framework).add(job.release).add(job.precision).add(job.routing);
  return add(job.pure_low_precision).add(job.packed_sequences).add(job.compiled).add(job.async_tensor);
}

JobKey& JobKey::layout(const MeasuredJob& job) {
  for (const LayoutField& field : layout_fields(job)) add(field.value);
  return *this;
}

JobKey& JobKey::machine(const MeasuredHardware& hardware) {
  add(hardware.accelerator).add(std::int64_t{hardware.accelerators_per_node});
  add(hardware.scale_out ? fmt::format("{:.3g}", hardware.scale_out->in(gigabit_per_second)) : "-");
  return add(hardware.power_limit ? fmt::format("{:.3g}", hardware.power_limit->in(watt)) : "-");
}

}  // namespace clusterwright
