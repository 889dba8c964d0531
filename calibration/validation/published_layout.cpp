#include "calibration/validation/published_layout.hpp"

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

/// Not published, or what a job does that does nothing of the kind; people need not read it.
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

}  // namespace clusterwright
