// SPDX-License-Identifier: Apache-2.0
#include "sim/unfold.hpp"

#include <utility>

#include "sim/pass_traces.hpp"

namespace clusterwright {

namespace {

OpTrace of_flat(OpTrace trace, const FlatStep& flat) {
  if (trace.released_by.exists()) trace.released_by = flat.last[trace.released_by];
  return trace;
}

void copy_pass(const PassTrace& pass, OpId first, ReplayResult& out) {
  for (std::size_t place = 0; place < pass.ops.size(); ++place) {
    const engine::PassPlayer::OpTimes& times = pass.ops[place];
    OpTrace& trace = out.ops[OpId(first.value + place)];
    trace.start = trace.active = pass.from + times.start;
    trace.end = pass.from + times.end;
    trace.unshared = times.unshared;
    if (times.released_by != engine::PassPlayer::none) trace.released_by = OpId(first.value + times.released_by);
  }
}

void copy_arrivals(const ReplayResult& result, const FlatStep& flat, ReplayResult& out) {
  for (const OpId last : result.last_arrival) out.last_arrival.push_back(last.exists() ? flat.last[last] : OpId());
  out.last_arrival.resize(flat.structure.rendezvous.size());
  for (const OpId op : flat.structure.op_rendezvous.ids())
    if (const RendezvousId meeting = flat.structure.op_rendezvous[op]; meeting.exists())
      if (!out.last_arrival[meeting].exists()) out.last_arrival[meeting] = op;
}

}  // namespace

UnfoldedStep unfold(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result) {
  FlatStep flat = flatten(structure);
  PassTraces passes(structure, timing, result);
  ReplayResult out;
  out.end = result.end;
  out.sharing_losses = result.sharing_losses;
  out.events = result.events;
  out.ops.resize(flat.structure.op_count());
  for (const OpId op : structure.op_lane.ids())
    if (structure.op_pass[op].exists())
      copy_pass(passes.of(op), flat.first[op], out);
    else
      out.ops[flat.first[op]] = of_flat(result.ops[op], flat);
  copy_arrivals(result, flat, out);
  return {std::move(flat.structure), std::move(out)};
}

}  // namespace clusterwright
