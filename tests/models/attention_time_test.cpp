// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention_time.hpp"

#include <algorithm>
#include <cmath>

#include "models/job/parameters.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 8 multiprocessors of 1e9 clocks a second, 1e12 FLOP/s together, 1e9 B/s of memory.
const AttentionDevice device{1e12 * flop / second, 1e9 * byte / second, 8, 1e9};

/// Multiplies at half the peak, and nothing else.
AttentionParameters multiplies_only() {
  AttentionParameters out;
  out.forward_efficiency.value = out.backward_efficiency.value = 0.5;
  out.executed_share.value = 0.5;
  out.block_queries.value = 0;
  return out;
}

/// 2 sequences of 1,024 tokens under a causal mask, 4 heads of 64.
AttentionShape causal() {
  return {2, 1024, 1024, 0.5, 4, 64, 64, true};
}

double seconds_of_on(const AttentionShape& shape, const AttentionParameters& parameters, const AttentionDevice& on) {
  return attention_time(shape, parameters, on).time().in(second);
}

double seconds_of(const AttentionShape& shape, const AttentionParameters& parameters) {
  return seconds_of_on(shape, parameters, device);
}

}  // namespace

TEST_CASE("multiplies take the FLOPs under the mask", "[models]") {
  AttentionShape shape = causal();
  const double flops = 2 * 4 * 1024.0 * 512 * 4 * 64;  // 2 x 4 heads, 512 keys in the mean, 2 multiplies of 2 x 64
  CHECK(attention_time(shape, multiplies_only(), device).flops.in(flop) == Approx(flops));
  CHECK(seconds_of(shape, multiplies_only()) == Approx(flops / 0.5e12));
  shape.forward = false;
  CHECK(seconds_of(shape, multiplies_only()) == Approx(2.5 * flops / 0.5e12));
}

TEST_CASE("exponentials run beside the multiplies: between the longer of both and their sum", "[models]") {
  for (const bool forward : {true, false})
    for (const double width : {16.0, 64.0, 512.0}) {
      AttentionParameters parameters = multiplies_only();
      (forward ? parameters.score_clocks : parameters.score_clocks_backward).value = 4;
      AttentionShape shape = causal();
      shape.key_width = shape.value_width = width, shape.forward = forward;
      const double exponentials = 2 * 4 * 1024.0 * 512 * 4 / 8e9, multiplies = seconds_of(shape, multiplies_only());
      const double together = std::cbrt(std::pow(exponentials, 3) + std::pow(multiplies, 3));
      CHECK(seconds_of(shape, parameters) == Approx(together));
      CHECK(together > std::max(exponentials, multiplies));
      CHECK(together < exponentials + multiplies);
      CHECK(attention_time(shape, parameters, device).multiplies.in(second) == Approx(multiplies));
    }
}

TEST_CASE("a part with twice the exponentials in a clock gains in the forward pass alone", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.score_clocks.value = parameters.score_clocks_backward.value = 4;
  AttentionDevice ultra = device;
  ultra.exponentials_per_clock = 32;
  AttentionParameters half = parameters;
  half.score_clocks.value = 2;
  AttentionShape shape = causal();
  CHECK(seconds_of_on(shape, parameters, ultra) == Approx(seconds_of(shape, half)));
  CHECK(seconds_of_on(shape, parameters, ultra) < seconds_of(shape, parameters));
  shape.forward = false;
  CHECK(seconds_of_on(shape, parameters, ultra) == seconds_of(shape, parameters));
}

TEST_CASE("a block of queries meets each edge of the mask whole, and has a prologue", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.block_queries.value = 128;
  const double plain = seconds_of(causal(), multiplies_only());
  CHECK(seconds_of(causal(), parameters) == Approx(plain * (512 + 64) / 512));
  AttentionShape window = causal();
  window.edges = 2;
  CHECK(seconds_of(window, parameters) == Approx(plain * (512 + 128) / 512));
  // A key takes 4 x 64 FLOP at 62.5 FLOP in a clock and multiprocessor.
  parameters.block_clocks.value = 100 * 128 * 256 / 62.5;
  parameters.block_clocks_backward.value = 40 * 128 * 640 / 62.5;
  CHECK(seconds_of(causal(), parameters) == Approx(plain * (512 + 64 + 100) / 512));
  AttentionShape backward = causal();
  backward.forward = false;
  CHECK(seconds_of(backward, parameters) == Approx(2.5 * plain * (512 + 64 + 40) / 512));
  AttentionShape odd = causal();
  odd.queries = 1000;  // the eighth block is not full
  CHECK(seconds_of(odd, parameters) == Approx(seconds_of(causal(), parameters)));
  AttentionShape whole = causal();
  whole.share = 1;
  CHECK(seconds_of(whole, parameters) == Approx(plain * (1024 + 100) / 512));
}

TEST_CASE("the last blocks run alone", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.block_queries.value = 128;
  const double busy = seconds_of(causal(), parameters);
  parameters.tail_share.value = 0.5;
  const double rounds = 64 / 8.0 * (512 + 64) / 1024;  // 2 x 4 x 8 blocks on 8 multiprocessors
  CHECK(seconds_of(causal(), parameters) == Approx(busy * (rounds + 0.5) / rounds));
  AttentionShape one = causal();
  one.sequences = one.heads = 1;  // 8 blocks, one each: as long as the longest, though the mean is half of it
  CHECK(seconds_of(one, parameters) == Approx(busy / 8 / (rounds / 8) * std::max(1.0, rounds / 8 + 0.5)));
  AttentionShape alike = causal();
  alike.share = 1;
  CHECK(seconds_of(alike, parameters) == Approx(busy * 1024 / (512 + 64)));  // eight full rounds leave nobody idle
}

TEST_CASE("rows of the backward pass go through memory", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.row_bytes_backward.value = 10;
  AttentionShape shape = causal();
  CHECK(seconds_of(shape, parameters) == seconds_of(shape, multiplies_only()));
  shape.forward = false;
  CHECK(seconds_of(shape, parameters) - seconds_of(shape, multiplies_only()) == Approx(2 * 4 * 1024.0 * 64 * 10 / 1e9));
}

TEST_CASE("nothing to attend to takes no time", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.block_queries.value = 128, parameters.tail_share.value = 0.5, parameters.score_clocks.value = 0.1;
  for (double AttentionShape::*field :
       {&AttentionShape::sequences, &AttentionShape::queries, &AttentionShape::keys, &AttentionShape::heads}) {
    AttentionShape shape = causal();
    shape.*field = 0;
    CHECK(seconds_of(shape, parameters) == 0);
  }
}

TEST_CASE("a few large arrays are no multiprocessors", "[models]") {
  AcceleratorPart part;
  part.peak_dense_tflops["bf16"] = {1000 * teraflop_per_second, "test"};
  part.boost_mhz = Sourced<double>{1000, "test"};
  part.multiprocessors = Sourced<int>{100, "test"};  // 10,000 FLOP in a clock
  CHECK(attention_device(part, device.traffic).multiprocessors == 100);
  part.multiprocessors = Sourced<int>{8, "test"};  // 125,000
  CHECK(attention_device(part, device.traffic).multiprocessors == 0);
  part.boost_mhz.reset();
  part.multiprocessors = Sourced<int>{132, "test"};
  const AttentionDevice usual = attention_device(part, device.traffic);
  CHECK(usual.multiprocessors == 132);
  CHECK(usual.clocks_per_second == 0);
}

TEST_CASE("scores in memory: kernels between the multiplies move them, and each multiply moves them once", "[models]") {
  AttentionParameters parameters = multiplies_only();
  parameters.executed_share.value = 1;
  parameters.score_bytes_forward.value = 10;
  parameters.score_bytes_backward.value = 15;
  const double scores = 2 * 4 * 1024.0 * 1024;
  for (const bool forward : {true, false}) {
    AttentionShape shape = causal();
    shape.forward = forward;
    const double multiplies = forward ? 2 : 4;  // scores are kept, so that none is computed again
    const double between = scores * (forward ? 10 : 15) / 1e9, moved = scores * 2 * multiplies / 1e9;
    const double computed = scores * multiplies * 2 * 64 / 0.5e12;
    CHECK(moved > computed);  // 2 B a score at 1e9 B/s, 128 FLOP at 0.5e12
    CHECK(seconds_of(shape, parameters) == Approx(moved + between));
    shape.key_width = shape.value_width = 1024;
    CHECK(seconds_of(shape, parameters) == Approx(computed * 16 + between));
  }
}

TEST_CASE("unfused attention takes what Korthikanti et al. measured for a layer of 22B", "[models]") {
  // Table 4: a backward pass of 11.9 ms takes 13.2 ms if attention is computed again; 8 heads of 96 on one A100.
  const auto parameters = decode_record<ParameterSet>(read_json_file(configs / "parameters" / "a100-80-sxm.json"));
  const AttentionDevice a100{312e12 * flop / second, 1.6e12 * byte / second, 108, 1.41e9};
  const AttentionShape shape{4, 2048, 2048, 0.5, 8, 96, 96, true};
  CHECK(seconds_of_on(shape, parameters.attention.at("unfused"), a100) == Approx(1.3e-3).epsilon(0.1));
}
