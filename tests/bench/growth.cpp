// SPDX-License-Identifier: Apache-2.0
// Growth of time and memory of a prediction with the number of GPUs, micro-batches and layers. Each point is a process
// of its own, the median of five. Prints the points as CSV, and draws them into the file that is named.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"

namespace {

using namespace clusterwright;

struct Cost {
  double cpu_ms = 0, megabytes = 0;
};

/// Cost of a prediction in a process of its own, beyond that of loading the scenario.
Cost cost_of(const Scenario& scenario) {
  const pid_t child = fork();
  if (child == 0) {
    predict_step(scenario);
    _exit(0);
  }
  int status = 1;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) throw std::runtime_error("a prediction failed");
  const auto ms = [](timeval t) { return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec); };
  return {ms(usage.ru_utime) + ms(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1e3};
}

Cost median_cost(const Scenario& scenario) {
  std::vector<Cost> costs;
  for (int i = 0; i < 5; ++i) costs.push_back(cost_of(scenario));
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.cpu_ms < b.cpu_ms; });
  return costs[costs.size() / 2];
}

Scenario scenario_of(int accelerators, int micro_batches, int layers, int virtual_pipeline) {
  const auto path = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / "llama3-405b-h100.json";
  Scenario s = load_scenario(path, {});
  constexpr int pod = 3072;  // which the core tier holds a whole number of
  s.cluster.spec.fabric.tiers.back().accelerators = std::max(8, (accelerators + pod - 1) / pod) * pod;
  s.cluster = resized(s.cluster, accelerators);
  s.job.global_batch = accelerators / 128 * micro_batches;
  s.job.parallel.virtual_pipeline = virtual_pipeline;
  s.transformer.layers = layers;
  // Room for all, so that no point pays for the search for a remedy.
  s.cluster.accelerator.addressable_memory.reset();
  s.cluster.accelerator.memory.value = 1e6 * gigabyte;
  return s;
}

struct Curve {
  std::string what, title;
  std::vector<int> sizes;
  std::function<Scenario(int)> scenario;
  std::vector<Cost> costs;
};

/// from, 1.5 from, 2 from, 3 from, ... up to `to`.
std::vector<int> half_doublings(int from, int to) {
  std::vector<int> sizes;
  for (int size = from; size <= to; size *= 2) {
    sizes.push_back(size);
    if (size * 3 / 2 <= to) sizes.push_back(size * 3 / 2);
  }
  return sizes;
}

std::vector<Curve> curves() {
  return {{"gpus",
           "GPUs: 16 micro-batches, 126 layers",
           half_doublings(1024, 1 << 20),
           [](int gpus) { return scenario_of(gpus, 16, 126, 4); },
           {}},
          {"micro_batches_1f1b",
           "micro-batches, 1F1B: 1,024 GPUs, 126 layers",
           half_doublings(16, 4096),
           [](int count) { return scenario_of(1024, count, 126, 1); },
           {}},
          {"micro_batches_interleaved",
           "micro-batches, 4 virtual stages: 1,024 GPUs, 128 layers",
           half_doublings(16, 4096),
           [](int count) { return scenario_of(1024, count, 128, 4); },
           {}},
          {"layers",
           "layers: 1,024 GPUs, 16 micro-batches",
           half_doublings(32, 1024),
           [](int layers) { return scenario_of(1024, 16, layers, 1); },
           {}}};
}

// A picture with a panel for each curve, both axes logarithmic.

constexpr double panel_width = 420, panel_height = 250, left = 64, right = 70, top = 40, bottom = 34;

/// 1048576: 1,048,576
std::string grouped(int number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

double between(double value, double low, double high) {
  return std::log(value / low) / std::log(high / low);
}

class Panel {
 public:
  Panel(const Curve& curve, double x, double y) : curve_(curve), x_(x), y_(y) {}

  std::string svg() const {
    std::string out =
        fmt::format("<text class='h' x='{:.0f}' y='{:.0f}'>{}</text>\n", x_ + left, y_ + 22, curve_.title);
    for (const double ms : {1.0, 10.0, 100.0, 1000.0})
      out += grid(y_of(ms, ms_low, ms_high), x_ + left - 6, "end", fmt::format("{:.0f} ms", ms));
    for (const double mb : {10.0, 100.0, 1000.0})
      out += fmt::format("<text x='{:.0f}' y='{:.1f}'>{:.0f} MB</text>\n", x_ + panel_width - right + 6,
                         y_of(mb, mb_low, mb_high) + 4, mb);
    for (const int size : {curve_.sizes.front(), middle(), curve_.sizes.back()})
      out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", x_of(size),
                         y_ + panel_height - bottom + 16, grouped(size));
    out += line("t", [&](const Cost& cost) { return y_of(cost.cpu_ms, ms_low, ms_high); });
    out += line("m", [&](const Cost& cost) { return y_of(cost.megabytes, mb_low, mb_high); });
    return out;
  }

 private:
  static constexpr double ms_low = 1, ms_high = 1000, mb_low = 10, mb_high = 1000;

  int middle() const { return curve_.sizes[curve_.sizes.size() / 2]; }
  double x_of(int size) const {
    return x_ + left + between(size, curve_.sizes.front(), curve_.sizes.back()) * (panel_width - left - right);
  }
  double y_of(double value, double low, double high) const {
    return y_ + panel_height - bottom - between(value, low, high) * (panel_height - top - bottom);
  }
  std::string grid(double y, double at, const char* anchor, const std::string& text) const {
    return fmt::format("<line x1='{:.0f}' x2='{:.0f}' y1='{:.1f}' y2='{:.1f}'/>\n", x_ + left, x_ + panel_width - right,
                       y, y) +
           fmt::format("<text x='{:.0f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", at, y + 4, anchor, text);
  }
  template <class Height>
  std::string line(const char* style, const Height& height) const {
    std::string points;
    for (std::size_t i = 0; i < curve_.costs.size(); ++i)
      points += fmt::format("{:.1f},{:.1f} ", x_of(curve_.sizes[i]), height(curve_.costs[i]));
    return fmt::format("<polyline class='{}' points='{}'/>\n", style, points);
  }

  const Curve& curve_;
  double x_, y_;
};

std::string picture(const std::vector<Curve>& curves) {
  const double width = 2 * panel_width, height = 2 * panel_height + 30;
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
      "role='img' "
      "aria-label='CPU milliseconds and megabytes of a prediction over GPUs, micro-batches and layers'>\n"
      "<style>text{{font:12px sans-serif;fill:#333}}.h{{font-weight:bold}}line{{stroke:#ddd}}polyline{{fill:none;"
      "stroke-width:2}}.t{{stroke:#1b6ca8}}.m{{stroke:#c4602d;stroke-dasharray:5 3}}</style>\n"
      "<rect width='100%' height='100%' fill='#fff'/>\n",
      width, height);
  for (std::size_t i = 0; i < curves.size(); ++i)
    out += Panel(curves[i], panel_width * static_cast<double>(i % 2), panel_height * static_cast<double>(i / 2)).svg();
  const double y = height - 12;
  out += fmt::format("<polyline class='t' points='60,{0} 90,{0}'/><text x='96' y='{1}'>CPU time, left axis</text>\n",
                     y - 4, y);
  out += fmt::format(
      "<polyline class='m' points='260,{0} 290,{0}'/><text x='296' y='{1}'>peak memory, right axis</text>\n", y - 4, y);
  return out + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Curve> all = curves();
  fmt::print("what,size,cpu_ms,mb\n");
  for (Curve& curve : all)
    for (const int size : curve.sizes) {
      curve.costs.push_back(median_cost(curve.scenario(size)));
      fmt::print("{},{},{:.1f},{:.1f}\n", curve.what, size, curve.costs.back().cpu_ms, curve.costs.back().megabytes);
    }
  if (argc > 1) std::ofstream(argv[1]) << picture(all);
  return 0;
}
