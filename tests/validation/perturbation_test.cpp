// SPDX-License-Identifier: Apache-2.0
// Every parameter moves some answer: nothing in a parameter file is there for show.
#include <cmath>

#include "calibration/validation/predict_kernels.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/kernels/gemm_time.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/parts/parts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Answers = std::vector<double>;

const std::vector<Measurement>& microbenchmarks() {
  static const std::vector<Measurement> rows = read_microbenchmarks(CLUSTERWRIGHT_MEASUREMENTS);
  return rows;
}

void multiply(const ParameterSet& set, Answers& out) {
  const AcceleratorPart& part = *parts().find_accelerator(set.accelerator);
  const GemmDevice device{peak(part, NumberFormat::bf16), part.memory_bandwidth.value, part.multiprocessors->value,
                          2 * power_density(part)};
  for (const auto& [format, fit] : set.gemm)
    for (const GemmShape& shape : {GemmShape{64, 256, 65536}, GemmShape{64, 2048, 8192}, GemmShape{1000, 1000, 1000},
                                   GemmShape{16384, 16384, 8192}, GemmShape{16384, 50257, 8192},
                                   GemmShape{16384, 50257, 8192, 1, GemmLayout::transposed_b}}) {
      const GemmTiming cost = gemm_time(shape, device, fit, 2 * byte, 2 * byte, 1);
      out.push_back((cost.time + cost.fixed + quantisation_time(shape, device, fit)).in(second));
    }
}

/// RDMA, and TCP that cores, NICs and host memory limit.
struct Wire {
  bool tcp;
  double nic, host_memory;  ///< GB/s
};
constexpr Wire wires[] = {{false, 50, 400}, {true, 50, 400}, {true, 1.25, 400}, {true, 50, 10}};

void communicate(const ParameterSet& set, Answers& out) {
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                CollectiveOp::all_to_all, CollectiveOp::send})
    for (const GroupShape& group : {GroupShape{1, 2}, GroupShape{1, 8}, GroupShape{2, 1}, GroupShape{4, 8}})
      for (const double bytes : {4e3, 3e6, 3e9})
        for (const Wire& wire : wires)
          for (const bool reducing : {false, true}) {
            const bool pair = op == CollectiveOp::send;
            if (pair != (group.ranks() == 2)) continue;
            const GroupLinks links{.scale_up = 450 * gigabyte / second,
                                   .network_per_rank = wire.nic * gigabyte / second,
                                   .switch_latency = 1 * microsecond,
                                   .switch_reduction = reducing,
                                   .tcp = wire.tcp,
                                   .host_memory = wire.host_memory * gigabyte / second};
            const CollectiveTiming cost = collective_time(op, bytes * byte, group, links, set.collectives, set.network);
            out.push_back(cost.time().in(second));
            out.push_back(collective_half_width(op, bytes * byte, cost, collective_set(set)));
            for (const Algorithm transfer : {Algorithm::hierarchical, Algorithm::direct}) {
              const auto experts = set.collectives.find(expert_curve(transfer));
              if (experts == set.collectives.end()) continue;
              out.push_back(
                  expert_exchange_time(bytes * byte, group, links, experts->second, set.network, even_shares(group))
                      .time()
                      .in(second));
            }
          }
}

/// Every protocol between nodes, small messages and large ones.
void speak(const ParameterSet& set, Answers& out) {
  for (std::size_t i = 0; i < transport_names.size(); ++i)
    for (const double bytes : {4e3, 3e9}) {
      const GroupLinks links{.scale_up = 450 * gigabyte / second,
                             .network_per_rank = 50 * gigabyte / second,
                             .switch_latency = 1 * microsecond,
                             .transport = static_cast<Transport>(i)};
      out.push_back(collective_time(CollectiveOp::all_gather, bytes * byte, {4, 8}, links, set.collectives, set.network)
                        .time()
                        .in(second));
    }
}

/// Whole steps under every family of attention, also with heads that do not align (108), and a step that power slows.
/// @param limit_share  power limit over the rating
void step(const ParameterSet& set, const std::string& family, int head, int heads, Answers& out,
          double limit_share = 1) {
  SmallCase c;
  c.hopper = set.accelerator == "H100-SXM";
  c.tensor = c.pipeline = 2;
  c.data = 4;
  c.micro_batches = 4;
  c.heads = heads;
  c.hidden = heads * head;
  c.sequence = 2048;
  Scenario s = small_scenario(c);
  s.parameters = set;
  s.stack.attention = family;
  s.stack.kernel_launch.value = {};
  s.cluster.accelerator.power_limit = limit_share * s.cluster.accelerator.power.value;
  const StepPrediction step = predict_step(s);
  out.push_back(step.step_time.in(second));
  out.push_back(step.power.nodes_mean.in(watt));
  out.push_back(step.power.nodes_peak.in(watt));
}

void steps(const ParameterSet& set, Answers& out) {
  for (const auto& [family, fit] : set.attention)
    for (const int head : {64, 108}) step(set, family, head, 16, out);
  step(set, "flash-2", 128, 64, out);
  step(set, "flash-2", 128, 64, out, 0.6);  // far below what it draws
}

Answers answers(const ParameterSet& set) {
  Answers out;
  multiply(set, out);
  communicate(set, out);
  speak(set, out);
  steps(set, out);
  for (const Measurement& m : microbenchmarks()) {
    if (!m.memory || m.hardware.accelerator != set.accelerator) continue;
    const Prediction predicted = predict_memory(m, parts().accelerators, [&](const std::string&) { return &set; });
    if (const auto* values = std::get_if<PredictedValues>(&predicted))
      out.insert(out.end(), values->predicted.begin(), values->predicted.end());
  }
  return out;
}

/// Calls `use` with each number of a parameter file, which may be changed meanwhile.
template <class Use>
void for_each_value(JsonValue& at, const std::string& path, const Use& use) {
  if (!at.is(JsonKind::object)) return;
  if (JsonValue* value = at.find("value")) return use(path, *value);
  for (auto& [key, member] : at.members())
    if (key != "fits") for_each_value(member, path + "/" + key, use);
}

bool moves(JsonValue& document, JsonValue& value, double factor, const Answers& usual) {
  const JsonValue before = value;
  value = JsonValue(before.as_number() * factor);
  const Answers now = answers(decode_record<ParameterSet>(document));
  value = before;
  return now != usual;
}

void check_every_parameter(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parameters" / (name + ".json");
  JsonValue document = read_json_file(file);
  const Answers usual = answers(decode_record<ParameterSet>(document));
  int tried = 0;
  for_each_value(document, "", [&](const std::string& path, JsonValue& value) {
    // Zero by definition: nothing to quantise, no scores in memory. Exchanges of experts have a start and a rate, no
    // ramp.
    const bool ramp_of_experts = path.starts_with("/collectives/expert_exchange") && path.ends_with("/ramp_exponent");
    if (value.as_number() == 0 || ramp_of_experts) return;
    // Says what density_reference says too, for files without that.
    if (path == "/power/reference_power_w") return;
    if (path.starts_with("/thermal/")) return;  // no prediction uses heat yet
    INFO(name << path);
    // Most go down, as shares end at 1; limits may matter only upwards.
    CHECK((moves(document, value, 0.8, usual) || moves(document, value, 1.1, usual)));
    ++tried;
  });
  CHECK(tried > 100);
}

}  // namespace

TEST_CASE("every parameter of A100 moves some answer", "[validation]") {
  check_every_parameter("a100-80-sxm");
}

TEST_CASE("every parameter of H100 moves some answer", "[validation]") {
  check_every_parameter("h100-sxm");
}
