// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/transfer_probe.hpp"

#include <algorithm>
#include <cstring>

#include "calibration/host/echo_process.hpp"
#include "calibration/host/random_data.hpp"

namespace clusterwright {

namespace {

std::vector<unsigned char> random_message(std::size_t bytes) {
  RandomWords words(bytes);
  std::vector<unsigned char> out(bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t eight = words.next();
    std::memcpy(out.data() + i, &eight, std::min(sizeof eight, bytes - i));
  }
  return out;
}

/// Transfer of a task's messages and its answer: a round trip, or a stream and its receipt.
class TransferCase : public ProbeCase {
 public:
  TransferCase(TransferPath path, const EchoTask& task)
      : task_(task),
        message_(random_message(task.bytes)),
        answer_(task.returns_them ? task.bytes : 1),
        other_(path, task) {}

  void run() override {
    for (std::size_t i = 0; i < task_.messages; ++i) other_.send(message_);
    other_.receive(answer_);
  }

  void check() override {
    const bool right =
        task_.returns_them ? answer_ == message_ : answer_.front() == answer_to(message_, task_.messages);
    if (!right) throw ProbeFailure("a message came back changed");
  }

 private:
  EchoTask task_;
  std::vector<unsigned char> message_, answer_;
  EchoProcess other_;
};

PlannedCase transfer_case(TransferPath path, Bytes message, bool streams) {
  const auto bytes = static_cast<std::size_t>(message.in(byte));
  constexpr std::size_t in_flight = 8u << 20;
  const EchoTask task{bytes, streams ? std::clamp<std::size_t>(in_flight / bytes, 2, 512) : 1, !streams};
  PlannedCase out;
  out.what = ProbedTransfer{path, streams ? TransferPattern::stream : TransferPattern::ping_pong, message};
  out.bytes = message;
  out.time_share = streams ? 1.0 / static_cast<double>(task.messages) : 0.5;
  out.build = [path, task] { return std::make_unique<TransferCase>(path, task); };
  return out;
}

}  // namespace

std::vector<PlannedCase> plan_transfer(const HostProbeSizes& sizes) {
  std::vector<PlannedCase> out;
  for (const Bytes message : sizes.messages)
    for (const TransferPath path : {TransferPath::tcp_loopback, TransferPath::pipe})
      for (const bool streams : {false, true}) out.push_back(transfer_case(path, message, streams));
  return out;
}

}  // namespace clusterwright
