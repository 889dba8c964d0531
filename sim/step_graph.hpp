// SPDX-License-Identifier: Apache-2.0
/// One step of a program as data: what depends on what (`StepStructure`) apart from how long it takes (`StepTiming`).
///
/// Layout. A *rank class* stands for `multiplicity` ranks that do the same at the same time. It owns *lanes* (in-order
/// queues: one for compute, several for communication). An *op* sits on a lane. A communication op joins a
/// *rendezvous*: when its last member arrives, the rendezvous runs a *chain* of legs, each a delay followed by a
/// transfer over shared *resources*. Timings hang on the few distinct works and legs, not on ops, so re-timing a step
/// takes little time.
///
/// Ops are numbered in the order in which the host issues them; the ops of one lane run in that order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/clocked_power.hpp"
#include "sim/quantity.hpp"
#include "sim/sim_time.hpp"
#include "sim/typed_id.hpp"

namespace clusterwright {

using RankClassId = Id<struct RankClassTag>;
using LaneId = Id<struct LaneTag>;
using OpId = Id<struct OpTag>;
using WorkId = Id<struct WorkTag>;
using ChainId = Id<struct ChainTag>;
using LegId = Id<struct LegTag>;
using RendezvousId = Id<struct RendezvousTag>;
using ResourceId = Id<struct ResourceTag>;
using SmTableId = Id<struct SmTableTag>;
using PowerDomainId = Id<struct PowerDomainTag>;
using PassId = Id<struct PassTag>;

/// Account that a stretch of time is charged to in a breakdown. Names are given to the builder of the graph.
using ChargeId = Id<struct ChargeTag>;

enum class LaneKind : std::uint8_t { compute, communication, copy };

/// Unit of resource amounts: 1/coefficient_one byte per byte. They are integers, so folded sums equal unfolded sums.
inline constexpr std::uint32_t coefficient_one = 1u << 16;

/// Use of a resource by the transfer of a leg.
struct ResourceUse {
  ResourceId resource;
  std::uint32_t count = 1;  ///< concrete transfers of the folded class that cross one instance
  bool operator==(const ResourceUse&) const = default;
};

struct Lane {
  RankClassId rank;
  LaneKind kind = LaneKind::compute;
  std::string name;
  bool operator==(const Lane&) const = default;
};

struct RankClass {
  std::uint32_t multiplicity = 1;  ///< number of ranks that this class stands for
  PowerDomainId power_domain;
  std::string name;
  std::uint32_t kind = 0;  ///< label of the caller: ranks on machines of one kind
  bool operator==(const RankClass&) const = default;
};

struct Rendezvous {
  ChainId chain;
  ChargeId late;              ///< charge of a rank that waits here for a member on another rank class
  std::uint32_t members = 0;  ///< number of ops that must arrive
  bool operator==(const Rendezvous&) const = default;
};

/// Op inside a pass.
struct PassOp {
  static constexpr std::uint32_t kernel = ~0u;

  WorkId work;
  ChargeId charge;
  std::uint32_t lane = 0;             ///< place in StepStructure::pass_lanes; 0: the compute lane
  std::uint32_t collective = kernel;  ///< place in StepStructure::pass_chains of a collective of the rank by itself
  bool second_note = false;           ///< takes StepStructure::op_second_note
  bool operator==(const PassOp&) const = default;
};

/// Ops of one rank class between two points that others notice, shared by all their repetitions.
///
/// An op of the graph that stands for a pass sits on the compute lane. Nothing outside waits for an op inside: others
/// wait for the end of the pass, and its ops for its start. The first and the last op are kernels; all others come
/// behind the first and before the last.
struct PassTemplate {
  std::vector<PassOp> ops;                                            ///< in the order in which the host issues them
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;  ///< before, after; order on lanes comes on top
  bool operator==(const PassTemplate&) const = default;
};

/// Charges for time that no op takes.
struct EngineCharges {
  ChargeId launch;    ///< compute lane idle because the host had not issued the op yet
  ChargeId throttle;  ///< extra time because the clock was below the reference
  ChargeId idle;      ///< compute lane idle at the end of the step, waiting for nothing of its own
  bool operator==(const EngineCharges&) const = default;
};

/// An immutable DAG. Arrays are indexed by the id in their type.
struct StepStructure {
  IndexedVector<RankClassId, RankClass> ranks;
  IndexedVector<PowerDomainId, std::string> power_domains;
  IndexedVector<LaneId, Lane> lanes;

  IndexedVector<OpId, LaneId> op_lane;
  IndexedVector<OpId, WorkId> op_work;              // of a pass: work without time or needs
  IndexedVector<OpId, PassId> op_pass;              // "none" for single ops
  IndexedVector<OpId, RendezvousId> op_rendezvous;  // "none" for ops that need no partner
  IndexedVector<OpId, ChargeId> op_charge;
  IndexedVector<OpId, std::int32_t> op_note;             // micro-batch for timelines, -1 without one
  IndexedVector<OpId, std::int32_t> op_second_note;      // likewise, of the other one of two passes side by side
  IndexedVector<OpId, std::uint32_t> predecessor_count;  // explicit dependencies only, lane order comes on top
  IndexedVector<OpId, OpId> next_in_lane;                // "none" for the last op of a lane
  std::vector<std::uint32_t> successor_begin;            // length op_count() + 1
  std::vector<OpId> successor;                           // grouped by op

  IndexedVector<PassId, PassTemplate> passes;
  IndexedVector<RankClassId, std::vector<LaneId>> pass_lanes;    // lanes of the ops inside passes
  IndexedVector<RankClassId, std::vector<ChainId>> pass_chains;  // chains of their collectives

  IndexedVector<RendezvousId, Rendezvous> rendezvous;
  std::vector<std::uint32_t> chain_begin;  // legs of chain c: [chain_begin[c], chain_begin[c + 1])
  std::vector<std::uint32_t> use_begin;    // uses of leg s: [use_begin[s], use_begin[s + 1])
  std::vector<ResourceUse> uses;

  IndexedVector<WorkId, std::string> work_names;
  IndexedVector<ResourceId, std::string> resource_names;
  std::vector<std::string> charge_names;  // indexed by ChargeId
  EngineCharges engine_charges;

  std::size_t op_count() const { return op_lane.size(); }
  bool operator==(const StepStructure&) const = default;
};

/// Utilisation while an op runs alone, each 0..1.
struct Activity {
  double tensor = 0;  ///< matrix units
  double memory = 0;  ///< device memory bandwidth
  double link = 0;    ///< scale-up or scale-out links
  bool operator==(const Activity&) const = default;
};

/// Timing of a distinct piece of work; for a communication op, of its kernel (its chain times the transfer).
struct WorkTiming {
  Picoseconds duration;            ///< alone on the device at the reference clock; 0 for communication
  double clock_share = 0;          ///< share of the duration that is proportional to 1/clock, 0..1
  Activity activity;               ///< activity.memory is also the demand when device memory is shared
  Watts power;                     ///< above the idle power of the rank, while it runs or transfers
  Watts waiting_power;             ///< above idle while a communication op waits for its partners
  Picoseconds launch;              ///< host time to issue it
  std::uint32_t reserved_sms = 0;  ///< streaming multiprocessors held from start to end (communication kernels)
  SmTableId sm_table;              ///< slow-down when multiprocessors are taken; "none": no slow-down
  bool operator==(const WorkTiming&) const = default;
};

/// Relative duration over multiprocessors that others reserve: piecewise linear, first point (0, 1).
struct SmTable {
  struct Point {
    std::uint32_t reserved = 0;
    double relative_duration = 1;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;
  bool operator==(const SmTable&) const = default;
};

/// Timing of one leg: first the delay, then the bytes at the rate that sharing grants.
struct LegTiming {
  Picoseconds delay;
  std::uint64_t bytes = 0;       ///< progress of the transfer; 0: the leg is only a delay
  std::uint64_t rate_bound = 0;  ///< bytes per second of the transfer alone, > 0 if bytes > 0
  std::uint32_t weight = 1;      ///< share of contended links: channels or queue pairs
  bool operator==(const LegTiming&) const = default;
};

/// Power of a device over its clock, and what holds its power to the limit.
struct PowerControl {
  VoltageCurve voltage;         ///< power over clock, for the clocked share
  bool governed = true;         ///< clocks fall until the mean power is within the limit; else the limit only bounds it
  double short_term_power = 1;  ///< power for less than a governor notices, over the limit, both above idle; at least 1
  Seconds window = {};          ///< that the governor averages over; of a longer wait only as much counts
  bool operator==(const PowerControl&) const = default;
};

struct StepTiming {
  IndexedVector<WorkId, WorkTiming> works;
  IndexedVector<SmTableId, SmTable> sm_tables;
  IndexedVector<LegId, LegTiming> legs;
  std::vector<std::uint32_t> coefficients;            // parallel to StepStructure::uses, in 1/coefficient_one
  IndexedVector<ResourceId, std::uint64_t> capacity;  // bytes per second of one instance, one direction
  IndexedVector<RankClassId, double> clock;           // relative to the reference clock
  IndexedVector<RankClassId, double> highest_clock;   // highest clock of the device without a power limit
  IndexedVector<RankClassId, double> relative_clock;  // clock over that which limits allow: below 1 for poorer silicon
  IndexedVector<RankClassId, Watts> idle_power;       // of one rank, with its share of the host
  IndexedVector<RankClassId, Watts> power_limit;      // of one rank, at the same point as idle_power
  IndexedVector<RankClassId, PowerControl> control;
  bool operator==(const StepTiming&) const = default;
};

struct StepGraph {
  StepStructure structure;
  StepTiming timing;
};

}  // namespace clusterwright
