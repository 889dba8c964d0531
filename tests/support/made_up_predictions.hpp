// SPDX-License-Identifier: Apache-2.0
/// Predictions with plausible numbers that no model made: for tests of what shows them.
#pragma once

#include <cmath>
#include <string>

#include "models/prediction/prediction.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright::made_up {

/// A step of 8 x 16 x (gpus / 128) whose data-parallel communication and bubble grow with the size.
inline StepPrediction step(int gpus) {
  StepPrediction s;
  s.accelerators = gpus;
  s.plan.tensor = 8;
  s.plan.pipeline = 16;
  s.plan.virtual_pipeline = 8;
  s.plan.data = gpus / 128;
  s.plan.micro_batches = 262144 / gpus;
  s.plan.global_batch = 2048;
  s.fits = true;
  s.verdict = "fits: 61.2 of 80 GB";
  s.memory.weights = 12.7 * gigabyte;
  s.memory.gradients = 12.7 * gigabyte;
  s.memory.optimizer = 19.0 * gigabyte / (gpus / 1024.0);
  s.memory.activations = 9.5 * gigabyte;
  s.memory.logits = 4.2 * gigabyte;
  s.memory.buffers = 3.1 * gigabyte;
  s.memory.reserved = 4 * gigabyte;
  const double doublings = std::log2(gpus / 1024.0);
  const double compute = 48.6 / std::pow(2.0, doublings);
  s.breakdown[0] = compute * second;
  s.breakdown[1] = 0.11 * compute * second;
  s.breakdown[2] = 0.05 * compute * second;
  s.breakdown[3] = 0.03 * second;
  s.breakdown[5] = 0.10 * compute * second;
  s.breakdown[8] = 0.02 * compute * second;
  s.breakdown[9] = 0.04 * (1 + doublings) * second;
  s.breakdown[10] = 0.55 * second;
  s.breakdown[13] = 0.01 * compute * second;
  for (const Seconds part : s.breakdown) s.step_time += part;
  s.low = 0.93 * s.step_time;
  s.high = 1.08 * s.step_time;
  s.tokens_per_second = 2048 * 8192 / s.step_time.in(second);
  s.model_flops_per_accelerator = s.tokens_per_second_per_accelerator() * 2.55 * teraflop_per_second;
  s.mfu = s.model_flops_per_accelerator.in(teraflop_per_second) / 989.4;
  PowerUse& power = s.power;
  power.nodes_mean = gpus * 1180.0 * watt;
  power.nodes_peak = gpus * 1300.0 * watt;
  power.nodes_crest = gpus * 1240.0 * watt;
  power.nodes_trough = gpus * 700.0 * watt;
  power.energy_per_token = gpus * 1180.0 / s.tokens_per_second * joule;
  power.node_host = 2800 * watt;
  power.site = {gpus * 1280.0 * watt, gpus * 1340.0 * watt, gpus * 1400.0 * watt, gpus * 1500.0 * watt,
                gpus * 2100.0 * watt};
  s.bottleneck = "tensor-parallel communication costs 8 % of the step: try a tensor degree of 4";
  s.assumptions = {
      {"virtual pipeline stages", "8", "default", "not given: the largest that divides 126 layers over 16 stages"},
      {"matrix multiply efficiency", "0.78 of 989 TFLOP/s", "fit", "36 measured points, median residual 2.1 %"},
      {"power of the host", "4.4 kW per node", "data sheet",
       "10.0 kW of an 8-GPU server less 8 x 700 W; not verified"}};
  return s;
}

/// 1,024 to 16,384 GPUs, with a size that the plan cannot use and one that does not fit in front.
inline ScaleCurve curve() {
  ScaleCurve c;
  c.points.push_back({StepPrediction{}, 0, 0, 0, 0, "192 GPUs are no multiple of the 128 of one replica"});
  c.points[0].step.accelerators = 192;
  c.points.push_back({step(512), 0, 0, 0, 0, ""});
  c.points[1].step.fits = false;
  c.points[1].step.verdict = "stage 0 needs 92.1 GB of 80: optimizer state 38.0 GB";
  for (int gpus = 1024; gpus <= 16384; gpus *= 2) c.points.push_back({step(gpus), 0, 0, 0, 0, ""});
  const double reference = c.points[2].step.tokens_per_second_per_accelerator();
  for (std::size_t i = 1; i < c.points.size(); ++i) {
    c.points[i].efficiency = c.points[i].step.tokens_per_second_per_accelerator() / reference;
    c.points[i].speedup = c.points[i].step.tokens_per_second / c.points[2].step.tokens_per_second;
  }
  c.knee = 8192;
  return c;
}

inline ResultContext context(const std::string& command) {
  ResultContext c;
  c.command = command;
  c.command_line = "clusterwright " + command + " configs/scenarios/llama3-405b-h100.json";
  c.seed = 7;
  c.transformer = "Llama 3 405B";
  c.accelerator = "H100-SXM";
  c.cluster = "Llama 3 training cluster";
  c.job = "pretrain, 8,192 tokens per sequence, global batch 2,048, bf16, zero2, megatron-2024";
  c.memory_capacity = 80 * gigabyte;
  c.inputs = {{"configs/scenarios/llama3-405b-h100.json", std::string(64, 'a')},
              {"configs/clusters/llama3-report.json", std::string(64, '0')}};
  c.scenario = JsonValue::object({{"job", JsonValue::object({{"sequence", 8192}, {"task", "pretrain"}})}});
  return c;
}

}  // namespace clusterwright::made_up
