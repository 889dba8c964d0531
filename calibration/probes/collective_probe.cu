// NCCL by size over the GPUs of this node, one process; one GPU gives the floor of a collective's launch. Then
// peer-to-peer copies between pairs. Device 0's stream is timed; a collective ends on all ranks within its latency.

#include <algorithm>
#include <memory>

#include "fill.hpp"
#include "measure.hpp"
#include "nccl.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "collectives";

enum class Operation { all_reduce, all_gather, reduce_scatter, all_to_all };

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::all_reduce: return "all_reduce";
    case Operation::all_gather: return "all_gather";
    case Operation::reduce_scatter: return "reduce_scatter";
    default: return "all_to_all";
  }
}

/// Makes one device current and the former one again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    CHECK_CUDA(cudaGetDevice(&former_));
    CHECK_CUDA(cudaSetDevice(device));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(former_); }

 private:
  int former_ = 0;
};

int gpu_count() {
  int count = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  return count;
}

/// One GPU's part: its buffers live on its own device. Rank 0 works on the context's stream, which is timed.
struct Rank {
  int device;
  DeviceArray<char> in, out;
  std::unique_ptr<Stream> own_stream;
  cudaStream_t stream;

  Rank(int index, std::size_t bytes, const Context& context) : device(index), stream(context.stream) {
    const OnDevice here(device);
    in = DeviceArray<char>(bytes);
    out = DeviceArray<char>(bytes);
    if (device != context.options.device) {
      own_stream = std::make_unique<Stream>();
      stream = own_stream->get();
    }
    fill(in.data(), DataType::bf16, bytes / 2, Contents::random, context.options.seed + static_cast<std::uint64_t>(device), stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
};

struct Group {
  Nccl nccl;
  std::vector<Nccl::Communicator> communicators;
  std::vector<std::unique_ptr<Rank>> ranks;

  Group(Context& context, std::size_t bytes) : communicators(static_cast<std::size_t>(gpu_count())) {
    for (int i = 0; i < gpu_count(); ++i) ranks.push_back(std::make_unique<Rank>(i, bytes, context));
    nccl.init_all(communicators);
  }
  ~Group() {
    for (const auto communicator : communicators) nccl.destroy(communicator);
  }
};

void enqueue_all_to_all(const Group& group, std::size_t rank, std::size_t count) {
  const Rank& r = *group.ranks[rank];
  const std::size_t part = count / group.ranks.size();
  for (std::size_t peer = 0; peer < group.ranks.size(); ++peer) {
    group.nccl.send(r.in.data() + 2 * peer * part, part, static_cast<int>(peer), group.communicators[rank], r.stream);
    group.nccl.receive(r.out.data() + 2 * peer * part, part, static_cast<int>(peer), group.communicators[rank], r.stream);
  }
}

/// `bytes` as nccl-tests counts them: the larger of a rank's send and receive buffer.
void enqueue(const Group& group, Operation operation, std::size_t bytes) {
  const std::size_t count = bytes / 2, part = count / group.ranks.size();
  group.nccl.group_start();
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const Rank& r = *group.ranks[i];
    const auto c = group.communicators[i];
    switch (operation) {
      case Operation::all_reduce: group.nccl.all_reduce(r.in.data(), r.out.data(), count, c, r.stream); break;
      case Operation::all_gather: group.nccl.all_gather(r.in.data(), r.out.data(), part, c, r.stream); break;
      case Operation::reduce_scatter: group.nccl.reduce_scatter(r.in.data(), r.out.data(), part, c, r.stream); break;
      default: enqueue_all_to_all(group, i, count);
    }
  }
  group.nccl.group_end();
}

void measure_collective(Context& context, const Group& group, Operation operation, std::size_t bytes) {
  Work work;
  work.probe = probe_name;
  work.what.put("operation", name_of(operation)).put("bytes", bytes).put("dtype", "bf16").put("ranks", group.ranks.size());
  work.what.put("processes", 1).put("nccl_version", group.nccl.version());
  work.bytes = static_cast<double>(bytes);
  work.launch = [&group, operation, bytes](cudaStream_t, int) { enqueue(group, operation, bytes); };
  measure_burst(context, work, 30);
  for (const auto& rank : group.ranks) CHECK_CUDA(cudaStreamSynchronize(rank->stream));
}

void run_collectives(Context& context) {
  const std::size_t largest = std::min(context.options.full ? std::size_t{4} << 30 : std::size_t{256} << 20, free_memory_bytes() / 4);
  const Group group(context, largest);
  std::vector<Task> tasks;
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= context.options.full ? 2 : 8) {
    for (const Operation operation : {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::all_to_all}) {
      const std::string what = std::string(name_of(operation)) + " " + std::to_string(bytes) + " bytes";
      tasks.push_back({what, [&context, &group, operation, bytes] { measure_collective(context, group, operation, bytes); }});
    }
  }
  run_tasks(context, probe_name, tasks);
}

/// Direct access is switched on where the hardware has it; without it CUDA copies through the host.
bool enable_peer(int from, int to) {
  int possible = 0;
  CHECK_CUDA(cudaDeviceCanAccessPeer(&possible, from, to));
  if (possible == 0) return false;
  const OnDevice here(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status != cudaErrorPeerAccessAlreadyEnabled) CHECK_CUDA(status);
  cudaGetLastError();
  return true;
}

void measure_peer(Context& context, int peer, std::size_t bytes) {
  const int self = context.options.device;
  const bool direct = enable_peer(self, peer);
  const Rank here(self, bytes, context), there(peer, bytes, context);
  Work work;
  work.probe = probe_name;
  work.what.put("operation", "peer_copy").put("bytes", bytes).put("from", self).put("to", peer).put("direct", direct);
  work.bytes = static_cast<double>(bytes);
  work.launch = [&](cudaStream_t stream, int) {
    CHECK_CUDA(cudaMemcpyPeerAsync(there.out.data(), peer, here.in.data(), self, bytes, stream));
  };
  measure_burst(context, work, 30);
}

void run_peers(Context& context) {
  if (gpu_count() < 2) throw NotPossible("peer-to-peer needs two GPUs");
  std::vector<Task> tasks;
  for (int peer = 0; peer < gpu_count(); ++peer) {
    if (peer == context.options.device || (!context.options.full && peer > 1)) continue;
    for (std::size_t bytes = 4096; bytes <= std::size_t{256} << 20; bytes *= 4) {
      const std::string what = "peer copy to " + std::to_string(peer) + ", " + std::to_string(bytes) + " bytes";
      tasks.push_back({what, [&context, peer, bytes] { measure_peer(context, peer, bytes); }});
    }
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace

void probe_collectives(Context& context) {
  run_tasks(context, probe_name, {{"NCCL", [&] { run_collectives(context); }}, {"peer-to-peer", [&] { run_peers(context); }}});
}

}  // namespace clusterwright::probes
