// SPDX-License-Identifier: Apache-2.0
#include "models/job/transport_parameters.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

std::map<std::string, TransportParameters> usual_transports() {
  const auto prior = [](double value, double error, const char* source) {
    return Sourced<double>{value, source, false, error};
  };
  return {
      {"roce",
       {prior(1.0, 0.05, "prior: two nodes of H100 reach the bus bandwidth of InfiniBand in published all-reduces"),
        prior(1.15, 0.15, "prior: Ethernet switches forward in 0.4 to 0.8 us, InfiniBand ones in 0.1 to 0.3")}},
      {"omni-path",
       {prior(0.8, 0.4,
              "prior: users differ by five, from a library that left three of four cards idle to training runs that "
              "hid their traffic"),
        prior(2, 0.8, "prior: messages go through host memory and cores")}},
      {"efa",
       {prior(0.88, 0.1, "prior: published all-reduces on EFA reach about 0.8 of the cards"),
        prior(2.5, 0.8, "prior: 15 to 25 us round trips of reliable datagrams")}},
      {"slingshot",
       {prior(0.92, 0.08, "prior: 23 of 25 GB/s per card in published point-to-point tests"),
        prior(1.5, 0.4, "prior: Ethernet switches, messages matched by the card")}},
      {"tcp-device",
       {prior(0.9, 0.08, "prior: one published sweep of two nodes, 318 of 400 GB/s at 2 GB"),
        prior(5, 1.5, "prior: small messages over TCP with device memory take five times those over InfiniBand")}}};
}

const Record<TransportParameters>& record(const TransportParameters*) {
  using P = TransportParameters;
  static const auto table =
      Record<P>("transport_parameters", "One network protocol relative to InfiniBand")
          .required(
              "bandwidth", &P::bandwidth,
              {.help = "share of the NIC data sheet, over that of InfiniBand", .min = 0, .max = 1.5, .above_min = true})
          .required("latency", &P::latency,
                    {.help = "latency of a step between nodes, over that of InfiniBand",
                     .min = 0,
                     .max = 100,
                     .above_min = true});
  return table;
}

}  // namespace clusterwright
