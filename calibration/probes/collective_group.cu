// SPDX-License-Identifier: Apache-2.0
#include "collective_group.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace clusterwright::probes {
namespace {

constexpr double connect_limit_s = 90;

/// Joining the communicator blocks until every rank is there, for ever if one is lost: a thread of its own waits.
struct Connection {
  std::atomic<bool> over{false};
  Nccl::Communicator communicator = nullptr;
  std::string problem;
};

void connect_here(const std::shared_ptr<Connection>& connection, const Nccl::UniqueId& id, int ranks, int device) {
  try {
    CHECK_CUDA(cudaSetDevice(device));
    connection->communicator = Nccl::library().connect(id, 0, ranks);
  } catch (const std::exception& error) {
    connection->problem = error.what();
  }
  connection->over = true;
}

}  // namespace

CollectiveGroup::CollectiveGroup(Context& context, const std::vector<int>& others, std::size_t bytes)
    : children_(context.watchdog, others), own_(0, static_cast<int>(others.size()) + 1, bytes, context.stream) {
  children_.send({RankOrder::prepare, {}, 0, bytes, {}});
  children_.await_answers("prepare");
  try {
    connect(context);
  } catch (...) {
    children_.kill();  // a constructor that throws runs no destructor
    if (own_.communicator() != nullptr) Nccl::library().abort(own_.communicator());
    throw;
  }
}

void CollectiveGroup::connect(Context& context) {
  const Nccl::UniqueId id = Nccl::library().unique_id();
  const auto connection = std::make_shared<Connection>();
  children_.send({RankOrder::connect, {}, 0, 0, id});
  std::thread thread(connect_here, connection, id, ranks(), context.options.device);
  const double start_s = context.watchdog.elapsed_s();
  try {
    while (!connection->over) {
      children_.require_alive();
      if (context.watchdog.elapsed_s() - start_s > connect_limit_s) throw SampleFailed("no connection within 90 s");
      context.watchdog.progress();  // this wait has its own limit
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } catch (...) {
    thread.detach();  // it may never come back
    throw;
  }
  thread.join();
  if (!connection->problem.empty()) throw SampleFailed(connection->problem);
  own_.use(connection->communicator);
  children_.await_answers("connect");
}

CollectiveGroup::~CollectiveGroup() {
  if (broken_ || own_.communicator() == nullptr) return;
  try {
    children_.send({RankOrder::stop, {}, 0, 0, {}});
    Nccl::library().destroy(own_.communicator());
  } catch (const std::exception&) {
    abandon();
  }
}

void CollectiveGroup::announce(CollectiveOperation operation, std::size_t bytes, int launches) {
  children_.send({RankOrder::run, operation, launches, bytes, {}});
}

void CollectiveGroup::check(const Context& context) {
  const std::size_t size = std::size_t{1024} * static_cast<std::size_t>(ranks());
  for (const CollectiveOperation operation : all_operations) {
    const std::size_t bytes = counted_bytes(operation, size, ranks());
    own_.clear_output();
    announce(operation, bytes, 1);
    enqueue(operation, bytes);
    Event end;
    end.record(own_.stream());
    while (!end.done()) require_alive();
    context.watchdog.progress();
    own_.check_output(operation, bytes);
  }
}

void CollectiveGroup::abandon() {
  if (broken_) return;
  broken_ = true;
  children_.kill();
  Nccl::library().abort(own_.communicator());
}

void CollectiveGroup::require_whole() const {
  if (broken_) throw NotPossible("a rank of the group was lost");
}

}  // namespace clusterwright::probes
