/// A decoder-only transformer: its dimensions, and what follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

enum class Normalisation { rms, layer };
enum class PositionEncoding { rotary, learned, none, alibi };

struct Transformer {
  std::string name;
  std::string source;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::optional<std::int64_t> kv_heads;    ///< absent: as many as heads
  std::optional<std::int64_t> head_width;  ///< absent: hidden / heads
  std::int64_t ffn = 0;                    ///< inner width of the MLP
  bool gated_mlp = true;                   ///< three matrices instead of two
  std::int64_t vocabulary = 0;
  bool tied_embeddings = false;
  bool biases = false;  ///< on every linear layer except the output projection
  Normalisation normalisation = Normalisation::rms;
  PositionEncoding positions = PositionEncoding::rotary;
  std::int64_t max_sequence = 0;                     ///< rows of a learned position table
  std::optional<std::int64_t> sliding_window;        ///< tokens back that a windowed layer attends to
  std::optional<std::int64_t> full_attention_every;  ///< one layer in this many attends to all; absent: none does

  std::int64_t key_value_heads() const { return kv_heads.value_or(heads); }
  std::int64_t width_of_head() const { return head_width.value_or(hidden / heads); }
  std::int64_t query_width() const { return heads * width_of_head(); }
  std::int64_t key_value_width() const { return key_value_heads() * width_of_head(); }
  /// Share of the full square of scores that lies under the mask, mean over layers: causal, windows, packed samples.
  double score_share(double sequence, double sample_tokens = 0) const;
};
const Record<Transformer>& record(const Transformer*);

/// Parameters of one decoder layer, of the whole model, and of the parts outside the layers.
double layer_parameters(const Transformer& model);
double embedding_parameters(const Transformer& model);  ///< token table and learned positions
double head_parameters(const Transformer& model);       ///< output projection and final norm; tied: norm only
double parameters(const Transformer& model);

/// Low-rank adapters of `rank` on the four linear layers of one decoder layer.
double adapter_parameters(const Transformer& model, int rank);

/// Model FLOPs of one training token: 6 x parameters that multiply + causal-half attention. Recomputation not counted;
/// the token embedding is a look-up and not counted, a tied head is.
Flops training_flops_per_token(const Transformer& model, std::int64_t sequence);

}  // namespace clusterwright
