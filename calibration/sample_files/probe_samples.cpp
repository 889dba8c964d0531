// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/probe_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "calibration/sample_files/sparse_record.hpp"
#include "sim/calendar_date.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

template <>
struct EnumNames<ProbeSuite> {
  static constexpr std::array<std::string_view, 2> names = {"quick", "full"};
};

/// Sample as written, before its probe decides how "what" is read.
struct SampleEntry {
  std::string probe, mode, clock;
  RawMember what;
  std::int64_t flops = 0, bytes = 0, launches = 1;
  std::vector<Seconds> repetitions;
  double held_s = 0;
  std::optional<Watts> mean_power;
  DeviceState state;
  PowerTrace trace;
};

struct SkippedEntry {
  std::string probe;
  RawMember what;
  std::string reason;
};

struct ErrorEntry {
  std::string probe, what, message;
};

struct SampleDocument {
  std::int64_t schema_version = 1;
  std::string tool, date;
  ProbeSuite suite = ProbeSuite::quick;
  RawMember device;
  std::vector<SampleEntry> samples;
  std::vector<SkippedEntry> skipped;
  std::vector<ErrorEntry> errors;
};

const Record<SampleEntry>& record(const SampleEntry*) {
  static const auto table =
      Record<SampleEntry>("sample", "one thing measured several times")
          .required("probe", &SampleEntry::probe, {.help = "which probe"})
          .required("what", &SampleEntry::what, {.help = "what it measured"})
          .required("flops", &SampleEntry::flops, {.help = "operations of one call", .min = 0, .max = 1e30})
          .required("bytes", &SampleEntry::bytes, {.help = "bytes that one call moves", .min = 0, .max = 1e18})
          .required("repetitions_us", &SampleEntry::repetitions,
                    {.help = "every repetition", .min = 0, .above_min = true, .max_elements = 1u << 20})
          .optional("launches_per_repetition", &SampleEntry::launches,
                    {.help = "calls per look at the clock", .min = 1, .max = 1e9})
          .optional("mode", &SampleEntry::mode, {.help = "burst or sustained"})
          .optional("clock", &SampleEntry::clock, {.help = "host: its clock took the time"})
          .optional("seconds", &SampleEntry::held_s, {.help = "held without calls", .min = 0, .max = 1e9})
          .optional("mean_power_w", &SampleEntry::mean_power, {.help = "while held", .min = 0})
          .optional("state", &SampleEntry::state, {.help = "what the device reported"})
          .optional("trace", &SampleEntry::trace, {.help = "readings over time"});
  return table;
}

const Record<SkippedEntry>& record(const SkippedEntry*) {
  static const auto table = Record<SkippedEntry>("skipped", "what was not measured")
                                .required("probe", &SkippedEntry::probe, {.help = "which probe"})
                                .required("what", &SkippedEntry::what, {.help = "{} for the whole probe"})
                                .required("reason", &SkippedEntry::reason, {.help = "why"});
  return table;
}

const Record<ErrorEntry>& record(const ErrorEntry*) {
  static const auto table = Record<ErrorEntry>("error", "what could not be finished")
                                .required("probe", &ErrorEntry::probe, {.help = "which probe, or device"})
                                .required("what", &ErrorEntry::what, {.help = "what it was at"})
                                .required("message", &ErrorEntry::message, {.help = "why"});
  return table;
}

const Record<SampleDocument>& record(const SampleDocument*) {
  constexpr std::size_t many = 1u << 16;
  static const auto table =
      Record<SampleDocument>("samples document", "raw samples of a probe program")
          .required("schema_version", &SampleDocument::schema_version, {.help = "1", .min = 1, .max = 1})
          .required("tool", &SampleDocument::tool, {.help = "the probe program"})
          .optional("date", &SampleDocument::date, {.help = "UTC, such as 2026-11-21T21:04:06Z; empty: not known"})
          .required("suite", &SampleDocument::suite, {.help = "how much was measured"})
          .required("device", &SampleDocument::device, {.help = "what was measured"})
          .required("samples", &SampleDocument::samples, {.help = "what was measured", .max_elements = many})
          .required("skipped", &SampleDocument::skipped, {.help = "what was not", .max_elements = many})
          .optional("errors", &SampleDocument::errors, {.help = "what failed", .max_elements = many});
  return table;
}

namespace {

bool check_probe(const std::string& probe, const JsonValue& entry, Decoder& decoder) {
  const auto& known = known_probes();
  if (std::find(known.begin(), known.end(), probe) != known.end()) return true;
  const JsonValue* value = entry.find("probe");
  if (!value || !value->is(JsonKind::text)) return false;  // reported already
  const Decoder::Scope scope(decoder, entry, *value, "probe");
  decoder.error("E0203", fmt::format("must be one of \"{}\"", fmt::join(known, "\", \"")), *value, "",
                did_you_mean(probe, known));
  return false;
}

/// Reports too few repetitions. A device held in a state without calls needs none; one mean of many calls is enough.
void check_repetitions(const SampleEntry& read, const JsonValue& entry, Decoder& decoder) {
  const JsonValue* list = entry.find("repetitions_us");
  const std::size_t count = read.repetitions.size();
  if (!list || !list->is(JsonKind::list) || count >= least_repetitions || read.held_s > 0) return;
  if (count > 0 && read.launches >= static_cast<std::int64_t>(least_repetitions)) return;
  const Decoder::Scope scope(decoder, entry, *list, "repetitions_us");
  decoder.error("E0202", fmt::format("must hold at least {} repetitions (got {})", least_repetitions, count), *list);
}

/// Sample without its "what".
ProbeSample sample_of(const SampleEntry& entry) {
  ProbeSample out;
  out.flops = static_cast<double>(entry.flops) * flop;
  out.bytes = static_cast<double>(entry.bytes) * byte;
  out.repetitions = entry.repetitions;
  out.launches = entry.launches;
  out.mode = entry.mode;
  out.clock = entry.clock;
  out.held = entry.held_s * second;
  out.mean_power = entry.mean_power;
  out.state = entry.state;
  out.trace = entry.trace;
  return out;
}

ProbeSample read_sample(const SampleEntry& entry, const JsonValue& value, std::int64_t threads, Decoder& decoder) {
  ProbeSample out = sample_of(entry);
  check_repetitions(entry, value, decoder);
  const JsonValue* what = value.find("what");
  if (!check_probe(entry.probe, value, decoder) || !what) return out;
  {
    const Decoder::Scope scope(decoder, value, *what, "what");
    out.what = decode_what(entry.probe, *what, decoder);
  }
  if (!decoder.failed()) check_totals(out.what, {entry.flops, entry.bytes, threads}, value, decoder);
  return out;
}

void check_date(const std::string& date, const JsonValue& document, Decoder& decoder) {
  const JsonValue* value = document.find("date");
  if (!value || !value->is(JsonKind::text) || date.empty() || is_utc_time(date)) return;
  const Decoder::Scope scope(decoder, document, *value, "date");
  decoder.error("E0203", fmt::format("must be a UTC time such as 2026-11-21T21:04:06Z (got \"{}\")", date), *value);
}

/// Reports a "what" that is neither an object nor a text, which names a case or "all".
void check_skipped_what(const JsonValue& what, const JsonValue& entry, Decoder& decoder) {
  if (what.is(JsonKind::object) || what.is(JsonKind::text)) return;
  const Decoder::Scope scope(decoder, entry, what, "what");
  decoder.error("E0201", fmt::format("must be an object or a text (got {})", describe(what.kind())), what);
}

/// Calls read(entry, value) for each entry of the list `key`, in its scope.
template <class Entry, class Read>
void for_each_entry(const std::vector<Entry>& entries, const JsonValue& document, const char* key, Decoder& decoder,
                    Read read) {
  const JsonValue* list = document.find(key);
  if (!list || !list->is(JsonKind::list)) return;
  const Decoder::Scope inside(decoder, document, *list, key);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonValue& value = list->elements()[i];
    if (!value.is(JsonKind::object)) continue;  // reported already
    const Decoder::Scope scope(decoder, *list, value, std::to_string(i));
    read(entries[i], value);
  }
}

SampleEntry entry_of(const ProbeSample& sample) {
  SampleEntry out;
  out.probe = probe_name(sample.what);
  out.what.value = encode_what(sample.what);
  out.flops = std::llround(sample.flops.in(flop));
  out.bytes = std::llround(sample.bytes.in(byte));
  out.launches = sample.launches;
  out.mode = sample.mode;
  out.clock = sample.clock;
  out.held_s = sample.held.in(second);
  out.mean_power = sample.mean_power;
  out.state = sample.state;
  out.trace = sample.trace;
  return out;
}

JsonValue times_of(const std::vector<Seconds>& repetitions) {
  constexpr double digits = 1e4;  // fractions of a microsecond
  JsonValue out = JsonValue::list();
  for (const Seconds time : repetitions) {
    const double rounded = std::round(time.in(microsecond)*digits) / digits;
    out.push_back(rounded > 0 ? rounded : time.in(microsecond));
  }
  return out;
}

JsonValue write_sample(const ProbeSample& sample) {
  JsonValue out = encode_sparse(record(static_cast<const SampleEntry*>(nullptr)), entry_of(sample));
  out.set("repetitions_us", times_of(sample.repetitions));
  return out;
}

JsonValue write_skipped(const SkippedProbe& skipped, const char* reason) {
  return JsonValue::object({{"probe", skipped.probe}, {"what", skipped.what}, {reason, skipped.reason}});
}

/// Median; mean of the middle two where the number is even.
Seconds median_of(std::vector<Seconds> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

ProbeSamples read_probe_samples(const JsonValue& document) {
  Decoder decoder;
  SampleDocument read;
  record(static_cast<const SampleDocument*>(nullptr)).decode(document, decoder, read);
  check_date(read.date, document, decoder);
  ProbeSamples out{read.tool, read.date, read.suite, read_probe_device(document, decoder), {}, {}, {}};
  for_each_entry(read.samples, document, "samples", decoder, [&](const SampleEntry& entry, const JsonValue& value) {
    out.samples.push_back(read_sample(entry, value, out.device.threads, decoder));
  });
  for_each_entry(read.skipped, document, "skipped", decoder, [&](const SkippedEntry& entry, const JsonValue& value) {
    check_skipped_what(entry.what.value, value, decoder);
    if (check_probe(entry.probe, value, decoder)) out.skipped.push_back({entry.probe, entry.what.value, entry.reason});
  });
  for (const ErrorEntry& error : read.errors) out.failed.push_back({error.probe, error.what, error.message});
  decoder.finish();
  return out;
}

ProbeSamples read_probe_samples(const std::filesystem::path& path) {
  return read_probe_samples(read_json_file(path, measurement_limits));
}

JsonValue write_probe_samples(const ProbeSamples& samples) {
  JsonValue taken = JsonValue::list(), skipped = JsonValue::list(), failed = JsonValue::list();
  for (const ProbeSample& sample : samples.samples) taken.push_back(write_sample(sample));
  for (const SkippedProbe& one : samples.skipped) skipped.push_back(write_skipped(one, "reason"));
  for (const SkippedProbe& one : samples.failed) failed.push_back(write_skipped(one, "message"));
  JsonValue out = JsonValue::object({{"schema_version", 1},
                                     {"tool", samples.tool},
                                     {"date", samples.date},
                                     {"suite", EnumNames<ProbeSuite>::names[static_cast<std::size_t>(samples.suite)]},
                                     {"device", write_probe_device(samples.device)},
                                     {"samples", std::move(taken)},
                                     {"skipped", std::move(skipped)}});
  if (!samples.failed.empty()) out.set("errors", std::move(failed));
  return out;
}

SampleStatistics statistics_of(const std::vector<Seconds>& repetitions) {
  if (repetitions.empty()) throw std::invalid_argument("statistics of a sample without repetitions");
  SampleStatistics out;
  out.median = median_of(repetitions);
  std::vector<Seconds> distances;
  for (const Seconds time : repetitions) distances.push_back(std::max(time - out.median, out.median - time));
  out.spread = median_of(std::move(distances));
  if (repetitions.size() > 1)
    out.first_against_rest = repetitions.front() / median_of({repetitions.begin() + 1, repetitions.end()});
  return out;
}

FlopsPerSecond median_rate(const ProbeSample& sample) {
  return sample.flops / statistics_of(sample.repetitions).median;
}

BytesPerSecond median_bandwidth(const ProbeSample& sample) {
  return sample.bytes / statistics_of(sample.repetitions).median;
}

}  // namespace clusterwright
