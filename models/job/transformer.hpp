// SPDX-License-Identifier: Apache-2.0
/// Dimensions of a decoder-only transformer, and counts that follow from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

struct Job;

class JsonValue;

enum class Normalisation { rms, layer };
enum class PositionEncoding { rotary, learned, none, alibi };

/// Part behind attention in a layer: one MLP, or a mixture of experts.
enum class LayerKind : int { dense, experts };
inline constexpr std::size_t layer_kind_count = 2;

/// Mixture of experts: each token visits `per_token` of `experts` MLPs, and every shared one.
struct ExpertMixture {
  std::int64_t experts = 0;                      ///< routed experts of one layer
  std::int64_t per_token = 1;                    ///< routed experts that one token visits
  std::int64_t ffn = 0;                          ///< inner width of one expert
  std::int64_t shared = 0;                       ///< experts of that width that every token visits
  std::optional<std::int64_t> shared_ffn;        ///< inner width of all shared ones together; absent: shared * ffn
  std::int64_t dense_layers = 0;                 ///< leading layers with an MLP instead
  std::int64_t every = 1;                        ///< period of layers with experts: the last of each run has them
  std::optional<std::int64_t> groups;            ///< groups that the router divides the experts into
  std::optional<std::int64_t> groups_per_token;  ///< groups that one token may visit

  std::int64_t shared_width() const { return shared_ffn.value_or(shared * ffn); }
  bool operator==(const ExpertMixture&) const = default;
};
const Record<ExpertMixture>& record(const ExpertMixture*);

/// Multi-head latent attention: queries, and keys with values, are projected through short latent vectors.
/// @source DeepSeek-V2 technical report (2024), section 2.1
struct LatentAttention {
  std::int64_t query_rank = 0;      ///< width of latent queries; 0: queries are projected directly
  std::int64_t key_value_rank = 0;  ///< width of latent keys and values
  std::int64_t plain_width = 0;     ///< width of a head's queries and keys without positions
  std::int64_t rotary_width = 0;    ///< width of their part with positions; all heads share one of keys
  std::int64_t value_width = 0;

  std::int64_t key_width() const { return plain_width + rotary_width; }
  bool operator==(const LatentAttention&) const = default;
};
const Record<LatentAttention>& record(const LatentAttention*);

struct Transformer {
  std::string name;
  std::string source;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::optional<std::int64_t> kv_heads;    ///< absent: as many as heads
  std::optional<std::int64_t> head_width;  ///< absent: hidden / heads
  std::int64_t ffn = 0;                    ///< inner width of the MLP of dense layers
  bool gated_mlp = true;                   ///< three matrices instead of two, in experts too
  std::int64_t vocabulary = 0;
  bool tied_embeddings = false;
  bool biases = false;            ///< biases on every linear layer except the output projection
  bool attention_biases = false;  ///< biases on queries, keys and values alone
  Normalisation normalisation = Normalisation::rms;
  PositionEncoding positions = PositionEncoding::rotary;
  std::int64_t max_sequence = 0;                ///< rows of a learned position table
  std::optional<std::int64_t> sliding_window;   ///< tokens back that a windowed layer attends to
  std::optional<std::int64_t> attention_chunk;  ///< tokens of the block that a windowed layer attends within instead
  std::optional<std::int64_t> full_attention_every;  ///< period of layers that attend to all tokens; absent: none does
  bool query_key_norm = false;                       ///< each head's queries and keys are normalised
  bool parallel_block = false;                       ///< attention and MLP read one norm and are added together
  std::int64_t predicted_tokens = 0;                 ///< tokens predicted beyond the next, each by a layer and the head
  std::optional<ExpertMixture> experts;
  std::optional<LatentAttention> latent;

  std::int64_t key_value_heads() const { return latent ? heads : kv_heads.value_or(heads); }
  /// Width of a head's queries and keys.
  std::int64_t width_of_head() const { return latent ? latent->key_width() : head_width.value_or(hidden / heads); }
  std::int64_t width_of_value() const { return latent ? latent->value_width : width_of_head(); }
  std::int64_t query_width() const { return heads * width_of_head(); }
  std::int64_t key_value_width() const {
    return key_value_heads() * width_of_head();
  }  ///< width of the keys of all heads
  /// Width of the result of attention, all heads.
  std::int64_t attention_output_width() const { return heads * width_of_value(); }
  /// @param layer  counted from 0
  LayerKind kind_of(std::int64_t layer) const;
  /// Number of layers of a kind among `count` layers from `first` on.
  std::int64_t layers_of(LayerKind kind, std::int64_t first, std::int64_t count) const;
  std::int64_t layers_of(LayerKind kind) const { return layers_of(kind, 0, layers); }
  /// Kind of the layers that predict further tokens: that of the last layer.
  LayerKind last_kind() const { return kind_of(layers - 1); }
  /// Share of the square of scores that the mask (causal, windows, packed samples) keeps, mean over layers, 0 to 1.
  double score_share(double sequence, double sample_tokens = 0) const;
  /// Edges of that mask that a query meets, mean over layers: 1 under a causal one, 2 where a window ends it as well.
  double mask_edges(double sequence, double sample_tokens = 0) const;
  bool operator==(const Transformer&) const = default;
};
const Record<Transformer>& record(const Transformer*);

/// Checks dimensions against each other.
/// @throws ConfigError E0310 where dimensions contradict each other: more experts per token than experts, groups that
///         do not divide them, windows and chunks at once, latent attention beside grouped queries, heads that do not
///         divide the hidden width (models/job/model_rules.hpp)
/// @param source  document of the scenario, for places
void check_transformer(const Transformer& model, const JsonValue& source);

/// Number of parameters of one decoder layer with all its experts.
double layer_parameters(const Transformer& model, LayerKind kind = LayerKind::dense);
double routed_parameters(const Transformer& model, LayerKind kind);  ///< parameters of the routed experts of a layer
double embedding_parameters(const Transformer& model);               ///< token table and learned positions
double head_parameters(const Transformer& model);  ///< output projection and final norm; tied: norm only
/// Parameters that predict one further token, besides a layer of the last kind: two norms and the matrix that joins its
/// inputs.
double extra_prediction_parameters(const Transformer& model);
double total_parameters(const Transformer& model);   ///< all parameters, with all experts
double active_parameters(const Transformer& model);  ///< those that one token passes

/// Parameters of low-rank adapters of `rank` on the linear layers of attention and MLP of one decoder layer. Experts
/// get none.
double adapter_parameters(const Transformer& model, int rank, LayerKind kind = LayerKind::dense);

/// What decides the FLOPs of a training token beside its model.
struct TrainingWork {
  std::int64_t sequence = 0;
  double sample_tokens = 0;  ///< mean length of samples packed into a sequence; 0: one sample fills it
  int lora_rank = 0;         ///< of the adapters that alone are trained; 0: all weights are
};
TrainingWork training_work(const Job& job);

/// Model FLOPs of one training token: 6 x parameters that multiply it + attention under the mask, each packed sample
/// for itself. Frozen weights take 4, as they have no gradient, and their adapters 6. A tied head counts. The token
/// embedding, a look-up, and recomputation do not.
/// @param routed_share  share of the drawn experts that compute the token; the others dropped it
Flops training_flops_per_token(const Transformer& model, const TrainingWork& work, double routed_share = 1);
inline Flops training_flops_per_token(const Transformer& model, std::int64_t sequence, double routed_share = 1) {
  return training_flops_per_token(model, TrainingWork{sequence}, routed_share);
}

}  // namespace clusterwright
