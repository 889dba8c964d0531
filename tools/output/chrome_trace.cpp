// SPDX-License-Identifier: Apache-2.0
#include "tools/output/chrome_trace.hpp"

#include <fmt/format.h>

#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

std::string json_text(std::string_view text) {
  return write_json(JsonValue(text), -1);
}

void name_tracks(const StepStructure& structure, std::string& out) {
  for (std::size_t i = 0; i < structure.ranks.size(); ++i) {
    const RankClass& rank = structure.ranks[RankClassId(i)];
    const std::string name = fmt::format("{} (x{})", rank.name, rank.multiplicity);
    out += fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}},\n", i,
                       json_text(name));
  }
  for (std::size_t i = 0; i < structure.lanes.size(); ++i) {
    const Lane& lane = structure.lanes[LaneId(i)];
    out += fmt::format("{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}},\n",
                       lane.rank.value, i, json_text(lane.name));
  }
}

std::string name_of(const TimelineEvent& event, const StepStructure& structure, const TraceExtras& extras) {
  const RendezvousId meeting = structure.op_rendezvous[event.op];
  const bool named = meeting.exists() && extras.meetings.size() > 0 && !extras.meetings[meeting].empty();
  return named ? extras.meetings[meeting] : std::string(event.name);
}

/// @param process  number of their process, which stands above those of ranks
void add_counters(const CounterGroup& group, std::size_t process, std::string& out) {
  if (group.tracks.empty()) return;
  out += fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}},\n", process,
                     json_text(group.name));
  out += fmt::format("{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{},\"args\":{{\"sort_index\":-1}}}},\n",
                     process);
  for (const CounterTrack& counter : group.tracks)
    for (const auto& [microseconds, value] : counter.points)
      out += fmt::format("{{\"ph\":\"C\",\"name\":{},\"pid\":{},\"ts\":{:.3f},\"args\":{{{}:{:.2f}}}}},\n",
                         json_text(counter.name), process, microseconds, json_text(group.unit), value);
}

}  // namespace

std::string chrome_trace(const StepStructure& structure, const std::vector<TimelineEvent>& events,
                         const TraceExtras& extras) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  name_tracks(structure, out);
  std::size_t process = structure.ranks.size();
  for (const CounterGroup& group : extras.counters) add_counters(group, process++, out);
  for (const TimelineEvent& event : events) {
    const std::string words = name_of(event, structure, extras);
    const std::string name = json_text(event.waiting ? "wait: " + words : words);
    const std::string note =
        event.note < 0 ? std::string() : fmt::format(",\"args\":{{\"micro_batch\":{}}}", event.note);
    out += fmt::format("{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{:.6f},\"dur\":{:.6f}{}}},\n", name,
                       event.rank.value, event.lane.value, event.start_us, event.duration_us, note);
  }
  if (out.ends_with(",\n")) out.erase(out.size() - 2, 1);
  return out + "]}\n";
}

}  // namespace clusterwright
