// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/probe_what.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calibration/sample_files/sparse_record.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

FieldRule count(const char* help) {
  return {.help = help, .min = 1, .max = 1e15};
}

FieldRule word(const char* help) {
  return {.help = help};
}

FieldRule size(const char* help) {
  return {.help = help, .min = 0, .max = 1e18, .above_min = true};
}

/// Keys of any GEMM beside its three lengths.
template <class What>
Record<What>& add_gemm_details(Record<What>& record) {
  return record.optional("library", &What::library, word("class of kernels"))
      .optional("layout", &What::layout, word("forward or a gradient"))
      .optional("operands", &What::operands, word("how A and B lie in memory"))
      .optional("output", &What::output, word("number format of C"))
      .optional("accumulate", &What::accumulate, word("adds to C"))
      .optional("scaling", &What::scaling, word("what one scale is for"))
      .optional("fast_accumulation", &What::fast_accumulation, word("sums of fp8 in fewer bits"))
      .optional("origin", &What::origin, word("whose shape it is"))
      .optional("contents", &What::contents, word("what the numbers are like"))
      .optional("buffer_sets", &What::buffer_sets, count("operands taken in turn"))
      .optional("workspace_bytes", &What::workspace, {.help = "that the library may use", .min = 0});
}

}  // namespace

const Record<ProbedGemm>& record(const ProbedGemm*) {
  static const auto table = [] {
    auto out = Record<ProbedGemm>("what a gemm did", "C (m x n) = A (m x k) B (k x n)")
                   .required("m", &ProbedGemm::m, count("rows of A and C"))
                   .required("n", &ProbedGemm::n, count("columns of B and C"))
                   .required("k", &ProbedGemm::k, count("columns of A, rows of B"))
                   .required("dtype", &ProbedGemm::dtype, word("number format of A and B"))
                   .optional("threads", &ProbedGemm::threads, count("of the host"));
    return add_gemm_details(out);
  }();
  return table;
}

const Record<ProbedPower>& record(const ProbedPower*) {
  static const auto table = [] {
    auto out = Record<ProbedPower>("what a power sample did", "a load that is held")
                   .required("load", &ProbedPower::load, word("what the device did"))
                   .optional("blocks", &ProbedPower::blocks, count("that poll"))
                   .optional("threads_per_block", &ProbedPower::threads_per_block, count("that poll"))
                   .optional("wait_us", &ProbedPower::wait, size("of one launch"))
                   .optional("gemms", &ProbedPower::gemms, count("in a row, then the wait, of one wave"))
                   .optional("wait_ms", &ProbedPower::pause, size("of one wave"))
                   .optional("first", &ProbedPower::first, word("load that alternates"))
                   .optional("second", &ProbedPower::second, word("load that alternates"))
                   .optional("m", &ProbedPower::m, count("rows of A and C"))
                   .optional("n", &ProbedPower::n, count("columns of B and C"))
                   .optional("k", &ProbedPower::k, count("columns of A, rows of B"))
                   .optional("dtype", &ProbedPower::dtype, word("number format of A and B"));
    return add_gemm_details(out);
  }();
  return table;
}

const Record<ProbedMemory>& record(const ProbedMemory*) {
  static const auto table = Record<ProbedMemory>("what a memory kernel did", "streams through arrays")
                                .required("operation", &ProbedMemory::operation, word("kernel"))
                                .required("working_set_bytes", &ProbedMemory::working_set, size("all arrays together"))
                                .optional("array_bytes", &ProbedMemory::array, size("one of them"))
                                .optional("arrays", &ProbedMemory::arrays, count("that it reads or writes"))
                                .optional("dtype", &ProbedMemory::dtype, word("number format"))
                                .optional("threads", &ProbedMemory::threads, count("of the host"));
  return table;
}

const Record<ProbedTransfer>& record(const ProbedTransfer*) {
  static const auto table = Record<ProbedTransfer>("what a transfer did", "messages between two processes")
                                .required("path", &ProbedTransfer::path, word("what carries the message"))
                                .required("pattern", &ProbedTransfer::pattern, word("ping_pong or stream"))
                                .required("message_bytes", &ProbedTransfer::message, size("one direction"));
  return table;
}

const Record<ProbedStorage>& record(const ProbedStorage*) {
  static const auto table = Record<ProbedStorage>("what storage did", "one file, from its beginning to its end")
                                .required("operation", &ProbedStorage::operation, word("read or write"))
                                .required("file_bytes", &ProbedStorage::file, size("of the file"))
                                .required("block_bytes", &ProbedStorage::block, size("of one system call"))
                                .required("cache", &ProbedStorage::cache, word("where the pages were"));
  return table;
}

const Record<ProbedLoading>& record(const ProbedLoading*) {
  static const auto table = Record<ProbedLoading>("what data loading did", "random records of tokens from one file")
                                .required("method", &ProbedLoading::method, word("mmap or pread"))
                                .required("record_bytes", &ProbedLoading::record, size("of one record"))
                                .required("records", &ProbedLoading::records, count("read by one call"))
                                .required("file_bytes", &ProbedLoading::file, size("that they are drawn from"))
                                .required("cache", &ProbedLoading::cache, word("where the pages were"));
  return table;
}

namespace {

/// Keys that attention and whole layers have in common.
template <class What>
Record<What> attention_like(const char* name, const char* help) {
  return Record<What>(name, help)
      .required("pass", &What::pass, word("forward, backward or both"))
      .required("dtype", &What::dtype, word("number format"))
      .required("batch", &What::batch, count("sequences"))
      .required("sequence", &What::sequence, count("tokens of a sequence"))
      .required("heads", &What::heads, count("of queries"))
      .required("kv_heads", &What::kv_heads, count("of keys and values"))
      .required("head_dim", &What::head_width, count("of one head"))
      .required("causal", &What::causal, word("half of the scores"));
}

}  // namespace

const Record<ProbedAttention>& record(const ProbedAttention*) {
  static const auto table = attention_like<ProbedAttention>("what an attention kernel did", "one layer's attention")
                                .optional("implementation", &ProbedAttention::implementation, word("whose kernel"));
  return table;
}

const Record<ProbedLayer>& record(const ProbedLayer*) {
  static const auto table =
      attention_like<ProbedLayer>("what a layer did", "a whole transformer layer")
          .required("hidden", &ProbedLayer::hidden, count("width"))
          .required("ffn", &ProbedLayer::ffn, count("width of the feed-forward part"))
          .optional("model", &ProbedLayer::model, word("whose layer"))
          .optional("tensor_split", &ProbedLayer::tensor_split, count("degree of tensor parallelism"))
          .optional("communication", &ProbedLayer::communication, word("collectives included"))
          .optional("gated", &ProbedLayer::gated, word("feed-forward part"))
          .optional("attention", &ProbedLayer::attention, word("whose kernel"))
          .optional("bytes_counted", &ProbedLayer::bytes_counted, word("whether bytes mean anything"));
  return table;
}

const Record<ProbedModel>& record(const ProbedModel*) {
  static const auto table =
      Record<ProbedModel>("what a model did", "a small model: forward, backward and optimizer")
          .required("pass", &ProbedModel::pass, word("step"))
          .required("dtype", &ProbedModel::dtype, word("number format"))
          .required("layers", &ProbedModel::layers, count("of the model"))
          .required("hidden", &ProbedModel::hidden, count("width"))
          .required("ffn", &ProbedModel::ffn, count("width of the feed-forward part"))
          .required("heads", &ProbedModel::heads, count("of queries"))
          .required("kv_heads", &ProbedModel::kv_heads, count("of keys and values"))
          .required("head_width", &ProbedModel::head_width, count("of one head"))
          .required("vocabulary", &ProbedModel::vocabulary, count("tokens that there are"))
          .required("batch", &ProbedModel::batch, count("sequences"))
          .required("sequence", &ProbedModel::sequence, count("tokens of a sequence"))
          .required("causal", &ProbedModel::causal, word("half of the scores"))
          .optional("gated", &ProbedModel::gated, word("feed-forward part"))
          .optional("graph", &ProbedModel::graph, word("launched as one"))
          .optional("parameters", &ProbedModel::parameters, count("that are updated"))
          .optional("model", &ProbedModel::model, word("its name"))
          .optional("tensor_split", &ProbedModel::tensor_split, count("degree of tensor parallelism"))
          .optional("communication", &ProbedModel::communication, word("collectives included"))
          .optional("attention", &ProbedModel::attention, word("whose kernel"));
  return table;
}

const Record<ProbedKernel>& record(const ProbedKernel*) {
  static const auto table = Record<ProbedKernel>("what a kernel did", "kernels between the GEMMs")
                                .required("kernel", &ProbedKernel::kernel, word("name"))
                                .required("dtype", &ProbedKernel::dtype, word("number formats"))
                                .optional("pass", &ProbedKernel::pass, word("forward, backward or update"))
                                .optional("tokens", &ProbedKernel::tokens, count("rows"))
                                .optional("width", &ProbedKernel::width, count("columns"))
                                .optional("heads", &ProbedKernel::heads, count("of queries"))
                                .optional("head_dim", &ProbedKernel::head_width, count("of one head"))
                                .optional("parameters", &ProbedKernel::parameters, count("that are updated"));
  return table;
}

const Record<ProbedLaunch>& record(const ProbedLaunch*) {
  static const auto table =
      Record<ProbedLaunch>("what a launch did", "empty kernels")
          .required("operation", &ProbedLaunch::operation, word("what was launched and waited for"))
          .optional("kernels", &ProbedLaunch::kernels, {.help = "in one launch", .min = 0, .max = 1e9})
          .optional("blocks", &ProbedLaunch::blocks, count("of the kernel"));
  return table;
}

const Record<ProbedCopy>& record(const ProbedCopy*) {
  static const auto table =
      Record<ProbedCopy>("what a copy did", "between host and device")
          .required("direction", &ProbedCopy::direction, word("host_to_device, device_to_host or both"))
          .required("bytes", &ProbedCopy::bytes, count("one direction"))
          .optional("host_memory", &ProbedCopy::host_memory, word("pinned or not"));
  return table;
}

const Record<ProbedCollective>& record(const ProbedCollective*) {
  static const auto table =
      Record<ProbedCollective>("what a collective did", "between GPUs")
          .required("operation", &ProbedCollective::operation, word("operation, or a copy between peers"))
          .required("bytes", &ProbedCollective::bytes, count("as nccl-tests count them"))
          .optional("dtype", &ProbedCollective::dtype, word("number format"))
          .optional("ranks", &ProbedCollective::ranks, count("that take part"))
          .optional("nodes", &ProbedCollective::nodes, count("that the ranks are spread over evenly"))
          .optional("in_place", &ProbedCollective::in_place, word("input and output share a buffer"))
          .optional("processes", &ProbedCollective::processes, count("that they run in"))
          .optional("nccl_version", &ProbedCollective::nccl_version, count("of the library"))
          .optional("from", &ProbedCollective::from, {.help = "device", .min = 0, .max = 1e6})
          .optional("to", &ProbedCollective::to, {.help = "device", .min = 0, .max = 1e6})
          .optional("direct", &ProbedCollective::direct, word("without the host"));
  return table;
}

namespace {

/// One `ProbeWhat` for each probe, holding nothing but its kind.
template <std::size_t... I>
std::vector<ProbeWhat> empty_subjects(std::index_sequence<I...>) {
  return {ProbeWhat(std::in_place_index<I>)...};
}

/// In the order of `ProbeWhat`.
const std::vector<ProbeWhat>& empty_subjects() {
  static const auto all = empty_subjects(std::make_index_sequence<std::variant_size_v<ProbeWhat>>{});
  return all;
}

/// Bytes that a call must have moved, or 0 where nothing implies it.
struct ImpliedBytes {
  double operator()(const ProbedMemory& memory) const { return memory.working_set.in(byte); }
  double operator()(const ProbedStorage& storage) const { return storage.file.in(byte); }
  double operator()(const ProbedTransfer& transfer) const { return transfer.message.in(byte); }
  double operator()(const ProbedLoading& loading) const {
    return static_cast<double>(loading.records) * loading.record.in(byte);
  }
  double operator()(const ProbedCopy& copy) const {
    return static_cast<double>(copy.bytes) * (copy.direction == CopyDirection::both ? 2 : 1);
  }
  double operator()(const auto&) const { return 0; }
};

double implied_flops(const ProbeWhat& what) {
  const auto* gemm = std::get_if<ProbedGemm>(&what);
  if (!gemm) return 0;
  return 2.0 * static_cast<double>(gemm->m) * static_cast<double>(gemm->n) * static_cast<double>(gemm->k);
}

void contradiction(const JsonValue& sample, const char* key, std::string message, Decoder& decoder) {
  const JsonValue& member = sample.at(key);
  const Decoder::Scope scope(decoder, sample, member, key);
  decoder.error("E0340", std::move(message), member);
}

}  // namespace

bool same_problem(const ProbedGemm& one, const ProbedGemm& other) {
  return one.m == other.m && one.n == other.n && one.k == other.k && one.dtype == other.dtype &&
         one.threads == other.threads;
}

HeldLoad ProbedPower::held() const {
  const auto& names = EnumNames<HeldLoad>::names;
  return static_cast<HeldLoad>(std::find(names.begin(), names.end(), load) - names.begin());
}

std::string probe_name(const ProbeWhat& what) {
  return std::visit([](const auto& one) { return std::string(one.probe); }, what);
}

std::int64_t threads_of(const ProbeWhat& what) {
  if (const auto* gemm = std::get_if<ProbedGemm>(&what)) return gemm->threads;
  if (const auto* memory = std::get_if<ProbedMemory>(&what)) return memory->threads;
  return 0;
}

const std::vector<std::string>& known_probes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const ProbeWhat& one : empty_subjects()) out.push_back(probe_name(one));
    std::sort(out.begin(), out.end());
    return out;
  }();
  return names;
}

ProbeWhat decode_what(const std::string& probe, const JsonValue& value, Decoder& decoder) {
  ProbeWhat out = *std::find_if(empty_subjects().begin(), empty_subjects().end(),
                                [&](const ProbeWhat& one) { return probe_name(one) == probe; });
  std::visit([&]<class What>(What& what) { record(static_cast<const What*>(nullptr)).decode(value, decoder, what); },
             out);
  return out;
}

void check_totals(const ProbeWhat& what, const ProbeTotals& totals, const JsonValue& sample, Decoder& decoder) {
  const double flops = implied_flops(what), bytes = std::visit(ImpliedBytes{}, what);
  if (flops > 0 && static_cast<double>(totals.flops) != flops)
    contradiction(sample, "flops", fmt::format("must be 2 m n k = {:.0f} (got {})", flops, totals.flops), decoder);
  if (bytes > 0 && static_cast<double>(totals.bytes) != bytes)
    contradiction(sample, "bytes", fmt::format("must be {:.0f}, as its \"what\" says (got {})", bytes, totals.bytes),
                  decoder);
  const std::int64_t threads = threads_of(what);
  if (totals.device_threads > 0 && threads > totals.device_threads)
    contradiction(sample, "what", fmt::format("has {} threads; the device has {}", threads, totals.device_threads),
                  decoder);
}

JsonValue encode_what(const ProbeWhat& what) {
  return std::visit(
      []<class What>(const What& one) { return encode_sparse(record(static_cast<const What*>(nullptr)), one); }, what);
}

}  // namespace clusterwright
