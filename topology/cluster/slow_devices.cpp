// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/slow_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "sim/diagnostic.hpp"
#include "sim/plain_number.hpp"
#include "sim/split_mix.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr const char* slow_help = "write node:5%, 16xgpu:3% or node.12:5%: what is slow, and by how much";

[[noreturn]] void refuse_slow(const std::string& text, std::string what, std::string help = slow_help) {
  throw ConfigError({Diagnostic{"E0336", std::move(what), {option_place("--slow", text)}, "", std::move(help)}});
}

/// Takes a number off the front of a text.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Accelerators of the machine by device, those of the first ranks of the job. Where the job fills its machine, a
/// smaller job has a smaller machine: its nodes are the first ones, whatever their order.
std::map<int, std::vector<int>> devices_of(const SlowWish& wish, const Cluster& cluster, int among) {
  DomainBlocks blocks = cluster.blocks;
  const bool fills = cluster.machine_nodes() == cluster.nodes();
  if (fills && among < blocks.accelerators) blocks.places.reset();
  std::map<int, std::vector<int>> devices;
  for (int rank = 0; rank < among; ++rank) {
    const int accelerator = static_cast<int>(blocks.accelerator(rank).value);
    devices[wish.node ? accelerator / cluster.node_accelerators : accelerator].push_back(accelerator);
  }
  return devices;
}

/// Slows devices that neither the cluster nor an earlier wish slows.
class SlowDrawer {
 public:
  SlowDrawer(const Cluster& cluster, int among, std::uint64_t seed) : cluster_(cluster), among_(among), draws_(seed) {
    for (const SlowAcceleratorSpec& slow : cluster.spec.slow) taken_.insert(slow.accelerator);
  }

  void add_given(const SlowWish& wish) {
    const auto devices = free_devices(wish);
    const auto found = devices.find(*wish.number);
    if (found == devices.end())
      refuse_slow(wish.text,
                  fmt::format("the job does not use {} {}, or it is slow already", wish.node ? "node" : "accelerator",
                              *wish.number),
                  "nodes and accelerators are numbered from 0; each can be slow once");
    slow_down(found->second, wish);
  }

  void draw(const SlowWish& wish) {
    auto devices = free_devices(wish);
    if (wish.count > static_cast<int>(devices.size()))
      refuse_slow(
          wish.text,
          fmt::format("{} {}{} cannot be slow, the job has {}{}", wish.count, wish.node ? "node" : "accelerator",
                      wish.count == 1 ? "" : "s", devices.size(), taken_.empty() ? "" : " others"),
          "name fewer");
    for (int i = 0; i < wish.count; ++i) {
      const auto drawn = std::next(devices.begin(), static_cast<long>(draws_.below(devices.size())));
      slow_down(drawn->second, wish);
      devices.erase(drawn);
    }
  }

  std::vector<SlowAcceleratorSpec> slow() && { return std::move(slow_); }

 private:
  std::map<int, std::vector<int>> free_devices(const SlowWish& wish) const {
    std::map<int, std::vector<int>> devices = devices_of(wish, cluster_, among_);
    std::erase_if(devices, [&](const auto& device) {
      return std::ranges::any_of(device.second, [&](int accelerator) { return taken_.contains(accelerator); });
    });
    return devices;
  }

  void slow_down(const std::vector<int>& accelerators, const SlowWish& wish) {
    if (const Watts least = least_power_limit(cluster_.accelerator); wish.power_limit && *wish.power_limit < least)
      refuse_slow(wish.text,
                  fmt::format("{} takes no limit below {} W", cluster_.accelerator.id, plain_number(least.in(watt))));
    const std::optional<double> clock = wish.power_limit ? std::nullopt : std::optional(wish.relative_clock);
    for (const int accelerator : accelerators) {
      slow_.push_back({accelerator, {}, clock, wish.power_limit});
      taken_.insert(accelerator);
    }
  }

  const Cluster& cluster_;
  int among_;
  SplitMix draws_;
  std::set<int> taken_;
  std::vector<SlowAcceleratorSpec> slow_;
};

/// Takes "16x", "node" or "gpu", and ".12" off the front. @return whether that is all right
bool take_devices(std::string_view& text, SlowWish& wish) {
  if (const auto count = take_number<int>(text)) {
    wish.count = *count;
    if (wish.count < 1 || !take_word(text, "x")) return false;
  }
  wish.node = take_word(text, "node");
  if (!wish.node && !take_word(text, "gpu")) return false;
  if (!take_word(text, ".")) return true;
  wish.number = take_number<int>(text);
  return wish.number && *wish.number >= 0 && wish.count == 1;
}

}  // namespace

SlowWish parse_slow(const std::string& text) {
  std::string_view rest = text;
  SlowWish wish;
  wish.text = text;
  const bool devices = take_devices(rest, wish);
  const bool separated = take_word(rest, ":");
  const auto percent = take_number<double>(rest);
  if (!devices || !separated || !percent || (rest != "%" && rest != "W"))
    refuse_slow(text, fmt::format("cannot read \"{}\"", text));
  if (rest == "W") {
    wish.power_limit = *percent * watt;
    if (!(*percent > 0)) refuse_slow(text, "a power limit must be above 0 W");
    return wish;
  }
  if (!(*percent > 0 && *percent <= 95))
    refuse_slow(text, fmt::format("must be above 0 % and at most 95 % (got {} %)", *percent));
  wish.relative_clock = 1 - *percent / 100;
  return wish;
}

std::vector<SlowAcceleratorSpec> draw_slow(const std::vector<SlowWish>& wishes, const Cluster& cluster, int among,
                                           std::uint64_t seed) {
  SlowDrawer drawer(cluster, among, seed);
  for (const SlowWish& wish : wishes)  // first, as no draw may take what is named
    if (wish.number) drawer.add_given(wish);
  for (const SlowWish& wish : wishes)
    if (!wish.number) drawer.draw(wish);
  return std::move(drawer).slow();
}

}  // namespace clusterwright
