// SPDX-License-Identifier: Apache-2.0
// The process of one rank other than the first. It says nothing on standard output and ends when its parent does.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "rank_channel.hpp"

namespace clusterwright::probes {
namespace {

/// Returns false when the first process is gone.
bool receive(RankMessage& message) {
  return recv(rank_channel, &message, sizeof message, MSG_WAITALL) == static_cast<ssize_t>(sizeof message);
}

void answer(RankOutcome outcome, const char* text = "") {
  RankAnswer out{outcome, {}};
  std::snprintf(out.text, sizeof out.text, "%s", text);
  send(rank_channel, &out, sizeof out, MSG_NOSIGNAL);
}

class RankProcess {
 public:
  RankProcess(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  /// Returns false after `stop`.
  bool obey(const RankMessage& message) {
    switch (message.order) {
      case RankOrder::prepare:
        Nccl::library();
        buffers_ = std::make_unique<CollectiveRank>(rank_, ranks_, message.bytes, stream_.get());
        answer(RankOutcome::done);
        return true;
      case RankOrder::connect:
        buffers_->use(Nccl::library().connect(message.id, rank_, ranks_));
        answer(RankOutcome::done);
        return true;
      case RankOrder::run:
        for (int i = 0; i < message.launches; ++i) buffers_->enqueue(message.operation, message.bytes);
        return true;
      default:
        CHECK_CUDA(cudaStreamSynchronize(stream_.get()));
        if (buffers_ && buffers_->communicator() != nullptr) Nccl::library().destroy(buffers_->communicator());
        return false;
    }
  }

 private:
  int rank_, ranks_;
  Stream stream_;
  std::unique_ptr<CollectiveRank> buffers_;
};

}  // namespace

int run_rank(int rank, int ranks, int device) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // also where a kernel waits for ever
  try {
    CHECK_CUDA(cudaSetDevice(device));
    RankProcess process(rank, ranks);
    RankMessage message{};
    while (receive(message)) {
      if (!process.obey(message)) return 0;
    }
  } catch (const NotPossible& reason) {
    answer(RankOutcome::not_possible, reason.what());
  } catch (const std::exception& error) {
    answer(RankOutcome::failed, error.what());
  }
  _exit(1);  // without the others there is no orderly end of NCCL or CUDA
}

}  // namespace clusterwright::probes
