/// File descriptors, and connections over 127.0.0.1.
#pragma once

#include <utility>

namespace clusterwright {

/// A file descriptor that closes itself; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

/// Both ends of a TCP connection over 127.0.0.1 whose small messages leave at once; closed in programs that are
/// started.
/// @throws ProbeFailure if a socket or a port is refused
std::pair<Descriptor, Descriptor> connect_over_loopback();

}  // namespace clusterwright
