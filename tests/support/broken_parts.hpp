// SPDX-License-Identifier: Apache-2.0
/// Inputs that break the rules of parts, each with what must be said.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace clusterwright::testing {

/// An input that breaks a rule, and words of the message: both fields and their values.
struct BrokenInput {
  const char* rule;
  const char* scenario;
  std::vector<std::string> settings;
  std::vector<std::string> words;
};

inline std::string own(const char* list, const std::string& part) {
  return fmt::format("cluster.parts={{\"{}\":[{}]}}", list, part);
}

inline std::string variant(const std::string& fields) {
  return own("accelerators", R"({"id":"Mine","like":"H100-SXM",)" + fields + "}");
}

inline std::string server(const std::string& fields) {
  return own("nodes", R"({"id":"Box","accelerator_id":"H100-SXM",)" + fields + "}");
}

inline std::string stage(const std::string& fields) {
  return own("power_stages", R"({"id":"Mine","kind":"ups","no_load_loss":0.01,)" + fields + "}");
}

inline std::string cooling(const std::string& fields) {
  return own("rack_cooling", R"({"id":"Mine","capacity_kw":40,"server_fan_share":0.1,"coolant_supply_c":20,
    "air_rise_k":15,"air_mover_share":0.1,"pump_share":0.02,)" +
                                 fields + "}");
}

inline std::string climate(const std::string& fields) {
  return own("climates", R"({"id":"Mine","mean_c":11,"annual_k":9,"daily_k":5,"wet_bulb_below_k":2,)" + fields + "}");
}

inline std::string interconnection(const std::string& fields) {
  return own("interconnections", R"({"id":"Mine",)" + fields + "}");
}

inline const char* const dense_job = "llama3-8b-h100-64";

inline const std::vector<BrokenInput> parts_broken = {
    {"ends of a band",
     dense_job,
     {interconnection(R"("band_low_hz":20,"band_high_hz":5)")},
     {"parts.interconnections.0.band_low_hz (20 Hz)", "band_high_hz (5 Hz)"}},
    {"addressable memory and label",
     dense_job,
     {variant(R"("memory_gb":80,"addressable_memory_gb":1000)")},
     {"parts.accelerators.0.addressable_memory_gb (1000 GB)", "memory_gb (80 GB, at most 85.9 GB if counted in GiB)"}},
    {"best GEMM and peak",
     dense_job,
     {variant(R"("best_gemm_tflops":{"bf16":5000})")},
     {"best_gemm_tflops (5000 TFLOP/s in bf16)", "peak_dense_tflops (989 TFLOP/s in bf16)"}},
    {"idle power and rated power",
     dense_job,
     {variant(R"("idle_power_w":800)")},
     {"idle_power_w (800 W)", "power_w (700 W)"}},
    {"lowest power cap and rated power",
     dense_job,
     {variant(R"("min_power_limit_w":900)")},
     {"min_power_limit_w (900 W)", "power_w (700 W)"}},
    {"boost clock and highest clock",
     dense_job,
     {variant(R"("boost_mhz":2500)")},
     {"boost_mhz (2500 MHz)", "max_mhz (1980 MHz)"}},
    {"measured host link and its data sheet",
     dense_job,
     {variant(R"("host_bandwidth_gb_per_s":63,"measured_host_bandwidth_gb_per_s":126)")},
     {"measured_host_bandwidth_gb_per_s (126 GB/s)", "host_bandwidth_gb_per_s (63 GB/s)"}},
    {"link to one neighbour and all links",
     dense_job,
     {variant(R"("peer_bandwidth_gb_per_s":500)")},
     {"peer_bandwidth_gb_per_s (500 GB/s)", "scale_up_bandwidth_gb_per_s (450 GB/s)"}},
    {"typical and maximum power of a NIC",
     dense_job,
     {own("nics", R"({"id":"Mine","rate_gbit_per_s":400,"typical_power_w":30,"max_power_w":20})")},
     {"parts.nics.0.typical_power_w (30 W)", "max_power_w (20 W)"}},
    {"typical and maximum power of a switch",
     dense_job,
     {own("switches", R"({"id":"Mine","ports":64,"typical_power_w":3000,"max_power_w":2000})")},
     {"parts.switches.0.typical_power_w (3000 W)", "max_power_w (2000 W)"}},
    {"typical and maximum power of a cable",
     dense_job,
     {own("cables", R"({"id":"Mine","power_per_end_w":12,"max_power_per_end_w":10})")},
     {"parts.cables.0.power_per_end_w (12 W)", "max_power_per_end_w (10 W)"}},
    {"typical and maximum power of a server",
     dense_job,
     {server(R"("accelerator_count":8,"typical_power_kw":20,"max_power_kw":10.2)")},
     {"parts.nodes.0.typical_power_kw (20 kW)", "max_power_kw (10.2 kW)"}},
    {"idle and maximum power of a server",
     dense_job,
     {server(R"("accelerator_count":8,"idle_power_kw":11,"max_power_kw":10.2)")},
     {"idle_power_kw (11 kW)", "max_power_kw (10.2 kW)"}},
    // 16 x 700 W = 11.2 kW
    {"power of a server and of its accelerators",
     dense_job,
     {server(R"("accelerator_count":16,"max_power_kw":10.2)")},
     {"accelerator_count (16 x 700 W of H100-SXM = 11.2 kW)", "max_power_kw (10.2 kW)"}},
    // 10.2 - 8 x 0.7 = 4.6 kW
    {"power of a server and of its host",
     dense_job,
     {server(R"("accelerator_count":8,"max_power_kw":10.2,"host_power_w":6000)")},
     {"host_power_w (6 kW)", "max_power_kw (10.2 kW, of which accelerators leave 4.6 kW)"}},
    {"losses and efficiency of a power stage",
     dense_job,
     {stage(R"("rating_kva":1000,"efficiency":1,"proportional_loss":0.5)")},
     {"no_load_loss (0.01, with proportional_loss 0.5)", "efficiency (1, which loses 0 of the output"}},
    // sqrt 3 x 415 V x 100 A = 71.9 kVA
    {"rating and current of a power stage",
     dense_job,
     {stage(R"("rating_kva":720,"efficiency":0.96,"proportional_loss":0.01,"voltage":415,"amperes":100)")},
     {"rating_kva (720 kVA)", "amperes (100 A at 415 V are 71.88 kVA)"}},
    {"air temperature and servers",
     dense_job,
     {cooling(
         R"("air_supply_c":60,"liquid_share":0,"air_capacity_kw":40,"coolant_rise_k":0,"coolant_heat_j_per_l_k":0)")},
     {"parts.rack_cooling.0.air_supply_c (60 C)", "(45 C)"}},
    {"liquid and its flow",
     dense_job,
     {cooling(R"("air_supply_c":24,"liquid_share":0.8,"air_capacity_kw":40,"coolant_rise_k":0,
                 "coolant_heat_j_per_l_k":4000)")},
     {"liquid_share (0.8)", "coolant_rise_k (0 K, with coolant_heat_j_per_l_k 4000)"}},
    {"heat of a rack and its share in air",
     dense_job,
     {cooling(
         R"("air_supply_c":24,"liquid_share":0,"air_capacity_kw":50,"coolant_rise_k":0,"coolant_heat_j_per_l_k":0)")},
     {"air_capacity_kw (50 kW)", "capacity_kw (40 kW)"}},
    {"wet bulb and dry bulb",
     dense_job,
     {climate(R"("design_c":36,"design_wet_bulb_c":80)")},
     {"design_wet_bulb_c (80 C)", "design_c (36 C)"}},
    {"hottest hours and mean of the year",
     dense_job,
     {climate(R"("design_c":-50,"design_wet_bulb_c":-51)")},
     {"design_c (-50 C)", "mean_c (11 C)"}},
    {"low and high price",
     dense_job,
     {own("nics", R"({"id":"Mine","rate_gbit_per_s":400,"price_usd":{"low":500000,"high":100}})")},
     {"parts.nics.0.price_usd.low (500000 USD)", "price_usd.high (100 USD)"}},
};

}  // namespace clusterwright::testing
