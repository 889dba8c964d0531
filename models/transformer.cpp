#include "models/transformer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

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

FieldRule count_rule(std::string help, double max = widest) {
  return {.help = std::move(help), .min = 1, .max = max};
}

double as_double(std::int64_t count) {
  return static_cast<double>(count);
}

/// Weights of one layer that multiply activations: attention projections and MLP, without biases and norms.
double layer_matrix_parameters(const Transformer& m) {
  const double attention = as_double(m.hidden) * as_double(2 * m.query_width() + 2 * m.key_value_width());
  const double mlp = (m.gated_mlp ? 3.0 : 2.0) * as_double(m.hidden) * as_double(m.ffn);
  return attention + mlp;
}

double layer_biases(const Transformer& m) {
  if (!m.biases) return 0;
  const double attention = as_double(m.query_width() + 2 * m.key_value_width() + m.hidden);
  const double mlp = (m.gated_mlp ? 2.0 : 1.0) * as_double(m.ffn) + as_double(m.hidden);
  return attention + mlp;
}

/// One norm: a gain, and a shift in a layer norm.
double norm_parameters(const Transformer& m) {
  return (m.normalisation == Normalisation::layer ? 2.0 : 1.0) * as_double(m.hidden);
}

double output_matrix_parameters(const Transformer& m) {
  return as_double(m.vocabulary) * as_double(m.hidden);
}

Record<Transformer> transformer_table() {
  using T = Transformer;
  Record<T> table("transformer", "A decoder-only transformer");
  table.required("name", &T::name, {.help = "for people"})
      .optional("source", &T::source, {.help = "where the dimensions come from"})
      .required("layers", &T::layers, count_rule("decoder layers", 1 << 14))
      .required("hidden", &T::hidden, count_rule("width of the residual stream"))
      .required("heads", &T::heads, count_rule("query heads", 1 << 14))
      .optional("kv_heads", &T::kv_heads, count_rule("key and value heads; auto: as many as heads", 1 << 14))
      .optional("head_width", &T::head_width, count_rule("of one head; auto: hidden / heads"))
      .required("ffn", &T::ffn, count_rule("inner width of the MLP"))
      .optional("gated_mlp", &T::gated_mlp, {.help = "three matrices instead of two"})
      .required("vocabulary", &T::vocabulary, count_rule("rows of the token table, padding included"))
      .optional("tied_embeddings", &T::tied_embeddings, {.help = "the output projection is the token table"})
      .optional("biases", &T::biases, {.help = "on every linear layer except the output projection"})
      .optional("normalisation", &T::normalisation, {.help = "kind of norm"})
      .optional("positions", &T::positions, {.help = "how positions are encoded"})
      .required("max_sequence", &T::max_sequence, count_rule("longest sequence; rows of a learned position table"))
      .optional("sliding_window", &T::sliding_window,
                count_rule("tokens back that windowed layers attend to; auto: every layer attends to all"))
      .optional("full_attention_every", &T::full_attention_every,
                count_rule("one layer in this many attends to all, the rest to the window; auto: none does"));
  return table;
}

}  // namespace

const Record<Transformer>& record(const Transformer*) {
  static const Record<Transformer> table = transformer_table();
  return table;
}

double Transformer::score_share(double sequence, double sample_tokens) const {
  const double length = sample_tokens > 0 ? std::min(sample_tokens, sequence) : sequence;
  const double whole = length / sequence / 2;  // causal, each sample for itself
  const auto window = static_cast<double>(sliding_window.value_or(0));
  if (window <= 0 || window >= length) return whole;
  const double windowed = (window * length - window * window / 2) / (length * sequence);
  const double full_layers = full_attention_every ? 1 / as_double(*full_attention_every) : 0;
  return full_layers * whole + (1 - full_layers) * windowed;
}

double layer_parameters(const Transformer& model) {
  return layer_matrix_parameters(model) + layer_biases(model) + 2 * norm_parameters(model);
}

double embedding_parameters(const Transformer& model) {
  const bool learned = model.positions == PositionEncoding::learned;
  return as_double(model.vocabulary + (learned ? model.max_sequence : 0)) * as_double(model.hidden);
}

double head_parameters(const Transformer& model) {
  return (model.tied_embeddings ? 0 : output_matrix_parameters(model)) + norm_parameters(model);
}

double parameters(const Transformer& model) {
  return as_double(model.layers) * layer_parameters(model) + embedding_parameters(model) + head_parameters(model);
}

double adapter_parameters(const Transformer& m, int rank) {
  const std::int64_t qkv = m.query_width() + 2 * m.key_value_width();
  const std::int64_t up = m.ffn * (m.gated_mlp ? 2 : 1);
  return rank * as_double(4 * m.hidden + qkv + m.query_width() + up + m.ffn);
}

Flops training_flops_per_token(const Transformer& model, std::int64_t sequence) {
  const double layers = as_double(model.layers);
  // Forward and twice that backward, two operations per weight: 6. Scores and values take 4 x width x sequence per
  // layer forward, so 12 with backward, and a causal mask needs half of it.
  const double matrices = 6 * (layers * layer_matrix_parameters(model) + output_matrix_parameters(model));
  const double share = model.score_share(as_double(sequence));
  const double attention = 12 * share * layers * as_double(model.query_width()) * as_double(sequence);
  return (matrices + attention) * flop;
}

}  // namespace clusterwright
