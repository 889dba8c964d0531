// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/streaming_time.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

MemoryParameters memory() {
  MemoryParameters out;
  out.bandwidth_share.value = 0.8;
  out.read_share.value = 0.9;
  out.half_size.value = 2 * megabyte;
  return out;
}

}  // namespace

TEST_CASE("the share of memory bandwidth lies on a line over the share of writes", "[models]") {
  CHECK(streaming_share(0, memory()) == 0.9);             // to the last bit
  CHECK(streaming_share(usual_writes, memory()) == 0.8);  // to the last bit
  CHECK(streaming_share(0.2, memory()) == Approx(0.85));
  CHECK(streaming_share(0.5, memory()) == Approx(0.775));  // 0.9 - 0.1 x 0.5 / 0.4
  CHECK(streaming_share(1, memory()) == Approx(0.65));
}

TEST_CASE("a streaming kernel takes its bytes and those of its start at the share of the data sheet", "[models]") {
  const BytesPerSecond sheet = 1 * terabyte_per_second;
  // (38 + 2) MB at 0.8 TB/s = 50 us; reads alone at 0.9 TB/s
  CHECK(streaming_time(38 * megabyte, usual_writes, sheet, memory()).in(microsecond) == Approx(50));
  CHECK(streaming_time(34 * megabyte, 0, sheet, memory()).in(microsecond) == Approx(40));
  CHECK(streaming_time(Bytes{}, usual_writes, sheet, memory()).in(microsecond) == Approx(2.5));
  // At the half size, half of the large-transfer rate.
  const Bytes half = memory().half_size.value;
  CHECK(half / streaming_time(half, 0.3, sheet, memory()) / streaming_rate(0.3, sheet, memory()) == Approx(0.5));
}
