// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_layout.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Layers of every chunk along the model.
std::vector<int> chunk_layers(const StageLayout& layout) {
  std::vector<int> layers;
  for (int chunk = 0; chunk < layout.chunks(); ++chunk)
    for (int stage = 0; stage < layout.stages(); ++stage) layers.push_back(layout.at(stage, chunk).layers);
  return layers;
}

}  // namespace

TEST_CASE("one stage holds everything", "[models]") {
  const StageLayout layout(7, 1, 1);
  CHECK(layout.layers_on(0) == 7);
  CHECK(layout.at(0, 0).embedding);
  CHECK(layout.at(0, 0).head);
}

TEST_CASE("layers that divide are split evenly", "[models]") {
  CHECK(chunk_layers(StageLayout(80, 4, 1)) == std::vector<int>{20, 20, 20, 20});
  CHECK(chunk_layers(StageLayout(8, 2, 2)) == std::vector<int>{2, 2, 2, 2});
}

TEST_CASE("126 layers on 16 stages of 8 chunks: the first and the last chunk hold one less", "[models]") {
  std::vector<int> expected(128, 1);
  expected.front() = expected.back() = 0;
  const StageLayout layout(126, 16, 8);
  CHECK(chunk_layers(layout) == expected);
  CHECK(layout.layers_on(0) == 7);
  CHECK(layout.layers_on(7) == 8);
  CHECK(layout.layers_on(15) == 7);
  CHECK(chunk_layers(StageLayout(126, 16, 1)) == std::vector<int>{7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7});
}

TEST_CASE("a remainder goes to the middle", "[models]") {
  // 10 layers, embedding and head in 5 chunks: 2 each, and 2 more for the chunks in the middle.
  CHECK(chunk_layers(StageLayout(10, 5, 1)) == std::vector<int>{2, 2, 2, 2, 2});
  CHECK(chunk_layers(StageLayout(11, 5, 1)) == std::vector<int>{1, 3, 3, 3, 1});
  CHECK(chunk_layers(StageLayout(12, 5, 1)) == std::vector<int>{2, 3, 3, 3, 1});
}

TEST_CASE("embedding and head sit at the ends of the model only", "[models]") {
  const StageLayout layout(16, 4, 2);
  int embeddings = 0, heads = 0;
  for (int stage = 0; stage < 4; ++stage)
    for (int chunk = 0; chunk < 2; ++chunk) {
      embeddings += layout.at(stage, chunk).embedding;
      heads += layout.at(stage, chunk).head;
    }
  CHECK(embeddings == 1);
  CHECK(heads == 1);
  CHECK(layout.at(0, 0).embedding);
  CHECK(layout.at(3, 1).head);
}

TEST_CASE("no layer is lost, none is negative, and chunks differ by at most two", "[models]") {
  for (int layers = 1; layers <= 40; ++layers)
    for (int stages = 1; stages <= layers; ++stages)
      for (int chunks = 1; chunks * stages <= layers + 2 && (stages > 1 || chunks == 1); ++chunks) {
        const StageLayout layout(layers, stages, chunks);
        const std::vector<int> held = chunk_layers(layout);
        int sum = 0;
        for (int stage = 0; stage < stages; ++stage) sum += layout.layers_on(stage);
        INFO(layers << " layers on " << stages << " x " << chunks);
        REQUIRE(sum == layers);
        const auto [least, most] = std::minmax_element(held.begin(), held.end());
        REQUIRE(*least >= 0);
        REQUIRE(*most - *least <= 2);
        if (splits_evenly(layers, stages * chunks)) REQUIRE(*most - *least <= 1);
      }
}
