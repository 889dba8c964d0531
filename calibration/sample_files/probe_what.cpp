#include "calibration/sample_files/probe_what.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "calibration/sample_files/sparse_record.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

using WhatRecord = Record<ProbeWhat>;

FieldRule count(const char* help) {
  return {.help = help, .min = 1};
}

FieldRule word(const char* help) {
  return {.help = help};
}

FieldRule size(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

/// What any multiply has beside its three lengths.
WhatRecord& add_gemm_details(WhatRecord& record) {
  return record.optional("library", &ProbeWhat::library, word("class of kernels"))
      .optional("layout", &ProbeWhat::layout, word("forward or a gradient"))
      .optional("operands", &ProbeWhat::operands, word("how A and B lie in memory"))
      .optional("output", &ProbeWhat::output, word("number format of C"))
      .optional("accumulate", &ProbeWhat::accumulate, word("adds to C"))
      .optional("scaling", &ProbeWhat::scaling, word("what one scale is for"))
      .optional("fast_accumulation", &ProbeWhat::fast_accumulation, word("sums of fp8 in fewer bits"))
      .optional("origin", &ProbeWhat::origin, word("whose shape it is"))
      .optional("contents", &ProbeWhat::contents, word("what the numbers are like"))
      .optional("buffer_sets", &ProbeWhat::buffer_sets, count("operands taken in turn"))
      .optional("workspace_bytes", &ProbeWhat::workspace, {.help = "that the library may use", .min = 0});
}

WhatRecord gemm_record() {
  WhatRecord out = WhatRecord("what a gemm did", "C (m x n) = A (m x k) B (k x n)")
                       .required("m", &ProbeWhat::m, count("rows of A and C"))
                       .required("n", &ProbeWhat::n, count("columns of B and C"))
                       .required("k", &ProbeWhat::k, count("columns of A, rows of B"))
                       .required("dtype", &ProbeWhat::dtype, word("number format of A and B"))
                       .optional("threads", &ProbeWhat::threads, count("of the host"));
  return add_gemm_details(out);
}

WhatRecord power_record() {
  WhatRecord out = WhatRecord("what a power sample did", "a load that is held")
                       .required("load", &ProbeWhat::load, word("what the device did"))
                       .optional("blocks", &ProbeWhat::blocks, count("that poll"))
                       .optional("threads_per_block", &ProbeWhat::threads_per_block, count("that poll"))
                       .optional("wait_us", &ProbeWhat::wait, size("of one launch"))
                       .optional("first", &ProbeWhat::first, word("load that alternates"))
                       .optional("second", &ProbeWhat::second, word("load that alternates"))
                       .optional("m", &ProbeWhat::m, count("rows of A and C"))
                       .optional("n", &ProbeWhat::n, count("columns of B and C"))
                       .optional("k", &ProbeWhat::k, count("columns of A, rows of B"))
                       .optional("dtype", &ProbeWhat::dtype, word("number format of A and B"));
  return add_gemm_details(out);
}

WhatRecord memory_record() {
  return WhatRecord("what a memory kernel did", "streams through arrays")
      .required("operation", &ProbeWhat::operation, word("kernel"))
      .required("working_set_bytes", &ProbeWhat::working_set, size("all arrays together"))
      .optional("array_bytes", &ProbeWhat::array, size("one of them"))
      .optional("arrays", &ProbeWhat::arrays, count("that it reads or writes"))
      .optional("dtype", &ProbeWhat::dtype, word("number format"))
      .optional("threads", &ProbeWhat::threads, count("of the host"));
}

WhatRecord transfer_record() {
  return WhatRecord("what a transfer did", "messages between two processes")
      .required("path", &ProbeWhat::path, word("what carries the message"))
      .required("pattern", &ProbeWhat::pattern, word("ping_pong or stream"))
      .required("message_bytes", &ProbeWhat::message, size("one direction"));
}

WhatRecord storage_record() {
  return WhatRecord("what storage did", "one file, from its beginning to its end")
      .required("operation", &ProbeWhat::operation, word("read or write"))
      .required("file_bytes", &ProbeWhat::file, size("of the file"))
      .required("block_bytes", &ProbeWhat::block, size("of one system call"))
      .required("cache", &ProbeWhat::cache, word("where the pages were"));
}

WhatRecord loading_record() {
  return WhatRecord("what data loading did", "random records of tokens from one file")
      .required("method", &ProbeWhat::method, word("mmap or pread"))
      .required("record_bytes", &ProbeWhat::record, size("of one record"))
      .required("records", &ProbeWhat::records, count("read by one call"))
      .required("file_bytes", &ProbeWhat::file, size("that they are drawn from"))
      .required("cache", &ProbeWhat::cache, word("where the pages were"));
}

/// What attention and whole layers have in common.
WhatRecord attention_like(const char* name, const char* help) {
  return WhatRecord(name, help)
      .required("pass", &ProbeWhat::pass, word("forward, backward or both"))
      .required("dtype", &ProbeWhat::dtype, word("number format"))
      .required("batch", &ProbeWhat::batch, count("sequences"))
      .required("sequence", &ProbeWhat::sequence, count("tokens of a sequence"))
      .required("heads", &ProbeWhat::heads, count("of queries"))
      .required("kv_heads", &ProbeWhat::kv_heads, count("of keys and values"))
      .required("head_dim", &ProbeWhat::head_width, count("of one head"))
      .required("causal", &ProbeWhat::causal, word("half of the scores"));
}

WhatRecord attention_record() {
  return attention_like("what an attention kernel did", "one layer's attention")
      .optional("implementation", &ProbeWhat::implementation, word("whose kernel"));
}

WhatRecord layer_record() {
  return attention_like("what a layer did", "a whole transformer layer")
      .required("hidden", &ProbeWhat::hidden, count("width"))
      .required("ffn", &ProbeWhat::ffn, count("width of the feed-forward part"))
      .optional("model", &ProbeWhat::model, word("whose layer"))
      .optional("tensor_split", &ProbeWhat::tensor_split, count("degree of tensor parallelism"))
      .optional("communication", &ProbeWhat::communication, word("collectives included"))
      .optional("gated", &ProbeWhat::gated, word("feed-forward part"))
      .optional("attention", &ProbeWhat::attention, word("whose kernel"))
      .optional("bytes_counted", &ProbeWhat::bytes_counted, word("whether bytes mean anything"));
}

WhatRecord model_record() {
  return WhatRecord("what a model did", "a small model: forward, backward and optimizer")
      .required("pass", &ProbeWhat::pass, word("step"))
      .required("dtype", &ProbeWhat::dtype, word("number format"))
      .required("layers", &ProbeWhat::layers, count("of the model"))
      .required("hidden", &ProbeWhat::hidden, count("width"))
      .required("ffn", &ProbeWhat::ffn, count("width of the feed-forward part"))
      .required("heads", &ProbeWhat::heads, count("of queries"))
      .required("kv_heads", &ProbeWhat::kv_heads, count("of keys and values"))
      .required("head_width", &ProbeWhat::head_width, count("of one head"))
      .required("vocabulary", &ProbeWhat::vocabulary, count("tokens that there are"))
      .required("batch", &ProbeWhat::batch, count("sequences"))
      .required("sequence", &ProbeWhat::sequence, count("tokens of a sequence"))
      .required("causal", &ProbeWhat::causal, word("half of the scores"))
      .optional("gated", &ProbeWhat::gated, word("feed-forward part"))
      .optional("graph", &ProbeWhat::graph, word("launched as one"))
      .optional("parameters", &ProbeWhat::parameters, count("that are updated"))
      .optional("model", &ProbeWhat::model, word("its name"))
      .optional("tensor_split", &ProbeWhat::tensor_split, count("degree of tensor parallelism"))
      .optional("communication", &ProbeWhat::communication, word("collectives included"))
      .optional("attention", &ProbeWhat::attention, word("whose kernel"));
}

WhatRecord kernels_record() {
  return WhatRecord("what a kernel did", "kernels between the multiplies")
      .required("kernel", &ProbeWhat::kernel, word("name"))
      .required("dtype", &ProbeWhat::dtype, word("number formats"))
      .optional("pass", &ProbeWhat::pass, word("forward, backward or update"))
      .optional("tokens", &ProbeWhat::tokens, count("rows"))
      .optional("width", &ProbeWhat::width, count("columns"))
      .optional("heads", &ProbeWhat::heads, count("of queries"))
      .optional("head_dim", &ProbeWhat::head_width, count("of one head"))
      .optional("parameters", &ProbeWhat::parameters, count("that are updated"));
}

WhatRecord launch_record() {
  return WhatRecord("what a launch did", "empty kernels")
      .required("operation", &ProbeWhat::operation, word("what was launched and waited for"))
      .optional("kernels", &ProbeWhat::kernels, {.help = "in one launch", .min = 0})
      .optional("blocks", &ProbeWhat::blocks, count("of the kernel"));
}

WhatRecord copies_record() {
  return WhatRecord("what a copy did", "between host and device")
      .required("direction", &ProbeWhat::direction, word("host_to_device, device_to_host or both"))
      .required("bytes", &ProbeWhat::bytes, count("one direction"))
      .optional("host_memory", &ProbeWhat::host_memory, word("pinned or not"));
}

WhatRecord collectives_record() {
  return WhatRecord("what a collective did", "between GPUs")
      .required("operation", &ProbeWhat::operation, word("operation, or a copy between peers"))
      .required("bytes", &ProbeWhat::bytes, count("as nccl-tests count them"))
      .optional("dtype", &ProbeWhat::dtype, word("number format"))
      .optional("ranks", &ProbeWhat::ranks, count("that take part"))
      .optional("nodes", &ProbeWhat::nodes, count("that the ranks are spread over evenly"))
      .optional("in_place", &ProbeWhat::in_place, word("input and output share a buffer"))
      .optional("processes", &ProbeWhat::processes, count("that they run in"))
      .optional("nccl_version", &ProbeWhat::nccl_version, count("of the library"))
      .optional("from", &ProbeWhat::from, {.help = "device", .min = 0})
      .optional("to", &ProbeWhat::to, {.help = "device", .min = 0})
      .optional("direct", &ProbeWhat::direct, word("without the host"));
}

const std::map<std::string, WhatRecord>& what_records() {
  static const std::map<std::string, WhatRecord> records = {
      {"gemm", gemm_record()},
      {"memory", memory_record()},
      {"transfer", transfer_record()},
      {"storage", storage_record()},
      {"data_loading", loading_record()},
      {"power", power_record()},
      {"attention", attention_record()},
      {"layer", layer_record()},
      {"kernels", kernels_record()},
      {"model", model_record()},
      {"launch", launch_record()},
      {"copies", copies_record()},
      {"collectives", collectives_record()},
  };
  return records;
}

/// Words that a key may have.
struct WordList {
  std::string probe, key;
  std::vector<std::string> words;
};

const std::vector<WordList>& word_lists() {
  static const std::vector<WordList> lists = {
      {"gemm", "dtype", {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "int8"}},
      {"memory", "dtype", {"fp64", "fp32"}},
      {"memory", "operation", {"copy", "add", "triad", "read"}},
      {"transfer", "pattern", {"ping_pong", "stream"}},
      {"transfer", "path", {"tcp_loopback", "pipe"}},
      {"storage", "operation", {"read", "write"}},
      {"storage", "cache", {"flushed", "dropped", "resident"}},
      {"data_loading", "cache", {"dropped", "resident"}},
      {"data_loading", "method", {"mmap", "pread"}},
      {"attention", "pass", {"forward", "backward", "both"}},
      {"layer", "pass", {"forward", "backward", "both"}},
      {"model", "pass", {"step"}},
      {"copies", "direction", {"host_to_device", "device_to_host", "both"}},
  };
  return lists;
}

void check_words(const std::string& probe, const JsonValue& what, Decoder& decoder) {
  for (const WordList& list : word_lists()) {
    const JsonValue* value = list.probe == probe ? what.find(list.key) : nullptr;
    if (!value || !value->is(JsonKind::text)) continue;
    if (std::find(list.words.begin(), list.words.end(), value->as_text()) != list.words.end()) continue;
    const Decoder::Scope scope(decoder, what, *value, list.key);
    decoder.error("E0203", fmt::format("must be one of \"{}\"", fmt::join(list.words, "\", \"")), *value, "",
                  did_you_mean(value->as_text(), list.words));
  }
}

/// Bytes that a call must have moved, or 0 where nothing else says it.
double implied_bytes(const std::string& probe, const ProbeWhat& what) {
  if (probe == "memory") return what.working_set.in(byte);
  if (probe == "storage") return what.file.in(byte);
  if (probe == "transfer") return what.message.in(byte);
  if (probe == "data_loading") return static_cast<double>(what.records) * what.record.in(byte);
  if (probe == "copies") return static_cast<double>(what.bytes) * (what.direction == "both" ? 2 : 1);
  return 0;
}

double implied_flops(const std::string& probe, const ProbeWhat& what) {
  if (probe != "gemm") return 0;
  return 2.0 * static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k);
}

void contradiction(const JsonValue& sample, const char* key, std::string message, Decoder& decoder) {
  const JsonValue& member = sample.at(key);
  const Decoder::Scope scope(decoder, sample, member, key);
  decoder.error("E0340", std::move(message), member);
}

}  // namespace

const std::vector<std::string>& known_probes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, record] : what_records()) out.push_back(name);
    return out;
  }();
  return names;
}

void decode_what(const std::string& probe, const JsonValue& value, Decoder& decoder, ProbeWhat& out) {
  what_records().at(probe).decode(value, decoder, out);
  check_words(probe, value, decoder);
}

void check_totals(const std::string& probe, const ProbeWhat& what, const ProbeTotals& totals, const JsonValue& sample,
                  Decoder& decoder) {
  const double flops = implied_flops(probe, what), bytes = implied_bytes(probe, what);
  if (flops > 0 && static_cast<double>(totals.flops) != flops)
    contradiction(sample, "flops", fmt::format("must be 2 m n k = {:.0f} (got {})", flops, totals.flops), decoder);
  if (bytes > 0 && static_cast<double>(totals.bytes) != bytes)
    contradiction(sample, "bytes", fmt::format("must be {:.0f}, as its \"what\" says (got {})", bytes, totals.bytes),
                  decoder);
  if (totals.device_threads > 0 && what.threads > totals.device_threads)
    contradiction(sample, "what", fmt::format("has {} threads; the device has {}", what.threads, totals.device_threads),
                  decoder);
}

JsonValue encode_what(const std::string& probe, const ProbeWhat& what) {
  return encode_sparse(what_records().at(probe), what);
}

}  // namespace clusterwright
