// SPDX-License-Identifier: Apache-2.0
/// Differences between the layers of one model: which attend to everything, which have experts.
#pragma once

namespace clusterwright {

class HfReader;

/// Windows and chunks: from lists of layers where the file has them, otherwise as the family has them.
void settle_attention(HfReader& reader);

// Hooks of the families.
void adjust_qwen_windows(HfReader& reader);
void adjust_qwen_layers(HfReader& reader);  ///< windows, and layers without experts
void adjust_llama4_layers(HfReader& reader);
void adjust_deepseek_layers(HfReader& reader);
void adjust_falcon(HfReader& reader);
void adjust_opt_embedding(HfReader& reader);

}  // namespace clusterwright
