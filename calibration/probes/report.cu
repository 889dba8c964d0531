// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace clusterwright::probes {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::FILE* file = std::fopen(part.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + part);
  const bool wrote = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!wrote || !closed || std::rename(part.c_str(), path.c_str()) != 0)
    throw std::runtime_error("cannot write " + path);
}

std::string lines(const std::vector<std::string>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "\n" : ",\n") + items[i];
  return out + "]";
}

}  // namespace

Report::Report(std::string path, std::string suite)
    : path_(std::move(path)), suite_(std::move(suite)), date_(utc_now()) {}

void Report::set_device(const JsonObject& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  device_ = device.text();
}

void Report::add_sample(const JsonObject& sample) {
  const std::lock_guard<std::mutex> lock(mutex_);
  samples_.push_back(sample.text());
}

void Report::skip(const std::string& probe, const std::string& what, const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  skipped_.push_back(JsonObject().put("probe", probe).put("what", what).put("reason", reason).text());
}

void Report::error(const std::string& probe, const std::string& what, const std::string& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  errors_.push_back(JsonObject().put("probe", probe).put("what", what).put("message", message).text());
}

void Report::write(bool last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!path_.empty()) {
    write_file(path_, document());
  } else if (last && !printed_) {
    printed_ = true;
    const std::string text = document();
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      throw std::runtime_error("cannot write to standard output");
    }
  }
}

void Report::checkpoint() {
  try {
    write();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_probe: %s\n", error.what());
  }
}

std::size_t Report::sample_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return samples_.size();
}

std::string Report::document() const {
  JsonObject out;
  out.put("schema_version", 1).put("tool", "gpu_probe").put("date", date_).put("suite", suite_);
  out.put_json("device", device_).put_json("samples", lines(samples_));
  out.put_json("skipped", lines(skipped_)).put_json("errors", lines(errors_));
  return out.text() + "\n";
}

}  // namespace clusterwright::probes
