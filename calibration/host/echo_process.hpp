/// A forked process that answers messages, joined by TCP over 127.0.0.1 or by two pipes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "calibration/host/loopback.hpp"
#include "calibration/sample_files/probe_words.hpp"

namespace clusterwright {

/// What the other process does with a message.
struct EchoTask {
  std::size_t bytes = 0;
  std::size_t messages = 1;   ///< read before it answers
  bool returns_them = false;  ///< answers with the last message; otherwise with one byte, see `answer_to`
};

/// The byte that answers `messages` times the same message: enough to know that its two ends arrived.
unsigned char answer_to(const std::vector<unsigned char>& message, std::size_t messages);

class EchoProcess {
 public:
  /// @throws ProbeFailure if a socket, a pipe or the process is refused; std::bad_alloc
  EchoProcess(TransferPath path, const EchoTask& task);
  ~EchoProcess();  ///< ends the process
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;

  /// @throws ProbeFailure if the other process is gone; it ends itself after 30 seconds, so nothing waits for ever
  void send(const std::vector<unsigned char>& message);
  void receive(std::vector<unsigned char>& answer);

 private:
  void join_by_tcp();
  void join_by_pipes();
  void start(const EchoTask& task);

  struct Ends {
    Descriptor reads, writes;  ///< of TCP both are the same connection
  };
  Ends own_, other_;
  pid_t process_ = -1;
  struct sigaction before_ {};  ///< of SIGPIPE, which is ignored as long as this lives
};

}  // namespace clusterwright
