// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm_time.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// 1 TFLOP/s, 1 TB/s and 100 multiprocessors of 10 GFLOP/s each.
const GemmDevice round_device{1 * teraflop_per_second, 1 * terabyte_per_second, 100};

/// Nothing but tiles and bytes: full efficiency, no overheads.
GemmParameters ideal() {
  GemmParameters parameters;
  parameters.efficiency.value = 1;
  parameters.bandwidth_share.value = 1;
  parameters.wave_share.value = 1;
  return parameters;
}

Seconds time_of(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters) {
  return gemm_time(shape, device, parameters, 2 * byte, 2 * byte, 1).time;
}

}  // namespace

TEST_CASE("an empty matrix multiply costs only its call", "[models]") {
  GemmParameters parameters = ideal();
  parameters.fixed.value = 4 * microsecond;
  const GemmTiming timing = gemm_time({0, 4096, 4096}, round_device, parameters, 2 * byte, 2 * byte, 1);
  CHECK(timing.time == Seconds{});
  CHECK(timing.fixed.in(microsecond) == Approx(4));
}

TEST_CASE("tiles that fill every multiprocessor reach the peak", "[models]") {
  // 10 x 10 tiles of 256 x 128: one wave on 100 multiprocessors. 2 x 2560 x 1280 x 4096 FLOPs at 1 TFLOP/s = 26.84 ms;
  // operands of 38 MB take 0.04 ms beside it.
  const GemmTiming timing = gemm_time({2560, 1280, 4096}, round_device, ideal(), 2 * byte, 2 * byte, 0);
  CHECK(timing.time.in(millisecond) == Approx(26.84).epsilon(1e-3));
  CHECK(timing.tensor_share == Approx(1).epsilon(1e-6));
}

TEST_CASE("a thin matrix multiply takes the time of reading its weights", "[models]") {
  // 16 x 8192 x 8192 on a 100 times faster device: 134 MB of weights at 1 TB/s = 134 us, compute 21 us.
  const GemmDevice fast{100 * teraflop_per_second, 1 * terabyte_per_second, 100};
  const GemmTiming timing = gemm_time({16, 8192, 8192}, fast, ideal(), 2 * byte, 2 * byte, 0);
  CHECK(timing.memory_time.in(microsecond) == Approx(134.7).epsilon(0.01));
  CHECK(timing.time.in(microsecond) == Approx(134.7).epsilon(0.02));
}

TEST_CASE("one tile too many costs a wave where splitting K is dear", "[models]") {
  GemmParameters parameters = ideal();
  parameters.tile_penalty.value = 0.5;  // small tiles do not pay
  parameters.k_overhead.value = 4096;   // nor do splits
  const Seconds full = time_of({2560, 1280, 4096}, round_device, parameters);
  const Seconds spilled = time_of({2561, 1280, 4096}, round_device, parameters);
  CHECK(spilled / full > 1.2);
}

TEST_CASE("a share of the idle places of the last wave costs", "[models]") {
  // 11 x 10 tiles of 256 x 128 on 100 multiprocessors: 2 waves of which 1.1 are filled. Half of the rest counts: 1.55.
  GemmParameters parameters = ideal();
  parameters.tile_penalty.value = 100;  // nothing but the largest tiles
  parameters.k_overhead.value = 1e5;    // no splits either
  const Seconds full = time_of({2560, 1280, 4096}, round_device, parameters);
  const GemmShape spilled{2816, 1280, 4096};
  CHECK(time_of(spilled, round_device, parameters) / full == Approx(2).epsilon(1e-3));
  parameters.wave_share.value = 0.5;
  CHECK(time_of(spilled, round_device, parameters) / full == Approx(1.55).epsilon(1e-3));
}

TEST_CASE("splitting K is chosen only where it saves more than it costs", "[models]") {
  GemmParameters dear = ideal();
  const GemmShape deep{64, 64, 65536};  // one tile of 64 x 64: without splits one multiprocessor works
  const Seconds free = time_of(deep, round_device, dear);
  dear.split.value = 1 * millisecond;
  CHECK((time_of(deep, round_device, dear) - free).in(millisecond) == Approx(1).epsilon(0.01));
  dear.split.value = 10 * second;
  CHECK(time_of(deep, round_device, dear) < 1 * second);  // then it is not split
}

TEST_CASE("problems of one launch fill waves together", "[models]") {
  // Each has 5 x 5 tiles; four of them are one wave, as long as one alone that leaves 75 places idle.
  GemmParameters parameters = ideal();
  parameters.tile_penalty.value = 100;
  parameters.split.value = 1 * second;
  const GemmShape alone{1280, 640, 4096, 1}, four{1280, 640, 4096, 4};
  CHECK(time_of(four, round_device, parameters) / time_of(alone, round_device, parameters) == Approx(1).epsilon(1e-3));
  CHECK(four.flops() == 4.0 * alone.flops());
  const GemmTiming both = gemm_time(four, round_device, parameters, 2 * byte, 2 * byte, 0);
  const GemmTiming one = gemm_time(alone, round_device, parameters, 2 * byte, 2 * byte, 0);
  CHECK(both.memory_time / one.memory_time == Approx(4));
}

TEST_CASE("narrow weights are read in less time than wide ones", "[models]") {
  // 1 x 8192 x 8192: almost nothing but weights.
  const GemmDevice fast{100 * teraflop_per_second, 1 * terabyte_per_second, 100};
  const auto reading = [&](Bytes weight) {
    return gemm_time({1, 8192, 8192}, fast, ideal(), {2 * byte, weight, 2 * byte}, 0).memory_time;
  };
  CHECK(reading(0.5 * byte) / reading(2 * byte) == Approx(0.25).epsilon(0.01));
}

TEST_CASE("a systolic array knows no waves but pads what does not fill it", "[models]") {
  const GemmDevice array{1 * teraflop_per_second, 1000 * terabyte_per_second, 0};
  // 2 x 1280 x 1280 x 1280 FLOPs at 1 TFLOP/s = 4.19 ms, whatever the number of tiles.
  CHECK(time_of({1280, 1280, 1280}, array, ideal()).in(millisecond) == Approx(4.194).epsilon(1e-3));
  CHECK(time_of({1290, 1280, 1280}, array, ideal()).in(millisecond) == Approx(4.194 * 1290 / 1280).epsilon(1e-3));
  CHECK(time_of({1280, 1281, 1280}, array, ideal()) / time_of({1280, 1408, 1280}, array, ideal()) == Approx(1));
  const GemmTiming few = gemm_time({8, 1280, 1280}, array, ideal(), 2 * byte, 2 * byte, 0);
  CHECK(few.time.in(microsecond) == Approx(419.4).epsilon(1e-3));  // as long as 128 rows
}

TEST_CASE("rows that are no multiple of 16 bytes keep kernels from the full rate", "[models]") {
  GemmParameters aligned = ideal(), parameters = ideal();
  aligned.unaligned_factor.value = aligned.unaligned_output_factor.value = 1;
  parameters.unaligned_factor.value = 0.25;
  parameters.unaligned_output_factor.value = 0.125;
  const auto slowdown = [&](const GemmShape& shape, Bytes element) {
    const auto time = [&](const GemmParameters& p) {
      return gemm_time(shape, round_device, p, element, 2 * byte, 0).time;
    };
    return time(parameters) / time(aligned);
  };
  CHECK(slowdown({8001, 8000, 8000}, 2 * byte) == Approx(1));  // rows of A and B are whole
  CHECK(slowdown({8000, 8001, 8000}, 2 * byte) == Approx(4).epsilon(0.01));
  CHECK(slowdown({8000, 8000, 8001}, 2 * byte) == Approx(4).epsilon(0.01));
  CHECK(slowdown({8000, 8008, 8000}, 2 * byte) == Approx(1));  // 16,016 bytes
  CHECK(slowdown({8000, 8000, 8008}, 1 * byte) == Approx(4).epsilon(0.01));
  CHECK(slowdown({8000, 8008, 8000}, 1 * byte) == Approx(1));  // only C has rows of 8,008, in 16 bit
  CHECK(slowdown({8000, 8004, 8000}, 1 * byte) == Approx(8).epsilon(0.01));
  CHECK(slowdown({8000, 8001, 8000, 1, GemmLayout::transposed_b}, 2 * byte) == Approx(8).epsilon(0.01));
  const GemmDevice array{round_device.peak, round_device.memory_bandwidth, 0};
  CHECK(time_of({8000, 8001, 8000}, array, parameters) == time_of({8000, 8001, 8000}, array, ideal()));
}

TEST_CASE("a weight gradient is aligned along its widths, whatever the number of tokens", "[models]") {
  GemmParameters aligned = ideal(), parameters = ideal();
  aligned.unaligned_factor.value = aligned.unaligned_output_factor.value = 1;
  parameters.unaligned_factor.value = parameters.unaligned_output_factor.value = 0.25;
  const auto slowdown = [&](const GemmShape& shape, Bytes element) {
    const auto time = [&](const GemmParameters& p) {
      return gemm_time(shape, round_device, p, element, 2 * byte, 0).time;
    };
    return time(parameters) / time(aligned);
  };
  const GemmLayout gradient = GemmLayout::transposed_a;
  // dW[4096, 1024] over 8,190 tokens: rows of 4,096, 1,024 and 1,024 elements, all whole 16 bytes.
  CHECK(slowdown({4096, 1024, 8190, 1, gradient}, 2 * byte) == Approx(1));
  CHECK(slowdown({4097, 1024, 8192, 1, gradient}, 2 * byte) == Approx(4).epsilon(0.02));
  CHECK(slowdown({4096, 1025, 8192, 1, gradient}, 2 * byte) == Approx(4).epsilon(0.02));
  // y[tokens, 1024] = x[tokens, 4096] W[1024, 4096]: x and W along 4,096, y along 1,024.
  CHECK(slowdown({8190, 1024, 4096, 1, GemmLayout::transposed_b}, 2 * byte) == Approx(1));
  CHECK(slowdown({8192, 1025, 4096, 1, GemmLayout::transposed_b}, 2 * byte) == Approx(4).epsilon(0.02));
}

TEST_CASE("8-bit weight gradients count tokens in whole 16 bytes", "[models]") {
  const auto time = [](std::int64_t tokens) {
    return gemm_time({4096, 1024, tokens, 1, GemmLayout::transposed_a}, round_device, ideal(), 1 * byte, 2 * byte, 0)
        .time;
  };
  CHECK(time(8177) / time(8192) == Approx(1).epsilon(1e-3));  // ceil(8177 / 16) * 16 = 8192
  CHECK(time(8176) < time(8177));
}

TEST_CASE("only kernels beyond one teraflop lose clock, fully from 100", "[models]") {
  GemmParameters lossy = ideal();
  lossy.long_kernel_loss.value = 0.2;
  const auto slowdown = [&](const GemmShape& shape) {
    return time_of(shape, round_device, lossy) / time_of(shape, round_device, ideal());
  };
  CHECK(slowdown({5000, 10000, 10000}) == Approx(1.0));     // 1 TFLOP
  CHECK(slowdown({50000, 10000, 10000}) == Approx(1.1));    // 10 TFLOP: one of two decades
  CHECK(slowdown({5000000, 10000, 10000}) == Approx(1.2));  // 1000 TFLOP
}

TEST_CASE("quantising A reads and writes it once more", "[models]") {
  GemmParameters parameters = ideal();
  parameters.cast_bytes.value = 3;
  parameters.cast_fixed.value = 2 * microsecond;
  // 1000 x 2000 elements of A at 3 bytes = 6 MB at 1 TB/s = 6 us, and 2 us per call.
  CHECK(quantisation_time({1000, 500, 2000}, round_device, parameters).in(microsecond) == Approx(8));
}

TEST_CASE("a better device is never slower and a larger problem never faster", "[models][laws]") {
  GemmParameters parameters = ideal();
  parameters.efficiency.value = 0.8;
  parameters.tile_penalty.value = 0.1;
  parameters.k_overhead.value = 100;
  const GemmDevice more_bandwidth{round_device.peak, 2 * round_device.memory_bandwidth, 100};
  const GemmDevice more_peak{2 * round_device.peak, round_device.memory_bandwidth, 100};
  for (const std::int64_t m : {1, 17, 500, 1024, 3000, 8192})
    for (const std::int64_t n : {64, 1000, 4096})
      for (const std::int64_t k : {128, 4096}) {
        const Seconds base = time_of({m, n, k}, round_device, parameters);
        CHECK(time_of({m, n, k}, more_bandwidth, parameters) <= base);
        CHECK(time_of({m, n, k}, more_peak, parameters) <= base);
        CHECK(time_of({m + 64, n, k}, round_device, parameters) >= base);
        CHECK(time_of({m, n + 64, k}, round_device, parameters) >= base);
        CHECK(time_of({m, n, 2 * k}, round_device, parameters) >= base);
      }
}

TEST_CASE("groups of unequal rows fill half a tile more each", "[models]") {
  GemmParameters parameters = ideal();
  parameters.wave_share.value = 0;  // part of a wave costs its part
  GemmShape shape{512, 1280, 4096, 100, GemmLayout::plain, 0, true};
  const Seconds equal = time_of(shape, round_device, parameters);
  shape.row_deviation = 300;  // 2.5 tiles of 256 instead of 2
  CHECK(time_of(shape, round_device, parameters) / equal == Approx(1.25).epsilon(1e-3));
  shape.row_deviation = 5;  // one in two groups has more than 512 rows
  CHECK(time_of(shape, round_device, parameters) / equal == Approx(1.25).epsilon(1e-3));
  shape.m = 480;  // hardly any has
  CHECK(time_of(shape, round_device, parameters) / equal == Approx(1).epsilon(1e-3));
  shape.m = 16;  // every expert has some
  shape.row_deviation = 4;
  CHECK(time_of(shape, round_device, parameters) / equal == Approx(0.5).epsilon(0.05));
}

TEST_CASE("separate launches for unequal groups choose their own tiles", "[models]") {
  GemmParameters parameters = ideal();
  parameters.wave_share.value = 0;
  GemmShape shape{512, 1280, 4096, 100, GemmLayout::plain, 300, true};
  const Seconds shared = time_of(shape, round_device, parameters);
  shape.one_launch = false;
  CHECK(time_of(shape, round_device, parameters) / shared == Approx((512 / 16.0 + 0.5) * 16 / 640).epsilon(1e-3));
}

TEST_CASE("grouped gradients of weights write each result before the next tile", "[models]") {
  GemmParameters parameters = ideal();
  parameters.wave_share.value = 0;
  parameters.k_overhead.value = 150;
  GemmShape shape{4096, 14336, 512, 8, GemmLayout::transposed_a, 0, false};
  const Seconds apart = time_of(shape, round_device, parameters);
  shape.one_launch = true;
  CHECK(time_of(shape, round_device, parameters) / apart == Approx((512 + 270.0) / (512 + 150)).epsilon(1e-3));
}
