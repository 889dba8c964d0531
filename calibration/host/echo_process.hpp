// SPDX-License-Identifier: Apache-2.0
/// Forked process that answers messages, joined by TCP over 127.0.0.1 or by two pipes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "calibration/host/transfer_probe.hpp"
#include "calibration/sample_files/probe_what.hpp"

namespace clusterwright {

/// Task of the other process for a message.
struct EchoTask {
  std::size_t bytes = 0;
  std::size_t messages = 1;   ///< messages read before it answers
  bool returns_them = false;  ///< answers with the last message; otherwise with one byte, see `answer_to`
};

/// Byte that answers `messages` equal messages: enough to know that both ends of each arrived.
unsigned char answer_to(const std::vector<unsigned char>& message, std::size_t messages);

class EchoProcess {
 public:
  /// @throws ProbeFailure if a socket, a pipe or the process is refused; std::bad_alloc
  EchoProcess(TransferPath path, const EchoTask& task);
  ~EchoProcess();  ///< ends the process
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;

  /// @throws ProbeFailure if the other process is gone; it ends itself after 30 seconds, so no wait is endless
  void send(const std::vector<unsigned char>& message);
  void receive(std::vector<unsigned char>& answer);

 private:
  void join_by_tcp();
  void join_by_pipes();
  void start(const EchoTask& task);

  struct Ends {
    Descriptor reads, writes;  ///< one connection for TCP
  };
  Ends own_, other_;
  pid_t process_ = -1;
  struct sigaction before_ {};  ///< action of SIGPIPE, which is ignored while this lives
};

}  // namespace clusterwright
