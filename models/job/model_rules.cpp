// SPDX-License-Identifier: Apache-2.0
#include "models/job/model_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

Breach counts(std::int64_t first, std::int64_t second) {
  return {fmt::format("{}", first), fmt::format("{}", second)};
}

std::optional<Breach> uneven_key_heads(const Transformer& m) {
  if (m.latent || !m.kv_heads || (*m.kv_heads <= m.heads && m.heads % *m.kv_heads == 0)) return std::nullopt;
  return counts(*m.kv_heads, m.heads);
}

bool takes_width_from_hidden(const Transformer& m) {
  return !m.latent && !m.head_width;
}

std::optional<Breach> uneven_heads(const Transformer& m) {
  if (!takes_width_from_hidden(m) || m.hidden % m.heads == 0) return std::nullopt;
  return counts(m.heads, m.hidden);
}

std::optional<Breach> narrow_heads(const Transformer& m) {
  if (!takes_width_from_hidden(m) || m.hidden % m.heads != 0 || m.hidden / m.heads >= least_head_width)
    return std::nullopt;
  return Breach{fmt::format("{}", m.heads), fmt::format("{}, {} for each", m.hidden, m.hidden / m.heads)};
}

constexpr PartRule<Transformer> transformer_rules[] = {
    {{"key-value heads and heads", "transformer.kv_heads", "does not divide", "transformer.heads", "E0310",
      "each key-value head serves equally many heads"},
     uneven_key_heads},
    {{"heads and hidden width", "transformer.heads", "does not divide", "transformer.hidden", "E0310",
      "give head_width if heads have a width of their own"},
     uneven_heads},
    {{"width of heads", "transformer.heads", "leaves less than 8 for each of", "transformer.hidden", "E0310",
      "reduce the heads, or give head_width"},
     narrow_heads},
};

/// Longest run of positions: packed samples count from their own start.
std::int64_t positions_of(const Job& job) {
  const auto sample = static_cast<std::int64_t>(job.sample_tokens), sequence = static_cast<std::int64_t>(job.sequence);
  return sample > 0 ? std::min(sample, sequence) : sequence;
}

std::optional<Breach> beyond_positions(const JobOnCluster& s, PositionEncoding encoding) {
  if (s.transformer.positions != encoding || positions_of(s.job) <= s.transformer.max_sequence) return std::nullopt;
  return counts(positions_of(s.job), s.transformer.max_sequence);
}

std::optional<Breach> beyond_table(const JobOnCluster& s) {
  return beyond_positions(s, PositionEncoding::learned);
}

std::optional<Breach> beyond_training(const JobOnCluster& s) {
  return beyond_positions(s, PositionEncoding::rotary);
}

std::optional<Breach> beyond_critical_batch(const JobOnCluster& s) {
  const std::int64_t tokens = std::int64_t{s.job.global_batch} * s.job.sequence;
  if (!s.job.max_global_batch_tokens || tokens <= *s.job.max_global_batch_tokens) return std::nullopt;
  return Breach{fmt::format("{} x sequence {} = {} tokens", s.job.global_batch, s.job.sequence, tokens),
                fmt::format("{}", *s.job.max_global_batch_tokens)};
}

/// Cores for the accelerators of a node that the job uses.
std::optional<Breach> too_many_cores(const JobOnCluster& s) {
  const auto& host = s.cluster.spec.node.host.cores;
  if (!s.job.input || !s.job.input->cores_per_accelerator || !host) return std::nullopt;
  const double each = *s.job.input->cores_per_accelerator;
  const int ranks = s.cluster.node_ranks();
  const auto breach = above(each * ranks, *host, "");
  if (!breach) return breach;
  return Breach{fmt::format("{} x {} accelerators", amount(each, ""), ranks), breach->second};
}

constexpr PartRule<JobOnCluster> job_rules[] = {
    {{"sequence and position table", "job.sequence", "is longer than", "transformer.max_sequence", "E0310",
      "a learned table of positions has max_sequence rows"},
     beyond_table},
    {{"sequence and rotary positions", "job.sequence", "is longer than", "transformer.max_sequence", "",
      "the step is right, but the model was not made for such positions"},
     beyond_training},
    {{"batch and its limit", "job.global_batch", "has more tokens than", "job.max_global_batch_tokens", "E0312",
      "reduce the global batch, or raise the limit"},
     beyond_critical_batch},
    {{"cores and host", "job.input.cores_per_accelerator", "asks for more cores than", "cluster.node.host.cores",
      "E0329", "reduce cores_per_accelerator"},
     too_many_cores},
};

}  // namespace

std::vector<RuleFinding> transformer_findings(const Transformer& transformer) {
  std::vector<RuleFinding> findings;
  apply_rules(std::span<const PartRule<Transformer>>(transformer_rules), transformer, {}, findings);
  return findings;
}

std::vector<RuleFinding> job_findings(const JobOnCluster& subject) {
  std::vector<RuleFinding> findings;
  apply_rules(std::span<const PartRule<JobOnCluster>>(job_rules), subject, {}, findings);
  return findings;
}

void add_model_rules(std::vector<RuleWords>& list) {
  add_words(std::span<const PartRule<Transformer>>(transformer_rules), list);
  add_words(std::span<const PartRule<JobOnCluster>>(job_rules), list);
}

}  // namespace clusterwright
