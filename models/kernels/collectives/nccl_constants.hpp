// SPDX-License-Identifier: Apache-2.0
/// Constants of NCCL's tuner and search, version 2.30.7 (github.com/NVIDIA/nccl, commit 5067397c, src/graph/tuning.cc
/// and src/graph/topo.h, search.cc), restated. Microseconds and GB/s.
#pragma once

#include <array>

#include "models/kernels/collectives/collective_op.hpp"

namespace clusterwright::nccl {

/// Values by protocol: LL, LL128, Simple.
using ByProtocol = std::array<double, 3>;
/// Latencies in microseconds by algorithm, in the order of Algorithm.
using LatencyTable = std::array<ByProtocol, nccl_algorithm_count>;

inline constexpr LatencyTable base_latency = {
    {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {8, 8, 8}}};
inline constexpr LatencyTable nvlink_hop = {
    {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4}}};
inline constexpr LatencyTable pcie_hop = {
    {{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4}}};
inline constexpr LatencyTable network_hop = {
    {{5.0, 8.5, 14}, {2.7, 4.0, 14}, {0, 0, 31}, {0, 0, 30}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}};

/// Values by generation (Volta, Ampere, Hopper, Blackwell), then by one node, two, more.
using ByGenerationAndNodes = std::array<std::array<double, 3>, 4>;
inline constexpr std::array<double, 4> ll_ceiling_one_node = {39, 87.7, 141, 282};
inline constexpr std::array<double, 3> ll_ceiling_intel = {0, 39,
                                                           20.4};  ///< unused for one node, which goes by generation
inline constexpr std::array<double, 3> ll_ceiling_amd = {0, 22.5, 19};
inline constexpr std::array<double, 4> ring_ll128_per_channel = {20, 20, 36.7, 40};
inline constexpr ByGenerationAndNodes tree_ll128_per_channel = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
inline constexpr ByGenerationAndNodes tree_simple_per_channel = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
inline constexpr ByGenerationAndNodes nvls_tree_per_channel = {{{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
inline constexpr std::array<double, 4> nvls_efficiency = {0, 0, 0.85, 0.74};

/// Factor on the bandwidth of trees, by protocol and by power of two of the payload from 64 B.
inline constexpr std::array<std::array<double, 23>, 3> tree_correction = {
    {{1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
      0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0},
     {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
      0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0},
     {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
      0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9}}};

/// Bandwidth of one channel that the search tries, fastest first.
inline constexpr std::array intra_steps_hopper = {60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0, 11.0, 6.0, 3.0};
inline constexpr std::array intra_steps_blackwell = {90.0, 80.0, 70.0, 60.0, 50.0, 45.0, 40.0, 30.0,
                                                     24.0, 20.0, 19.0, 18.0, 15.0, 12.0, 6.0,  3.0};
inline constexpr std::array intra_steps_before = {40.0, 30.0, 20.0, 18.0, 15.0, 12.0, 10.0,
                                                  9.0,  7.0,  6.0,  5.0,  4.0,  3.0};
inline constexpr std::array inter_steps_hopper = {48.0, 45.0, 42.0, 40.0, 30.0, 24.0, 22.0, 20.0, 17.5,
                                                  15.0, 12.0, 6.0,  3.0,  2.4,  1.2,  0.24, 0.12};
inline constexpr std::array inter_steps_blackwell = {96.0, 86.0, 80.0, 48.0, 45.1, 42.0, 40.0, 30.0, 24.0, 22.0,
                                                     20.0, 17.5, 15.0, 12.0, 6.0,  3.0,  2.4,  1.2,  0.24, 0.12};
inline constexpr std::array inter_steps_before = {48.0, 30.0, 28.0, 24.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0,
                                                  7.0,  6.0,  5.0,  4.0,  3.0,  2.4,  1.2,  0.24, 0.12};

/// Share of the data sheet that NCCL counts NVLink with: 20.6 of 25 GB/s a link (Hopper), 20 of 25, 40.1 of 50.
inline constexpr std::array<double, 4> nvlink_share = {0.8, 0.8, 0.824, 0.802};
inline constexpr double pcie_share = 12.0 / 15.75;  ///< gen 3 x16
inline constexpr int most_channels = 64;
inline constexpr int most_nvls_heads = 32;
inline constexpr double splits_from = 25;         ///< channels from this bandwidth on are halved ...
inline constexpr double hopper_splits_from = 50;  ///< ... on Hopper only from this one on, or with few channels
inline constexpr int hopper_few_channels = 4;

}  // namespace clusterwright::nccl
