// SPDX-License-Identifier: Apache-2.0
#include "models/job/transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "models/job/job.hpp"
#include "models/job/model_rules.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Normalisation> {
  static constexpr std::array<std::string_view, 2> names = {"rms", "layer"};
};

template <>
struct EnumNames<PositionEncoding> {
  static constexpr std::array<std::string_view, 4> names = {"rotary", "learned", "none", "alibi"};
};

namespace {

/// Wide enough for any model, small enough that products of two stay exact.
constexpr double widest = 1 << 26;

FieldRule count_rule(const char* help, double max = widest) {
  return {.help = help, .min = 1, .max = max};
}

double as_double(std::int64_t count) {
  return static_cast<double>(count);
}

/// Weights that turn hidden states into queries, keys and values, and back.
double attention_matrices(const Transformer& m) {
  const double output = as_double(m.hidden) * as_double(m.attention_output_width());
  if (!m.latent) return output + as_double(m.hidden) * as_double(m.query_width() + 2 * m.key_value_width());
  const LatentAttention& l = *m.latent;
  const double queries = l.query_rank > 0 ? as_double(l.query_rank) * as_double(m.hidden + m.query_width())
                                          : as_double(m.hidden) * as_double(m.query_width());
  const double down = as_double(m.hidden) * as_double(l.key_value_rank + l.rotary_width);
  return output + queries + down + as_double(l.key_value_rank) * as_double(m.heads * (l.plain_width + l.value_width));
}

/// Parameters of one MLP of inner width `ffn`.
double mlp_matrices(const Transformer& m, std::int64_t ffn) {
  return (m.gated_mlp ? 3.0 : 2.0) * as_double(m.hidden) * as_double(ffn);
}

double mlp_biases(const Transformer& m, std::int64_t ffn) {
  return m.biases ? (m.gated_mlp ? 2.0 : 1.0) * as_double(ffn) + as_double(m.hidden) : 0;
}

double router_matrix(const Transformer& m) {
  return as_double(m.hidden) * as_double(m.experts->experts);
}

/// Weights of one layer that multiply a token, `experts` routed ones included, without biases and norms.
double layer_matrices(const Transformer& m, LayerKind kind, double experts) {
  if (kind == LayerKind::dense) return attention_matrices(m) + mlp_matrices(m, m.ffn);
  const double shared = mlp_matrices(m, m.experts->shared_width());
  return attention_matrices(m) + router_matrix(m) + shared + experts * mlp_matrices(m, m.experts->ffn);
}

/// @param routed_share  share of the drawn experts that compute the token
double active_matrices(const Transformer& m, LayerKind kind, double routed_share) {
  return layer_matrices(m, kind, m.experts ? routed_share * as_double(m.experts->per_token) : 0);
}

/// Parameters of attention and of the MLPs that are not routed.
double layer_biases(const Transformer& m, LayerKind kind) {
  const double queries = as_double(m.query_width() + 2 * m.key_value_width());
  if (!m.biases) return m.attention_biases ? queries : 0;
  const double attention = queries + as_double(m.hidden);
  if (kind == LayerKind::dense) return attention + mlp_biases(m, m.ffn);
  const std::int64_t shared = m.experts->shared_width();
  return attention + as_double(m.experts->experts) + (shared > 0 ? mlp_biases(m, shared) : 0);
}

/// Parameters of one norm: a gain, and a shift in a layer norm.
double norm_parameters(const Transformer& m) {
  return (m.normalisation == Normalisation::layer ? 2.0 : 1.0) * as_double(m.hidden);
}

/// Parameters of norms: in front of attention and MLP, on latent vectors, and on queries and keys of each head.
double layer_norms(const Transformer& m) {
  double norms = (m.parallel_block ? 1 : 2) * norm_parameters(m);
  if (m.latent) norms += as_double(m.latent->query_rank + m.latent->key_value_rank);
  if (m.query_key_norm) norms += 2 * as_double(m.width_of_head());
  return norms;
}

double output_matrix_parameters(const Transformer& m) {
  return as_double(m.vocabulary) * as_double(m.hidden);
}

double prediction_matrix(const Transformer& m) {
  return 2 * as_double(m.hidden) * as_double(m.hidden);
}

template <class Layer>
double sum_over_layers(const Transformer& m, Layer layer) {
  double sum = as_double(m.predicted_tokens) * layer(m.last_kind());
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    const std::int64_t count = m.layers_of(kind);
    if (count > 0) sum += as_double(count) * layer(kind);
  }
  return sum;
}

void add_attention(Record<Transformer>& table) {
  using T = Transformer;
  table
      .optional("sliding_window", &T::sliding_window,
                count_rule("number of tokens back that windowed layers attend to; auto: every layer attends to all"))
      .optional("attention_chunk", &T::attention_chunk,
                count_rule("length in tokens of the blocks within which windowed layers attend, instead of a sliding "
                           "window; auto: no blocks"))
      .optional("full_attention_every", &T::full_attention_every,
                count_rule("period of layers with full attention: one layer in this many attends to all tokens, the "
                           "others to the window; auto: none does"))
      .optional("query_key_norm", &T::query_key_norm, {.help = "queries and keys of each head are normalised"})
      .optional("parallel_block", &T::parallel_block,
                {.help = "attention and MLP read the output of one norm, and their results are added"})
      .optional("predicted_tokens", &T::predicted_tokens,
                {.help = "number of tokens predicted beyond the next one, each by one more layer and the head "
                         "(multi-token prediction)",
                 .min = 0,
                 .max = 64})
      .optional("experts", &T::experts, {.help = "mixture of experts that replaces the MLP; null: none"})
      .optional("latent", &T::latent, {.help = "multi-head latent attention; null: none"});
}

Record<Transformer> transformer_table() {
  using T = Transformer;
  Record<T> table("transformer", "A decoder-only transformer");
  table.required("name", &T::name, {.help = "name for readers"})
      .optional("source", &T::source, {.help = "origin of the dimensions"})
      .required("layers", &T::layers, count_rule("number of decoder layers", 1 << 14))
      .required("hidden", &T::hidden, count_rule("width of the residual stream"))
      .required("heads", &T::heads, count_rule("number of query heads", 1 << 14))
      .optional("kv_heads", &T::kv_heads, count_rule("number of key and value heads; auto: as many as heads", 1 << 14))
      .optional("head_width", &T::head_width, count_rule("width of one head; auto: hidden / heads"))
      .required("ffn", &T::ffn, count_rule("inner width of the MLP"))
      .optional("gated_mlp", &T::gated_mlp, {.help = "MLPs have three matrices instead of two"})
      .required("vocabulary", &T::vocabulary, count_rule("rows of the token table, padding included"))
      .optional("tied_embeddings", &T::tied_embeddings, {.help = "the output projection shares the token table"})
      .optional("biases", &T::biases, {.help = "every linear layer except the output projection has a bias"})
      .optional("attention_biases", &T::attention_biases,
                {.help = "only the projections of queries, keys and values have a bias"})
      .optional("normalisation", &T::normalisation, {.help = "kind of norm"})
      .optional("positions", &T::positions, {.help = "encoding of positions"})
      .required("max_sequence", &T::max_sequence,
                count_rule("longest sequence, which is the number of rows of a learned position table"));
  add_attention(table);
  return table;
}

using Report = std::function<void(const std::string& message, const std::string& pointer)>;

void check_experts(const ExpertMixture& e, std::int64_t layers, const Report& report) {
  if (e.per_token > e.experts)
    report(fmt::format("a token cannot visit {} of {} experts", e.per_token, e.experts), "experts/per_token");
  if (e.dense_layers >= layers || e.every > layers)
    report(fmt::format("no layer of {} has experts", layers), "experts/dense_layers");
  if (e.shared_ffn && e.shared == 0)
    report("shared_ffn is given, but there are no shared experts", "experts/shared_ffn");
  const std::int64_t groups = e.groups.value_or(1);
  if (e.experts % groups != 0)
    report(fmt::format("{} groups do not divide {} experts", groups, e.experts), "experts/groups");
  const std::int64_t visited = e.groups_per_token.value_or(groups);
  if (visited > groups)
    report(fmt::format("a token cannot visit {} of {} groups", visited, groups), "experts/groups_per_token");
  else if (e.groups && e.per_token > visited * (e.experts / groups))
    report(fmt::format("{} groups hold fewer than {} experts", visited, e.per_token), "experts/groups_per_token");
}

double sample_length(double sequence, double sample_tokens) {
  return sample_tokens > 0 ? std::min(sample_tokens, sequence) : sequence;
}

/// Share of the layers that attend to all tokens, where others have a window.
double full_layers_of(const Transformer& m) {
  return m.full_attention_every ? 1 / as_double(*m.full_attention_every) : 0;
}

}  // namespace

const Record<ExpertMixture>& record(const ExpertMixture*) {
  using E = ExpertMixture;
  static const auto table =
      Record<E>("experts", "Mixture of experts; each token visits a few of the expert MLPs")
          .required("experts", &E::experts, count_rule("routed experts of one layer", 1 << 14))
          .required("per_token", &E::per_token, count_rule("routed experts that one token visits", 1 << 14))
          .required("ffn", &E::ffn, count_rule("inner width of one expert"))
          .optional("shared", &E::shared,
                    {.help = "shared experts, each as wide as a routed one, which every token visits",
                     .min = 0,
                     .max = 1 << 14})
          .optional("shared_ffn", &E::shared_ffn,
                    count_rule("inner width of all shared experts together; auto: shared x ffn"))
          .optional("dense_layers", &E::dense_layers,
                    {.help = "number of leading layers that have one MLP instead of experts", .min = 0, .max = 1 << 14})
          .optional("every", &E::every,
                    count_rule("period of layers with experts: one layer in this many has them", 1 << 14))
          .optional("groups", &E::groups,
                    count_rule("number of groups into which the router divides the experts; auto: no groups", 1 << 14))
          .optional("groups_per_token", &E::groups_per_token,
                    count_rule("number of groups that one token may visit; auto: any", 1 << 14));
  return table;
}

const Record<LatentAttention>& record(const LatentAttention*) {
  using L = LatentAttention;
  static const auto table =
      Record<L>("latent", "Multi-head latent attention")
          .optional("query_rank", &L::query_rank,
                    {.help = "width to which queries are compressed; 0: not compressed", .min = 0, .max = widest})
          .required("key_value_rank", &L::key_value_rank, count_rule("width to which keys and values are compressed"))
          .required("plain_width", &L::plain_width,
                    count_rule("width of the part of a head's queries and keys without positions"))
          .required("rotary_width", &L::rotary_width,
                    count_rule("width of the part with rotary positions; all heads share its keys"))
          .required("value_width", &L::value_width, count_rule("width of a head's values"));
  return table;
}

const Record<Transformer>& record(const Transformer*) {
  static const Record<Transformer> table = transformer_table();
  return table;
}

LayerKind Transformer::kind_of(std::int64_t layer) const {
  const bool mixed = experts && layer >= experts->dense_layers && (layer + 1) % experts->every == 0;
  return mixed ? LayerKind::experts : LayerKind::dense;
}

std::int64_t Transformer::layers_of(LayerKind kind, std::int64_t first, std::int64_t count) const {
  if (!experts) return kind == LayerKind::dense ? count : 0;
  // Layers with experts among the first n: every `every`-th, without those that are dense all the same.
  const auto mixed_before = [&](std::int64_t n) {
    const std::int64_t dense = std::min(n, experts->dense_layers);
    return n / experts->every - dense / experts->every;
  };
  const std::int64_t mixed = mixed_before(first + count) - mixed_before(first);
  return kind == LayerKind::experts ? mixed : count - mixed;
}

double Transformer::mask_edges(double sequence, double sample_tokens) const {
  const auto window = static_cast<double>(sliding_window.value_or(0));
  const bool ends = window > 0 && window < sample_length(sequence, sample_tokens);
  return ends ? 2 - full_layers_of(*this) : 1;
}

double Transformer::score_share(double sequence, double sample_tokens) const {
  const double length = sample_length(sequence, sample_tokens);
  const double whole = length / sequence / 2;  // causal, each sample for itself
  const double full_layers = full_layers_of(*this);
  if (const auto chunk = static_cast<double>(attention_chunk.value_or(0)); chunk > 0 && chunk < length)
    return full_layers * whole + (1 - full_layers) * chunk / sequence / 2;
  const auto window = static_cast<double>(sliding_window.value_or(0));
  if (window <= 0 || window >= length) return whole;
  const double windowed = (window * length - window * window / 2) / (length * sequence);
  return full_layers * whole + (1 - full_layers) * windowed;
}

void check_transformer(const Transformer& m, const JsonValue& source) {
  Contradictions errors(source);
  const auto report = [&](const std::string& message, const std::string& pointer) {
    errors.report("E0310", message, {"/transformer/" + pointer});
  };
  for (const RuleFinding& found : transformer_findings(m))
    errors.report(std::string(found.rule->code), found.message, found.pointers, std::string(found.rule->then));
  if (m.latent && m.kv_heads)
    report("latent attention has no separate key-value heads: leave out kv_heads", "kv_heads");
  if (m.sliding_window && m.attention_chunk)
    report("sliding_window and attention_chunk exclude each other", "attention_chunk");
  if (m.biases && m.attention_biases) report("biases already includes attention_biases", "attention_biases");
  if (m.experts) check_experts(*m.experts, m.layers, report);
  errors.finish();
}

double layer_parameters(const Transformer& m, LayerKind kind) {
  const double routed = kind == LayerKind::experts ? routed_parameters(m, kind) : 0;
  return routed + layer_matrices(m, kind, 0) + layer_biases(m, kind) + layer_norms(m);
}

double routed_parameters(const Transformer& m, LayerKind kind) {
  if (kind == LayerKind::dense) return 0;
  return as_double(m.experts->experts) * (mlp_matrices(m, m.experts->ffn) + mlp_biases(m, m.experts->ffn));
}

double embedding_parameters(const Transformer& model) {
  const bool learned = model.positions == PositionEncoding::learned;
  return as_double(model.vocabulary + (learned ? model.max_sequence : 0)) * as_double(model.hidden);
}

double head_parameters(const Transformer& model) {
  return (model.tied_embeddings ? 0 : output_matrix_parameters(model)) + norm_parameters(model);
}

double extra_prediction_parameters(const Transformer& model) {
  return prediction_matrix(model) + 2 * norm_parameters(model);
}

double total_parameters(const Transformer& m) {
  const double layers = sum_over_layers(m, [&](LayerKind kind) { return layer_parameters(m, kind); });
  return layers + as_double(m.predicted_tokens) * extra_prediction_parameters(m) + embedding_parameters(m) +
         head_parameters(m);
}

double active_parameters(const Transformer& m) {
  const auto idle = [&](LayerKind kind) {
    if (kind == LayerKind::dense) return 0.0;
    const ExpertMixture& e = *m.experts;
    return routed_parameters(m, kind) * as_double(e.experts - e.per_token) / as_double(e.experts);
  };
  return total_parameters(m) - sum_over_layers(m, idle);
}

double adapter_parameters(const Transformer& m, int rank, LayerKind kind) {
  const std::int64_t qkv = m.query_width() + 2 * m.key_value_width();
  const std::int64_t attention = 2 * m.hidden + qkv + m.attention_output_width();
  const std::int64_t up = m.ffn * (m.gated_mlp ? 2 : 1);
  return rank * as_double(attention + (kind == LayerKind::dense ? 2 * m.hidden + up + m.ffn : 0));
}

TrainingWork training_work(const Job& job) {
  return {job.sequence, job.sample_tokens, job.lora_rank};
}

Flops training_flops_per_token(const Transformer& m, const TrainingWork& work, double routed_share) {
  // Forward, and as much backward for the gradient of the input and for that of the weight: 2 operations each. Scores
  // and values take 2 x (key + value width) x sequence per layer forward, so 6 with backward, and a causal mask needs
  // half of it.
  const double layers = sum_over_layers(m, [&](LayerKind kind) { return active_matrices(m, kind, routed_share); });
  const auto further = as_double(m.predicted_tokens), sequence = as_double(work.sequence);
  const double weights = layers + further * prediction_matrix(m) + (1 + further) * output_matrix_parameters(m);
  const auto adapters = [&](LayerKind kind) { return adapter_parameters(m, work.lora_rank, kind); };
  const double matrices = work.lora_rank > 0 ? 4 * weights + 6 * sum_over_layers(m, adapters) : 6 * weights;
  const double share = m.score_share(sequence, work.sample_tokens);
  const double widths = as_double(m.query_width() + m.attention_output_width());
  const double attention = 6 * share * (as_double(m.layers) + further) * widths * sequence;
  return (matrices + attention) * flop;
}

}  // namespace clusterwright
