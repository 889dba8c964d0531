/// Own samples, ready to be predicted: the rows of the published fits, each with its words and its fold.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/gemm_rows.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/attention_time.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

template <class Row>
struct SampleRow {
  Row row;
  std::string what;   ///< for people: "8192 x 4096 x 4096 forward"
  std::string size;   ///< samples of one size are held back together
  Seconds measured;   ///< median of the repetitions, one call
  bool large = true;  ///< judged apart: M >= 1024, messages from 1 MB
};

/// A streaming kernel on device memory, or a copy from the host.
struct TrafficRow {
  double writes = 0;  ///< share of its traffic
  Bytes traffic;      ///< of one call
  Seconds time;
};

/// Medians of short multiplies whose operands are of `format`; fp16 counts as bf16, which runs on the same units.
/// @param part  gives the data sheet that shares refer to
std::vector<SampleRow<GemmRow>> gemm_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                             const GemmFormat& format);

/// One pass of an attention kernel.
struct AttentionSampleRow {
  AttentionShape shape;
  FlopsPerSecond peak;  ///< dense, 16 bit
  Seconds time;
};

/// Passes of one implementation in 16 bit, and the names of all that were sampled.
std::vector<SampleRow<AttentionSampleRow>> attention_samples(const std::vector<ProbeSamples>& all,
                                                             const AcceleratorPart& part,
                                                             const std::string& implementation);
std::vector<std::string> sampled_attention(const std::vector<ProbeSamples>& all);

/// Streams over more than the last-level cache, which smaller ones would measure: four times that of a GPU, whose lines
/// leave at random; twice that of a host, which keeps what was used last. A host's own copies are left out.
std::vector<SampleRow<TrafficRow>> memory_samples(const std::vector<ProbeSamples>& all);

/// Pinned copies from the host, all sizes.
std::vector<SampleRow<TrafficRow>> host_copy_samples(const std::vector<ProbeSamples>& all);

/// What joins the ranks of a log that says nothing of its network.
struct SampledLinks {
  BytesPerSecond scale_up;   ///< one accelerator, one direction
  BytesPerSecond scale_out;  ///< NIC share of one accelerator, one direction; zero: not known
  bool sharp = false;
};

/// Out-of-place results of one operation; of several nodes only where `links` says what joins them. Sizes as nccl-tests
/// counts them.
std::vector<SampleRow<CollectiveRow>> collective_samples(const std::vector<ProbeSamples>& all,
                                                         const AcceleratorPart& part, const SampledLinks& links,
                                                         CollectiveOp op);

/// One thread and many are two machines: without the samples of other thread counts.
/// @param threads  0: the most that ran
ProbeSamples of_threads(ProbeSamples samples, std::int64_t threads);

/// Whether any of them has ranks on several nodes.
bool crosses_nodes(const std::vector<ProbeSamples>& all);

}  // namespace clusterwright
