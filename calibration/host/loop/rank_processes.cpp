// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/rank_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "calibration/host/probe_case.hpp"
#include "calibration/host/repetitions.hpp"

namespace clusterwright {

namespace {

using Body = std::function<std::vector<double>(Ring&)>;

// A report is the text or numbers of the process, then one of these.
constexpr char result_mark = 'r', failure_mark = 'f';

/// Identity of a forked process.
struct Place {
  int rank, size;
  pid_t parent;
};

std::string report_of(const Body& body, const Place& place, RingEnds ends) {
  try {
    Ring ring(place.rank, place.size, std::move(ends));
    const std::vector<double> result = body(ring);
    return std::string(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(double)) + result_mark;
  } catch (const std::bad_alloc&) {
    return std::string("not enough memory") + failure_mark;
  } catch (const std::exception& failure) {
    return std::string(failure.what()) + failure_mark;
  }
}

void write_all(const Descriptor& out, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(out.number(), text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) _exit(1);
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
}

/// Runs a forked process to its end.
[[noreturn]] void serve(const Body& body, const Place& place, RingEnds ends, const Descriptor& report) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != place.parent) _exit(1);  // the parent ended before that
  // The parent's handlers concern the parent only.
  for (const int signal : {SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
  write_all(report, report_of(body, place, std::move(ends)));
  _exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return "ended without a report";
}

/// Ends the processes that still run.
class RankProcesses {
 public:
  RankProcesses() = default;
  ~RankProcesses() {
    for (const Member& member : members_)
      if (member.process > 0) kill(member.process, SIGKILL);
    for (Member& member : members_) reap(member);
  }
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  void start(int count, const Body& body) {
    std::vector<RingEnds> ends = connect_ring(count);
    for (int rank = 0; rank < count; ++rank) start_one(rank, ends, body);
  }

  std::vector<std::vector<double>> results(const TimeBudget& limit) {
    while (std::any_of(members_.begin(), members_.end(), [](const Member& one) { return !one.is_complete; }))
      read_what_comes(limit);
    std::vector<std::vector<double>> out;
    for (const Member& member : members_) {
      out.emplace_back(member.text.size() / sizeof(double));
      std::memcpy(out.back().data(), member.text.data(), out.back().size() * sizeof(double));
    }
    return out;
  }

 private:
  struct Member {
    pid_t process = -1;
    Descriptor report;
    std::string text;
    bool is_complete = false;
  };

  void start_one(int rank, std::vector<RingEnds>& ends, const Body& body) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw ProbeFailure("a pipe is refused");
    Descriptor reads(pipe_ends[0]);
    const Descriptor writes(pipe_ends[1]);
    Member& member = members_.emplace_back();
    const Place place{rank, static_cast<int>(ends.size()), getpid()};
    member.process = fork();
    if (member.process == 0) {  // nothing here may throw: the exception would continue in the caller's program
      RingEnds own = std::move(ends[static_cast<std::size_t>(rank)]);
      ends.clear();  // a connection is seen to end only when no other process holds it
      serve(body, place, std::move(own), writes);
    }
    if (member.process < 0) throw ProbeFailure("a process is refused");
    member.report = std::move(reads);
  }

  void read_what_comes(const TimeBudget& limit) {
    std::vector<pollfd> waiting;
    for (const Member& member : members_)
      waiting.push_back({member.is_complete ? -1 : member.report.number(), POLLIN, 0});
    if (limit.used_up()) throw ProbeFailure("the time limit passed before the processes were done");
    const int ready =
        poll(waiting.data(), waiting.size(), static_cast<int>(std::min(limit.left().in(millisecond), 1e6)) + 1);
    if (ready < 0 && errno != EINTR) throw ProbeFailure("waiting for the processes is refused");
    for (std::size_t i = 0; ready > 0 && i < waiting.size(); ++i)
      if (waiting[i].revents != 0) read_some(i);
  }

  void read_some(std::size_t rank) {
    Member& member = members_[rank];
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(member.report.number(), buffer.data(), buffer.size());
    if (count > 0) member.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) finish(rank);
  }

  void finish(std::size_t rank) {
    Member& member = members_[rank];
    const int status = reap(member);
    const std::string who = fmt::format("process {} of {} ", rank + 1, members_.size());
    if (status != 0 || member.text.empty()) throw ProbeFailure(who + how_it_ended(status));
    const char mark = member.text.back();
    member.text.pop_back();
    if (mark == failure_mark) throw ProbeFailure(who + "failed: " + member.text);
    member.is_complete = true;
  }

  static int reap(Member& member) {
    int status = 0;
    while (member.process > 0 && waitpid(member.process, &status, 0) < 0 && errno == EINTR) continue;
    member.process = -1;
    return status;
  }

  std::vector<Member> members_;
};

}  // namespace

std::vector<std::vector<double>> run_ranks(int processes, Seconds time_limit, const Body& body) {
  if (processes < 1) throw std::invalid_argument(fmt::format("processes must be at least 1 (got {})", processes));
  const TimeBudget limit(time_limit);
  RankProcesses ranks;
  ranks.start(processes, body);
  return ranks.results(limit);
}

}  // namespace clusterwright
