// SPDX-License-Identifier: Apache-2.0
#include "child_ranks.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr double answer_limit_s = 90;  // opening eight GPUs and connecting them takes up to half a minute
constexpr int stop_limit_ms = 5000, look_ms = 10;

std::string name_of_rank(int rank) {
  return "rank " + std::to_string(rank);
}

/// Runs this program as another rank; `channel` becomes its rank_channel. Returns 0 or an errno.
int spawn_rank(pid_t* process, int channel, int rank, int ranks, int device) {
  std::string words[] = {"gpu_probe",           "--rank",   std::to_string(rank),  "--ranks",
                         std::to_string(ranks), "--device", std::to_string(device)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(&word[0]);
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  posix_spawn_file_actions_adddup2(&actions, channel, rank_channel);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // the document is the parent's alone
  const int error = posix_spawn(process, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

ChildRanks::ChildRanks(Watchdog& watchdog, const std::vector<int>& devices) : watchdog_(watchdog) {
  try {
    for (const int device : devices) {
      start(static_cast<int>(children_.size()) + 1, static_cast<int>(devices.size()) + 1, device);
    }
  } catch (...) {
    kill();  // a constructor that throws runs no destructor
    for (Child& child : children_) end(child);
    throw;
  }
}

ChildRanks::~ChildRanks() {
  for (Child& child : children_) close(child.channel);
  for (Child& child : children_) end(child);
}

void ChildRanks::start(int rank, int ranks, int device) {
  int ends[2] = {-1, -1};
  Child child{rank, 0, -1};
  int error = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
  if (error == 0) {
    error = spawn_rank(&child.process, ends[1], rank, ranks, device);
    close(ends[1]);
    if (error != 0) close(ends[0]);
  }
  if (error != 0) throw SampleFailed("cannot start " + name_of_rank(rank) + ": " + std::strerror(error));
  child.channel = ends[0];
  watchdog_.adopt(child.process);
  children_.push_back(child);
}

void ChildRanks::send(const RankMessage& message) {
  for (const Child& child : children_) {
    const ssize_t sent = ::send(child.channel, &message, sizeof message, MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(sizeof message)) continue;
    require_alive();  // it may have said why
    throw SampleFailed(name_of_rank(child.rank) + " cannot be reached");
  }
}

void ChildRanks::refuse(const Child& child, const RankAnswer& answer) {
  const std::string text = name_of_rank(child.rank) + ": " + answer.text;
  if (answer.outcome == RankOutcome::not_possible) throw NotPossible(text);
  throw SampleFailed(text);
}

void ChildRanks::await_answer(const Child& child, const char* step) const {
  const double start_s = watchdog_.elapsed_s();
  pollfd ready{child.channel, POLLIN, 0};
  while (poll(&ready, 1, look_ms) <= 0) {
    watchdog_.progress();  // this wait has its own limit
    require_alive();       // another one may have ended
    if (watchdog_.elapsed_s() - start_s > answer_limit_s) {
      throw SampleFailed(name_of_rank(child.rank) + " did not " + step + " within 90 s");
    }
  }
  RankAnswer answer{};
  if (recv(child.channel, &answer, sizeof answer, 0) != static_cast<ssize_t>(sizeof answer)) {
    throw SampleFailed(name_of_rank(child.rank) + " ended while it was to " + step);
  }
  if (answer.outcome != RankOutcome::done) refuse(child, answer);
}

void ChildRanks::await_answers(const char* step) {
  for (const Child& child : children_) await_answer(child, step);
}

void ChildRanks::require_alive() const {
  for (const Child& child : children_) {
    RankAnswer answer{};
    const ssize_t got = recv(child.channel, &answer, sizeof answer, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      throw SampleFailed(name_of_rank(child.rank) + " ended");
    }
    if (got > 0 && answer.outcome != RankOutcome::done) refuse(child, answer);
  }
}

void ChildRanks::kill() {
  for (const Child& child : children_) {
    if (child.process > 0) ::kill(child.process, SIGKILL);
  }
}

void ChildRanks::end(Child& child) {
  for (int waited_ms = 0; waitpid(child.process, nullptr, WNOHANG) == 0; waited_ms += look_ms) {
    if (waited_ms >= stop_limit_ms) kill();  // the others had as long
    std::this_thread::sleep_for(std::chrono::milliseconds(look_ms));
  }
  watchdog_.release(child.process);
  child.process = 0;
}

}  // namespace clusterwright::probes
