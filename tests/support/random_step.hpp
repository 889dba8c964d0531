// SPDX-License-Identifier: Apache-2.0
/// Random symmetric programs: pipeline-like stages, each on several identical replicas, folded or not.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "sim/step_graph_builder.hpp"

namespace clusterwright::testing {

struct RandomWork {
  std::int64_t duration = 0;  // ps
  std::int64_t launch = 0;    // ps
  int clock_percent = 0;
  int memory_percent = 0;
  std::uint32_t reserved_sms = 0;
  int watts = 0;
  int waiting_watts = 0;
};

struct RandomTransfer {
  std::int64_t delay = 0;  // ps
  std::uint64_t bytes = 0;
  std::uint64_t rate_bound = 0;
  std::uint32_t weight = 1;
  double nic_coefficient = 1;
  double uplink_coefficient = 1;
};

enum class Action : std::uint8_t { compute, collective, send };

/// What all replicas of a stage do next; a send goes to the stage after it.
struct RandomInstruction {
  Action action = Action::compute;
  std::size_t stage = 0;
  bool on_compute_lane = true;
  bool waits_for_previous = true;  // of the same stage, on any lane
  RandomWork work;
  RandomTransfer transfer;
};

struct RandomProgram {
  std::size_t stages = 2;
  std::uint32_t replicas = 2;
  std::uint64_t nic_capacity = 0;
  std::uint64_t uplink_capacity = 0;
  std::vector<double> clock;  // by stage
  std::vector<RandomInstruction> instructions;
};

inline RandomInstruction random_instruction(std::size_t stages) {
  using rc::gen::inRange;
  RandomInstruction instruction;
  instruction.action = *rc::gen::element(Action::compute, Action::compute, Action::collective, Action::send);
  const bool sends = instruction.action == Action::send;
  instruction.stage = *inRange<std::size_t>(0, sends ? stages - 1 : stages);
  instruction.on_compute_lane = instruction.action == Action::compute || *inRange(0, 6) == 0;
  instruction.waits_for_previous = *inRange(0, 3) == 0;
  instruction.work = {*inRange<std::int64_t>(0, 20'000'000),
                      *inRange<std::int64_t>(0, 2'000'000),
                      *inRange(0, 101),
                      *inRange(0, 101),
                      *rc::gen::element(0u, 0u, 8u, 24u),
                      *inRange(0, 600),
                      *inRange(0, 100)};
  instruction.transfer = {*inRange<std::int64_t>(0, 3'000'000),
                          *inRange<std::uint64_t>(0, 2'000'000),
                          *inRange<std::uint64_t>(20'000'000'000, 100'000'000'000),
                          *inRange(1u, 4u),
                          *inRange(1, 40) / 16.0,
                          *inRange(1, 40) / 16.0};
  return instruction;
}

inline RandomProgram random_program() {
  using rc::gen::inRange;
  RandomProgram program;
  program.stages = *inRange<std::size_t>(2, 4);
  program.replicas = *inRange(1u, 5u);
  program.nic_capacity = *inRange<std::uint64_t>(40'000'000'000, 120'000'000'000);
  program.uplink_capacity = *inRange<std::uint64_t>(50'000'000'000, 400'000'000'000);
  for (std::size_t stage = 0; stage < program.stages; ++stage)
    program.clock.push_back(*rc::gen::element(1.0, 1.0, 0.8, 1.1));
  const auto length = *inRange<std::size_t>(1, 30);
  while (program.instructions.size() < length) program.instructions.push_back(random_instruction(program.stages));
  return program;
}

/// The program on machines: folded, one class per stage stands for all replicas; unfolded, every rank is its own class.
class SymmetricMachine {
 public:
  SymmetricMachine(const RandomProgram& program, bool folded) : program_(program), folded_(folded) {
    const PowerDomainId domain = builder_.add_power_domain("rack");
    table_ = builder_.add_sm_table({{{0, 1.0}, {16, 1.3}, {32, 1.9}}});
    uplink_ = builder_.add_resource("uplink", static_cast<double>(program.uplink_capacity) * byte_per_second);
    for (std::size_t stage = 0; stage < program.stages; ++stage)
      for (std::uint32_t replica = 0; replica < instances(); ++replica) add_rank(domain);
    for (const RandomInstruction& instruction : program.instructions) add(instruction);
  }

  StepGraph build() && {
    StepGraph graph = std::move(builder_).build();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      graph.timing.clock[RankClassId(rank)] = program_.clock[rank / instances()];
    return graph;
  }

  /// The ops of one instruction, grouped by replica: [instruction][replica][member].
  const std::vector<std::vector<std::vector<OpId>>>& ops() const { return ops_; }

 private:
  struct Rank {
    LaneId compute;
    LaneId network;
    ResourceId nic;
    OpId previous;
  };

  std::uint32_t instances() const { return folded_ ? 1 : program_.replicas; }
  Rank& rank(std::size_t stage, std::uint32_t replica) { return ranks_[stage * instances() + replica]; }

  void add_rank(PowerDomainId domain) {
    const RankClassId id =
        builder_.add_rank_class("rank", folded_ ? program_.replicas : 1, domain, 90 * watt, 700 * watt);
    ranks_.push_back(
        {builder_.add_lane(id, LaneKind::compute, "compute"), builder_.add_lane(id, LaneKind::communication, "network"),
         builder_.add_resource("nic", static_cast<double>(program_.nic_capacity) * byte_per_second), OpId()});
  }

  WorkId add_work(const RandomInstruction& instruction) {
    const RandomWork& work = instruction.work;
    WorkTiming timing;
    timing.duration = {work.duration};
    timing.launch = {work.launch};
    timing.clock_share = work.clock_percent / 100.0;
    timing.activity.memory = work.memory_percent / 100.0;
    timing.power = work.watts * watt;
    timing.waiting_power = work.waiting_watts * watt;
    if (instruction.action == Action::compute)
      timing.sm_table = table_;
    else
      timing.reserved_sms = work.reserved_sms;
    return builder_.add_work("work", timing);
  }

  RendezvousId add_rendezvous(const RandomTransfer& transfer, const std::vector<ResourceId>& nics,
                              std::uint32_t uplink_count) {
    StepGraphBuilder::Leg leg;
    leg.timing = {{transfer.delay}, transfer.bytes, transfer.rate_bound, transfer.weight};
    for (const ResourceId nic : nics) leg.uses.push_back({nic, 1, transfer.nic_coefficient});
    leg.uses.push_back({uplink_, uplink_count, transfer.uplink_coefficient});
    return builder_.add_rendezvous(builder_.add_chain({leg}), ChargeId(2));
  }

  OpId add_op(const RandomInstruction& instruction, Rank& on, WorkId work, RendezvousId rendezvous) {
    const LaneId lane = instruction.on_compute_lane ? on.compute : on.network;
    const OpId op = builder_.add_op(lane, work, ChargeId(rendezvous.exists() ? 1 : 0), rendezvous);
    if (instruction.waits_for_previous && on.previous.exists()) builder_.depends(on.previous, op);
    return on.previous = op;
  }

  void add(const RandomInstruction& instruction) {
    const WorkId work = add_work(instruction);
    std::vector<std::vector<OpId>> ops(instances());
    RendezvousId rendezvous;
    if (instruction.action == Action::collective) {
      // One activity over all replicas, folded or not; folded, one NIC stands for all of them.
      std::vector<ResourceId> nics;
      for (std::uint32_t replica = 0; replica < instances(); ++replica)
        nics.push_back(rank(instruction.stage, replica).nic);
      rendezvous = add_rendezvous(instruction.transfer, nics, 1);
    }
    for (std::uint32_t replica = 0; replica < instances(); ++replica) {
      Rank& here = rank(instruction.stage, replica);
      if (instruction.action == Action::send) {
        Rank& there = rank(instruction.stage + 1, replica);
        rendezvous = add_rendezvous(instruction.transfer, {here.nic, there.nic}, folded_ ? program_.replicas : 1);
        ops[replica].push_back(add_op(instruction, here, work, rendezvous));
        ops[replica].push_back(add_op(instruction, there, work, rendezvous));
      } else {
        ops[replica].push_back(add_op(instruction, here, work, rendezvous));
      }
    }
    ops_.push_back(ops);
  }

  RandomProgram program_;
  bool folded_;
  StepGraphBuilder builder_{{"work", "exposed", "late", "launch", "throttle", "idle"},
                            {ChargeId(3), ChargeId(4), ChargeId(5)}};
  SmTableId table_;
  ResourceId uplink_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::vector<OpId>>> ops_;
};

}  // namespace clusterwright::testing
