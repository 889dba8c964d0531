#include "calibration/sample_files/probe_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

#include "calibration/sample_files/sparse_record.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

template <>
struct EnumNames<ProbeSuite> {
  static constexpr std::array<std::string_view, 2> names = {"quick", "full"};
};
template <>
struct EnumNames<ProbeDeviceKind> {
  static constexpr std::array<std::string_view, 2> names = {"host", "gpu"};
};

const Record<DeviceState>& record(const DeviceState*) {
  static const auto table = Record<DeviceState>("state", "what the device reported")
                                .optional("sm_mhz", &DeviceState::sm, {.help = "clock", .min = 0})
                                .optional("memory_mhz", &DeviceState::memory, {.help = "clock", .min = 0})
                                .optional("temperature_c", &DeviceState::temperature_c, {.help = "of the chip"})
                                .optional("memory_temperature_c", &DeviceState::memory_temperature_c, {.help = "HBM"})
                                .optional("power_w", &DeviceState::power, {.help = "now", .min = 0})
                                .optional("power_average_w", &DeviceState::power_average, {.help = "mean", .min = 0})
                                .optional("clock_limit_reasons", &DeviceState::clock_limit_reasons, {.help = "bits"});
  return table;
}

const Record<PowerTrace>& record(const PowerTrace*) {
  const auto rule = [](const char* help) { return FieldRule{.help = help, .max_elements = 1u << 20}; };
  static const auto table = Record<PowerTrace>("trace", "readings over time")
                                .required("t_s", &PowerTrace::t_s, rule("since the start"))
                                .optional("power_w", &PowerTrace::power_w, rule("now"))
                                .optional("power_average_w", &PowerTrace::power_average_w, rule("mean"))
                                .optional("energy_j", &PowerTrace::energy_j, rule("counter"))
                                .optional("sm_mhz", &PowerTrace::sm_mhz, rule("clock"))
                                .optional("memory_mhz", &PowerTrace::memory_mhz, rule("clock"))
                                .optional("temperature_c", &PowerTrace::temperature_c, rule("of the chip"))
                                .optional("memory_temperature_c", &PowerTrace::memory_temperature_c, rule("HBM"))
                                .optional("clock_limit_reasons", &PowerTrace::clock_limit_reasons, rule("bits"));
  return table;
}

/// A sample as it is written, before its probe says what "what" must be.
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
          .required("flops", &SampleEntry::flops, {.help = "operations of one call", .min = 0})
          .required("bytes", &SampleEntry::bytes, {.help = "bytes that one call moves", .min = 0})
          .required("repetitions_us", &SampleEntry::repetitions,
                    {.help = "every repetition", .min = 0, .above_min = true, .max_elements = 1u << 20})
          .optional("launches_per_repetition", &SampleEntry::launches,
                    {.help = "calls per look at the clock", .min = 1})
          .optional("mode", &SampleEntry::mode, {.help = "burst or sustained"})
          .optional("clock", &SampleEntry::clock, {.help = "host: its clock took the time"})
          .optional("seconds", &SampleEntry::held_s, {.help = "held without calls", .min = 0})
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

using DeviceRecord = Record<ProbeDevice>;

const DeviceRecord& host_record() {
  static const auto table = DeviceRecord("host device", "a host")
                                .required("kind", &ProbeDevice::kind, {.help = "host"})
                                .required("cpu", &ProbeDevice::cpu, {.help = "model name"})
                                .required("cores", &ProbeDevice::cores, {.help = "physical", .min = 1})
                                .required("threads", &ProbeDevice::threads, {.help = "usable", .min = 1})
                                .required("memory_bytes", &ProbeDevice::memory, {.help = "installed", .min = 0})
                                .required("l3_bytes", &ProbeDevice::l3, {.help = "0: none, or unknown", .min = 0});
  return table;
}

const DeviceRecord& gpu_record() {
  static const auto table =
      DeviceRecord("gpu device", "a GPU")
          .optional("kind", &ProbeDevice::kind, {.help = "gpu"})
          .required("name", &ProbeDevice::name, {.help = "as the driver calls it"})
          .optional("compute_capability", &ProbeDevice::compute_capability, {.help = "such as 9.0"})
          .optional("memory_bytes", &ProbeDevice::memory, {.help = "installed", .min = 0})
          .optional("multiprocessors", &ProbeDevice::multiprocessors, {.help = "streaming ones", .min = 1})
          .optional("l2_bytes", &ProbeDevice::l2, {.help = "second-level cache", .min = 0})
          .optional("shared_bytes_per_block", &ProbeDevice::shared_bytes_per_block, {.help = "at most", .min = 0})
          .optional("index", &ProbeDevice::index, {.help = "in its node", .min = 0})
          .optional("gpus_in_node", &ProbeDevice::gpus_in_node, {.help = "that are seen", .min = 1})
          .optional("driver", &ProbeDevice::driver, {.help = "version"})
          .optional("cuda_driver", &ProbeDevice::cuda_driver, {.help = "version"})
          .optional("cuda_runtime", &ProbeDevice::cuda_runtime, {.help = "version"})
          .optional("cublaslt", &ProbeDevice::cublaslt, {.help = "version", .min = 0})
          .optional("power_limit_w", &ProbeDevice::power_limit, {.help = "as set", .min = 0})
          .optional("max_sm_mhz", &ProbeDevice::max_sm, {.help = "clock", .min = 0})
          .optional("max_memory_mhz", &ProbeDevice::max_memory, {.help = "clock", .min = 0})
          .optional("pci_link", &ProbeDevice::pci_link, {.help = "generation and width"})
          .optional("nvml", &ProbeDevice::nvml, {.help = "what was wrong with it"});
  return table;
}

/// Told by "kind", or by a key that only a host has.
bool is_gpu(const JsonValue& device) {
  const JsonValue* kind = device.find("kind");
  return kind ? kind->is(JsonKind::text) && kind->as_text() == "gpu" : device.find("cpu") == nullptr;
}

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

/// A device held in a state without calls has none; a repetition that is a mean of many calls stands for them.
void check_repetitions(const SampleEntry& read, const JsonValue& entry, Decoder& decoder) {
  const JsonValue* list = entry.find("repetitions_us");
  const std::size_t count = read.repetitions.size();
  if (!list || !list->is(JsonKind::list) || count >= least_repetitions || read.held_s > 0) return;
  if (count > 0 && read.launches >= static_cast<std::int64_t>(least_repetitions)) return;
  const Decoder::Scope scope(decoder, entry, *list, "repetitions_us");
  decoder.error("E0202", fmt::format("must hold at least {} repetitions (got {})", least_repetitions, count), *list);
}

/// All but "what".
ProbeSample sample_of(const SampleEntry& entry) {
  ProbeSample out;
  out.probe = entry.probe;
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
    decode_what(entry.probe, *what, decoder, out.what);
  }
  if (!decoder.failed()) check_totals(entry.probe, out.what, {entry.flops, entry.bytes, threads}, value, decoder);
  return out;
}

void check_date(const std::string& date, const JsonValue& document, Decoder& decoder) {
  static const std::regex form(R"(\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)");
  const JsonValue* value = document.find("date");
  if (!value || !value->is(JsonKind::text) || date.empty() || std::regex_match(date, form)) return;
  const Decoder::Scope scope(decoder, document, *value, "date");
  decoder.error("E0203", fmt::format("must be a UTC time such as 2026-11-21T21:04:06Z (got \"{}\")", date), *value);
}

/// A GPU's program writes null where there is no GPU.
ProbeDevice read_device(const JsonValue& document, Decoder& decoder) {
  ProbeDevice out;
  const JsonValue* device = document.find("device");
  const JsonValue* samples = document.find("samples");
  if (!device) return out;
  const bool none = device->is_null() && samples && samples->elements().empty();
  const bool gpu = none || is_gpu(*device);
  const Decoder::Scope scope(decoder, document, *device, "device");
  if (!none) (gpu ? gpu_record() : host_record()).decode(*device, decoder, out);
  if (gpu) out.kind = ProbeDeviceKind::gpu;
  return out;
}

/// Objects and words; a text names a case, or "all".
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
  out.probe = sample.probe;
  out.what.value = encode_what(sample.probe, sample.what);
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
  constexpr double digits = 1e4;  // of a microsecond
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

}  // namespace

ProbeSamples read_probe_samples(const JsonValue& document) {
  Decoder decoder;
  SampleDocument read;
  record(static_cast<const SampleDocument*>(nullptr)).decode(document, decoder, read);
  check_date(read.date, document, decoder);
  ProbeSamples out{read.tool, read.date, read.suite, read_device(document, decoder), {}, {}, {}};
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
  return read_probe_samples(read_json_file(path));
}

JsonValue write_probe_samples(const ProbeSamples& samples) {
  const bool gpu = samples.device.kind == ProbeDeviceKind::gpu;
  JsonValue taken = JsonValue::list(), skipped = JsonValue::list(), failed = JsonValue::list();
  for (const ProbeSample& sample : samples.samples) taken.push_back(write_sample(sample));
  for (const SkippedProbe& one : samples.skipped) skipped.push_back(write_skipped(one, "reason"));
  for (const SkippedProbe& one : samples.failed) failed.push_back(write_skipped(one, "message"));
  JsonValue out = JsonValue::object({{"schema_version", 1},
                                     {"tool", samples.tool},
                                     {"date", samples.date},
                                     {"suite", EnumNames<ProbeSuite>::names[static_cast<std::size_t>(samples.suite)]},
                                     {"device", encode_sparse(gpu ? gpu_record() : host_record(), samples.device)},
                                     {"samples", std::move(taken)},
                                     {"skipped", std::move(skipped)}});
  if (!samples.failed.empty()) out.set("errors", std::move(failed));
  return out;
}

}  // namespace clusterwright
