// SPDX-License-Identifier: Apache-2.0
// Streams over working sets from a corner of L2 to a large part of device memory. The same arrays are used again and
// again: a set that fits in L2 measures L2, a larger one device memory, and the sizes between show the crossing.

#include <algorithm>

#include "fill.hpp"
#include "measure.hpp"
#include "probes.hpp"
#include "stream_kernels.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "memory";

void measure_stream(Context& context, const StreamArrays& arrays, StreamKind kind, std::size_t array_bytes) {
  StreamArrays part = arrays;
  part.count = array_bytes / sizeof(float);
  Work work;
  work.probe = probe_name;
  work.what.put("operation", name_of(kind))
      .put("dtype", "fp32")
      .put("array_bytes", array_bytes)
      .put("arrays", arrays_of(kind));
  work.what.put("working_set_bytes", array_bytes * static_cast<std::size_t>(arrays_of(kind)));
  work.bytes = static_cast<double>(array_bytes) * arrays_of(kind);
  work.flops = static_cast<double>(part.count) * (kind == StreamKind::copy ? 0 : kind == StreamKind::triad ? 2 : 1);
  work.launch = [part, kind](cudaStream_t stream, int) { enqueue_stream(kind, part, stream); };
  measure_burst(context, work, 25);
}

}  // namespace

void probe_memory(Context& context) {
  check_stream_kernels(context.stream);
  const std::size_t largest = std::min(std::size_t{8} << 30, free_memory_bytes() / 4) / 4096 * 4096;
  DeviceArray<float> a(largest / 4), b(largest / 4), c(largest / 4), sums(read_blocks);
  for (DeviceArray<float>* array : {&a, &b}) {
    fill(array->data(), DataType::fp32, array->count(), Contents::random, context.options.seed, context.stream);
  }
  const StreamArrays arrays{a.data(), b.data(), c.data(), sums.data(), 0};
  std::vector<Task> tasks;
  for (std::size_t bytes = std::size_t{64} << 10; bytes <= largest; bytes *= 2) {
    for (const std::size_t size : {bytes, bytes / 2 * 3}) {  // half steps only in the full suite
      if (size > largest || (size != bytes && !context.options.full)) continue;
      for (const StreamKind kind : {StreamKind::copy, StreamKind::read, StreamKind::triad, StreamKind::add}) {
        const std::string what = std::string(name_of(kind)) + " " + std::to_string(size) + " bytes per array";
        tasks.push_back({what, [&context, arrays, kind, size] { measure_stream(context, arrays, kind, size); }});
      }
    }
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
