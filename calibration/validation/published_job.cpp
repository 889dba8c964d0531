// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/published_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace clusterwright {

namespace {

std::string text_of(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string text_of(const std::optional<bool>& value) {
  return value ? std::string(*value ? "yes" : "no") : std::string();
}

/// Whether a field is not published or switched off, so that messages skip it.
bool is_switched_off(const std::string& value) {
  constexpr std::array<std::string_view, 5> off = {"", "1", "no", "none", "1f1b"};
  return std::find(off.begin(), off.end(), value) != off.end();
}

}  // namespace

std::vector<LayoutField> layout_fields(const MeasuredJob& job) {
  return {{"tensor", text_of(job.tensor)},
          {"pipeline", text_of(job.pipeline)},
          {"virtual stages", text_of(job.virtual_pipeline)},
          {"context", text_of(job.context)},
          {"expert", text_of(job.expert)},
          {"expert tensor", text_of(job.expert_tensor)},
          {"micro-batch", text_of(job.micro_batch)},
          {"schedule", job.schedule.value_or("")},
          {"sequence parallel", text_of(job.sequence_parallel)},
          {"sharding", job.sharding},
          {"shard group", text_of(job.shard_group)},
          {"recompute", job.recompute.value_or("")},
          {"offload", text_of(job.offload)}};
}

bool surely_differ(const MeasuredJob& one, const MeasuredJob& other) {
  const std::vector<LayoutField> a = layout_fields(one), b = layout_fields(other);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!a[i].value.empty() && !b[i].value.empty() && a[i].value != b[i].value) return true;
  return false;
}

std::string layout_words(const MeasuredJob& job) {
  std::vector<std::string> words;
  for (const LayoutField& field : layout_fields(job)) {
    const bool always = std::string_view(field.name) == "micro-batch" && !field.value.empty();
    if (!always && is_switched_off(field.value)) continue;
    words.push_back(field.value == "yes" ? field.name : fmt::format("{} {}", field.name, field.value));
  }
  return words.empty() ? std::string("data parallel") : fmt::format("{}", fmt::join(words, ", "));
}

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
  add(job.task).add(job.framework).add(job.release.text()).add(job.precision).add(job.routing);
  return add(job.pure_low_precision)
      .add(job.packed_sequences)
      .add(job.compiled)
      .add(job.async_tensor)
      .add(job.attention)
      .add(job.master_weights);
}

JobKey& JobKey::switches(const MeasuredJob& job) {
  add(job.expert_dispatcher).add(job.expert_overlap).add(job.cuda_graph).add(job.tensor_overlap);
  return add(job.capacity_factor ? fmt::format("{}", *job.capacity_factor) : "-").add(job.remat_policy);
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
