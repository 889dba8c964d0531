// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "sim/json_reader.hpp"
#include "tools/import/nccl_topology_reader.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_topology_bytes = 4u << 20;

Place place_at(const std::shared_ptr<const SourceText>& source, std::ptrdiff_t offset) {
  const std::size_t at = offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), source->text().size());
  return {source, at, 1, ""};
}

ConfigError no_topology(std::string message, Place place, std::string help) {
  return ConfigError({"E0101", std::move(message), {std::move(place)}, "", std::move(help)});
}

constexpr const char* how_to_get_one = "NCCL writes it where NCCL_TOPO_DUMP_FILE points when a job starts";

/// Entities and other files stay unread: pugixml knows no entities but XML's own, and a DOCTYPE is refused.
void parse(const std::shared_ptr<const SourceText>& source, pugi::xml_document& document) {
  if (source->text().size() > most_topology_bytes)
    throw ConfigError(
        {"E0501", fmt::format("larger than {} bytes", most_topology_bytes), {place_at(source, 0)}, "", ""});
  const unsigned options = pugi::parse_default | pugi::parse_doctype;
  const pugi::xml_parse_result result =
      document.load_buffer(source->text().data(), source->text().size(), options, pugi::encoding_utf8);
  if (!result) {
    throw no_topology(fmt::format("this is not well-formed XML ({})", result.description()),
                      place_at(source, result.offset), how_to_get_one);
  }
  for (const pugi::xml_node& node : document.children())
    if (node.type() == pugi::node_doctype)
      throw no_topology("a document type is not allowed", place_at(source, node.offset_debug()), "leave <!DOCTYPE out");
}

pugi::xml_node system_of(const std::shared_ptr<const SourceText>& source, const pugi::xml_document& document) {
  if (const pugi::xml_node system = document.child("system")) return system;
  if (const pugi::xml_node graphs = document.child("graphs"))
    throw no_topology("these are NCCL's graphs, not its topology", place_at(source, graphs.offset_debug()),
                      how_to_get_one);
  throw no_topology("the element <system> is missing", place_at(source, 0), how_to_get_one);
}

/// Bits per byte on the wire over 8: 8b/10b below 8 GT/s, then 128b/130b, then flits of 256 bytes with 242 of data.
double share_of_data(double gigatransfers_per_s) {
  if (gigatransfers_per_s < 8) return 0.8;
  return gigatransfers_per_s < 64 ? 128.0 / 130.0 : 242.0 / 256.0;
}

/// Switches that both are behind.
std::size_t common_switches(const PcieDevice& a, const PcieDevice& b) {
  const auto end = std::mismatch(a.switches.begin(), a.switches.end(), b.switches.begin(), b.switches.end());
  return static_cast<std::size_t>(end.first - a.switches.begin());
}

}  // namespace

BytesPerSecond PcieLink::rate() const {
  return gigatransfers_per_s * lanes * share_of_data(gigatransfers_per_s) * gigabit_per_second;
}

int TopologyGpu::links() const {
  int sum = switch_links;
  for (const auto& [peer, count] : peers) sum += count;
  return sum;
}

NearestNics nearest_nics(const NodeTopology& topology, std::size_t gpu) {
  const PcieDevice& from = topology.gpus.at(gpu).pcie;
  NearestNics out;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < topology.nics.size(); ++i) {
    const TopologyNic& nic = topology.nics[i];
    const std::size_t depth = nic.on_pcie ? common_switches(from, nic.pcie) : 0;
    const bool near = nic.on_pcie && nic.pcie.processor == from.processor;
    const NicDistance distance = depth > 0 ? NicDistance::same_switch
                                 : near    ? NicDistance::same_processor
                                           : NicDistance::between_processors;
    if (distance < out.distance || depth > deepest) out.nics.clear();
    if (distance > out.distance || depth < deepest) continue;
    out.distance = distance;
    deepest = depth;
    out.nics.push_back(i);
  }
  return out;
}

NodeTopology read_nccl_topology(const std::shared_ptr<const SourceText>& source) {
  pugi::xml_document document;
  parse(source, document);
  return NcclTopologyReader(source).read(system_of(source, document));
}

NodeTopology read_nccl_topology(const std::filesystem::path& path) {
  return read_nccl_topology(read_source(path, most_topology_bytes));
}

}  // namespace clusterwright
