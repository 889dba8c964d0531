// SPDX-License-Identifier: Apache-2.0
/// Own samples as rows of the published fits, each with its description and its fold.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/attention_rows.hpp"
#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/gemm_rows.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

template <class Row>
struct SampleRow {
  Row row;
  std::string what;   ///< description: "8192 x 4096 x 4096 forward"
  std::string size;   ///< fold: samples of one size are held out together
  Seconds measured;   ///< median of the repetitions, one call
  bool large = true;  ///< judged apart: M >= 1024, messages from 1 MB
};

/// One streaming kernel on device memory, or one copy from the host.
struct TrafficRow {
  double writes = 0;  ///< share of writes in its traffic
  Bytes traffic;      ///< traffic of one call
  Seconds time;
};

/// Medians of short GEMMs whose operands are of `format`; fp16 counts as bf16, which runs on the same units.
/// @param part  data sheet to which shares refer
std::vector<SampleRow<GemmRow>> gemm_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                             const GemmFormat& format);

/// Passes of one attention implementation in 16 bit, and the names of all implementations with samples.
std::vector<SampleRow<AttentionRow>> attention_samples(const std::vector<ProbeSamples>& all,
                                                       const AcceleratorPart& part, const std::string& implementation);
std::vector<std::string> sampled_attention(const std::vector<ProbeSamples>& all);

/// Streams over more than the last-level cache: four times that of a GPU, whose lines are evicted at random; twice that
/// of a host, which keeps recent lines. Copies of a host are skipped, since they bypass the cache.
std::vector<SampleRow<TrafficRow>> memory_samples(const std::vector<ProbeSamples>& all);

/// Pinned copies from the host, of all sizes.
std::vector<SampleRow<TrafficRow>> host_copy_samples(const std::vector<ProbeSamples>& all);

/// Links between the ranks of a log, which names none.
struct SampledLinks {
  BytesPerSecond scale_up;   ///< one accelerator, one direction
  BytesPerSecond scale_out;  ///< NIC share of one accelerator, one direction; zero: not known
  bool sharp = false;
};

/// Out-of-place results of one operation, sizes as nccl-tests counts them. Results of several nodes are there only
/// where `links` has a network.
std::vector<SampleRow<CollectiveRow>> collective_samples(const std::vector<ProbeSamples>& all,
                                                         const AcceleratorPart& part, const SampledLinks& links,
                                                         CollectiveOp op);

/// Samples of one thread count, since one thread and many are different machines.
/// @param threads  0: the largest count that ran
ProbeSamples of_threads(ProbeSamples samples, std::int64_t threads);

/// Whether any sample has ranks on several nodes.
bool crosses_nodes(const std::vector<ProbeSamples>& all);

}  // namespace clusterwright
