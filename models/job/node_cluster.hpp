// SPDX-License-Identifier: Apache-2.0
/// Clusters that are named by their nodes alone, and jobs that are named by their model alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Node with this id; else the one that is sold with the accelerator of this id.
/// @param accelerators  number that the cluster is to have; 0: not known
/// @throws ConfigError E0203 for a name of neither, with a suggestion; for an accelerator that is sold with no node,
/// with the way to describe one
const NodePart& named_node(const std::string& name, const Catalog& catalog, int accelerators = 0);

/// First node of the catalog that somebody sells with an accelerator; null where all are rented.
///
/// Chips of a torus are sold in slices of several sizes, which differ in nothing but the chips that their links join.
/// A number of accelerators takes the slice with the smallest domain that holds it, the largest domain where none
/// does: 512 TPU-v5p are one slice of 8 x 8 x 8, 8,192 are two of 16 x 16 x 16. Nodes that would leave chips idle, as a
/// pod of 8,960 does, come last. Where no number is known, the first one stays.
const NodePart* sold_node(const std::string& accelerator, const Catalog& catalog, int accelerators = 0);

/// Sentence that names the other slices which an accelerator stands for; empty where there are none or where `name` is
/// a node itself. @param node  id of the one that was taken
std::string slice_remark(const std::string& name, const std::string& node, const Catalog& catalog);

/// Cluster of such nodes alone: its fabric follows. Its name counts no nodes: how many there are follows from the
/// blocks of a job, which may leave accelerators of each node idle.
/// @param accelerators  filled into the last node, which may then be too large: building the cluster says so
JsonValue cluster_of_nodes(const NodePart& node, int accelerators);

/// Scenario without a cluster: pretraining of a model as it is usual today, with an open layout.
///
/// Sequences of 8,192 tokens, or the longest of the model where that is shorter; batches of 2 M tokens times (tokens /
/// 0.1 T)^0.47, rounded to a power of two, 16 M tokens where the end is not stated.
/// @source S. Zhang et al., "How does critical batch size scale in pre-training?", arXiv 2410.21676: the batch grows
///         with the tokens to the power 0.47, hardly with the model
/// @param transformer  file of the model
/// @param tokens       of the whole run; 0: not stated
JsonValue pretraining_of(const std::filesystem::path& transformer, double tokens);

/// @return `wanted` tokens, or the longest sequence that the file of a model states, in its own words or those of
///         Hugging Face
int sequence_for(const JsonValue& model, int wanted);

/// Sequences in a batch of such a run.
int usual_batch(double tokens, int sequence);

}  // namespace clusterwright
