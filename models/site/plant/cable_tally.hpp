/// Sums links by class, parts and length, and counts what has to be bought for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/site/plant/floor_plan.hpp"
#include "models/site/plant/link_parts.hpp"

namespace clusterwright {

struct LengthBin {
  Meters length;  ///< as bought: the next larger one on sale
  long long links = 0;
};

/// Links of one class that are made of the same parts.
struct CableTotal {
  std::string network;
  std::string link;  ///< "node-leaf", "leaf-spine"
  std::string part;  ///< cable or fibre; empty where the catalog has none for the rate and distance
  std::string kind;  ///< "copper", "active copper", "active optical", "fibre"
  std::string lower_module, upper_module;  ///< transceivers at both ends of a fibre, else empty
  BytesPerSecond rate;                     ///< of one link, one direction
  long long links = 0;
  long long cables = 0;            ///< to buy: one may carry several links
  std::vector<LengthBin> lengths;  ///< ascending
  Meters longest;                  ///< as routed, not as bought
};

struct TransceiverTotal {
  std::string part;
  long long count = 0;
};

/// One end or both of a cable as routed: what laws check.
struct CableRun {
  std::size_t total = 0;         ///< which of the totals it belongs to
  std::size_t from = 0, to = 0;  ///< racks
  Meters routed;                 ///< along trays, with slack
  Meters bought;
};

/// Modules, and ends of active cables, in the cages of one switch or node: links by part.
using CageContents = std::vector<std::pair<const CablePart*, int>>;

/// One end of a link: where it is, what it ends in, and who counts the modules there.
struct Plug {
  Location at;
  LinkEnd end;
  CageContents* modules = nullptr;  ///< of a switch; null: a module for each link
  std::uint64_t device = 0;         ///< tells switches apart, and racks of nodes
};

/// Links of one class.
struct LinkClass {
  std::string network, name;
  BytesPerSecond rate;
  const CablePart* named = nullptr;        ///< that somebody wants for it
  std::vector<std::size_t> totals;         ///< that belong to it
  std::map<std::size_t, LinkParts> parts;  ///< by total
};

/// Cables or modules that so many links take.
int whole_parts(int links, const CablePart& part);

class CableTally {
 public:
  /// @param keep_runs  remember each link
  CableTally(const Catalog& catalog, const ServicesSpec& services, const CableRouter& router, bool keep_runs);

  LinkClass link_class(const std::string& network, const std::string& name, BytesPerSecond rate) const;
  void add(LinkClass& link, Plug lower, Plug upper);
  /// Whether what was chosen for a class carries it, and whether what was named for it reaches.
  void judge(const LinkClass& link, std::vector<SiteVerdict>& verdicts) const;

  /// With lengths and numbers to buy; call once, after the last link.
  std::vector<CableTotal> take_totals();
  std::vector<CableRun> take_runs() { return std::move(runs_); }
  /// @param cages  of all switches, by network
  std::vector<TransceiverTotal> transceivers(const std::vector<std::vector<CageContents>>& cages) const;

 private:
  std::size_t total_of(LinkClass& link, LinkEnd lower, LinkEnd upper, Meters length);
  void plug_in(const CablePart* part, Plug& plug);

  const Catalog& catalog_;
  const ServicesSpec& services_;
  const CableRouter& router_;
  bool keep_runs_;
  LinkCatalog links_;
  std::vector<CableTotal> totals_;
  std::vector<CableRun> runs_;
  std::map<const CablePart*, long long> in_nodes_;    ///< modules at ends that take one for each link
  std::vector<std::map<double, long long>> lengths_;  ///< by total: links by length in metres
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, int> bundles_;  ///< links between two devices
};

}  // namespace clusterwright
