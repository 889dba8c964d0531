// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/cable_tally.hpp"
#include "sim/plain_number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

std::string kind_word(const LinkParts& parts) {
  if (parts.lower_module) return "fibre";
  switch (*parts.cable->kind) {
    case CableKind::active_copper:
      return "active copper";
    case CableKind::active_optical:
      return "active optical";
    default:
      return "copper";
  }
}

bool same(const LinkParts& one, const LinkParts& other) {
  return one.cable == other.cable && one.lower_module == other.lower_module && one.upper_module == other.upper_module;
}

}  // namespace

int whole_parts(int links, const CablePart& part) {
  return (links + part.links - 1) / part.links;
}

CableTally::CableTally(const Catalog& catalog, const ServicesSpec& services, const CableRouter& router, bool keep_runs)
    : catalog_(catalog),
      services_(services),
      router_(router),
      keep_runs_(keep_runs),
      links_(catalog, services.reach_margin) {}

LinkClass CableTally::link_class(const std::string& network, const std::string& name, BytesPerSecond rate) const {
  LinkClass out{network, name, rate, nullptr, {}, {}};
  const auto found = services_.cables.find(name);
  if (found != services_.cables.end()) out.named = catalog_.find_cable(found->second);
  return out;
}

void CableTally::add(LinkClass& link, Plug lower, Plug upper) {
  const Meters routed = router_.length(lower.at, upper.at);
  const Meters bought = length_on_sale(routed);
  const CableTotalId total = total_of(link, lower.end, upper.end, bought);
  CableTotal& sum = totals_[total];
  ++sum.links;
  LengthBin& bin = lengths_[total][bought.in(meter)];
  ++bin.links;
  sum.longest = std::max(sum.longest, routed);
  const BundledLink self{bought, runs_.size()};
  if (keep_runs_) runs_.push_back({total, lower.at, upper.at, routed, bought});
  const LinkParts& parts = link.parts[total];
  if (!parts.cable) return;
  if (parts.cable->kind == CableKind::active_copper || parts.cable->kind == CableKind::active_optical) {
    if (lower.modules) plug_in(parts.cable, lower);
    if (upper.modules) plug_in(parts.cable, upper);
  }
  if (parts.lower_module) {
    plug_in(parts.lower_module, lower);
    plug_in(parts.upper_module, upper);
  }
  if (parts.lower_module || parts.cable->links == 1)
    add_piece(total, bought, &self, &self + 1);
  else
    bundles_[{total, lower.device, upper.device}].push_back(self);
}

void CableTally::add_piece(CableTotalId total, Meters bought, const BundledLink* first, const BundledLink* last) {
  ++totals_[total].cables;
  ++lengths_[total][bought.in(meter)].cables;
  if (!keep_runs_) return;
  CablePiece& piece = pieces_.emplace_back();
  piece.total = total;
  piece.bought = bought;
  for (; first != last; ++first) piece.runs.push_back(first->run);
}

/// Cables of the links between two devices, the longest links first: a cable is as long as the longest of its links.
void CableTally::cut_bundle(CableTotalId total, std::vector<BundledLink> links) {
  std::stable_sort(links.begin(), links.end(),
                   [](const BundledLink& one, const BundledLink& other) { return one.bought > other.bought; });
  const auto each = static_cast<std::size_t>(catalog_.find_cable(totals_[total].part)->links);
  for (std::size_t at = 0; at < links.size(); at += each)
    add_piece(total, links[at].bought, links.data() + at, links.data() + std::min(links.size(), at + each));
}

/// Total that a link belongs to, by its class and parts.
CableTotalId CableTally::total_of(LinkClass& link, LinkEnd lower, LinkEnd upper, Meters length) {
  LinkParts parts;
  if (link.named) {
    parts = links_.with_named(*link.named, link.rate, lower, upper).value_or(LinkParts{});
  } else if (const LinkParts* found = links_.choose(link.rate, lower, upper, length)) {
    parts = *found;
  }
  for (const CableTotalId total : link.totals)
    if (same(link.parts[total], parts)) return total;
  CableTotal sum;
  sum.network = link.network;
  sum.link = link.name;
  sum.rate = link.rate;
  if (parts.cable) {
    sum.part = parts.cable->id;
    sum.kind = kind_word(parts);
    if (parts.lower_module) sum.lower_module = parts.lower_module->id;
    if (parts.upper_module) sum.upper_module = parts.upper_module->id;
  }
  const CableTotalId total = totals_.push_back(std::move(sum));
  lengths_.push_back({});
  link.totals.push_back(total);
  link.parts.emplace(total, parts);
  return total;
}

void CableTally::judge(const LinkClass& link, std::vector<SiteVerdict>& verdicts) const {
  const std::string name = fmt::format("{} cables of the {} network", link.name, link.network);
  for (const CableTotalId total : link.totals) {
    const CableTotal& sum = totals_[total];
    if (!link.parts.at(total).cable) {
      const std::string what =
          link.named ? link.named->id + " does not carry" : std::string("no cable in the catalog carries");
      verdicts.push_back({name, false,
                          fmt::format("{} {} Gbit/s over {:.1f} m", what,
                                      plain_number(link.rate.in(gigabit_per_second)), sum.longest.in(meter)),
                          "facility.services.cables, or parts.cables of the cluster"});
    } else if (link.named) {
      const Meters reach = link.named->reach ? link.named->reach->value : Meters{};
      const double margin = services_.reach_margin;
      verdicts.push_back(
          {name, reach >= (1 + margin) * sum.longest,
           fmt::format("{} reaches {:.4g} m; the longest link is {:.1f} m long{}", link.named->id, reach.in(meter),
                       sum.longest.in(meter), margin > 0 ? fmt::format(" and needs {:.0f} % more", 100 * margin) : ""),
           fmt::format("facility.services.cables.{}", link.name)});
    }
  }
}

void CableTally::plug_in(const CablePart* part, Plug& plug) {
  if (!plug.modules) {
    ++in_nodes_[part];
    return;
  }
  const auto known = std::find_if(plug.modules->begin(), plug.modules->end(),
                                  [&](const auto& content) { return content.first == part; });
  if (known == plug.modules->end())
    plug.modules->emplace_back(part, 1);
  else
    ++known->second;
}

std::vector<CableTotal> CableTally::take_totals() {
  for (auto& [bundle, links] : bundles_) cut_bundle(std::get<0>(bundle), std::move(links));
  for (std::size_t index = 0; index < totals_.size(); ++index) {
    const CableTotalId total(index);
    for (const auto& [length, bin] : lengths_[total])
      totals_[total].lengths.push_back({length * meter, bin.links, bin.cables});
  }
  return totals_.items();
}

std::vector<TransceiverTotal> CableTally::transceivers(const std::vector<std::vector<CageContents>>& cages) const {
  std::map<std::string, long long> counts;
  for (const auto& [part, links] : in_nodes_) counts[part->id] += links;
  for (const auto& network : cages)
    for (const CageContents& contents : network)
      for (const auto& [part, links] : contents)
        if (part->kind == CableKind::module) counts[part->id] += whole_parts(links, *part);
  std::vector<TransceiverTotal> out;
  for (const auto& [part, count] : counts) out.push_back({part, count});
  return out;
}

}  // namespace clusterwright
