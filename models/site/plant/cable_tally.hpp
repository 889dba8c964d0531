// SPDX-License-Identifier: Apache-2.0
/// Sums of links by class, parts and length, and the parts to buy for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/site/plant/cable_router.hpp"
#include "models/site/plant/link_parts.hpp"
#include "sim/typed_id.hpp"

namespace clusterwright {

using CableTotalId = Id<struct CableTotalTag>;

struct LengthBin {
  Meters length;         ///< bought length: the next longer one on sale
  long long links = 0;   ///< links that are so long
  long long cables = 0;  ///< cables to buy; one of several links is as long as its longest
};

/// Links of one class that are made of the same parts.
struct CableTotal {
  std::string network;
  std::string link;  ///< "node-leaf", "leaf-spine"
  std::string part;  ///< cable or fibre; empty where the catalog has none for the rate and distance
  std::string kind;  ///< "copper", "active copper", "active optical", "fibre"
  std::string lower_module, upper_module;  ///< transceivers at both ends of a fibre, else empty
  BytesPerSecond rate;                     ///< rate of one link, one direction
  long long links = 0;
  long long cables = 0;            ///< number to buy; one cable may carry several links
  std::vector<LengthBin> lengths;  ///< ascending
  Meters longest;                  ///< longest route, not the bought length
};

struct TransceiverTotal {
  std::string part;
  long long count = 0;
};

/// Route of one link.
struct CableRun {
  CableTotalId total;
  Location from, to;
  Meters routed;  ///< along trays, with slack
  Meters bought;
};

/// Cable to buy, with the links that it carries.
struct CablePiece {
  CableTotalId total;
  std::vector<std::size_t> runs;  ///< indices of its links
  Meters bought;
};

/// Modules, and ends of active cables, in the cages of one switch or node: links by part.
using CageContents = std::vector<std::pair<const CablePart*, int>>;

/// End of a link: its location, its cage, and the device whose cages hold the module.
struct Plug {
  Location at;
  LinkEnd end;
  CageContents* modules = nullptr;  ///< cages of the device; null: one module for each link
  std::uint64_t device = 0;         ///< key of a switch, or of the rack of a node
};

/// Links of one class.
struct LinkClass {
  std::string network, name;
  BytesPerSecond rate;
  const CablePart* named = nullptr;         ///< part that the facility names for the class; null: the cheapest
  std::vector<CableTotalId> totals;         ///< totals of the class
  std::map<CableTotalId, LinkParts> parts;  ///< parts of each total
};

/// Number of cables or modules for `links` links.
int whole_parts(int links, const CablePart& part);

class CableTally {
 public:
  /// @param keep_runs  keep the route of each link
  CableTally(const Catalog& catalog, const ServicesSpec& services, const CableRouter& router, bool keep_runs);

  LinkClass link_class(const std::string& network, const std::string& name, BytesPerSecond rate) const;
  void add(LinkClass& link, Plug lower, Plug upper);
  /// Verdicts on whether the chosen parts carry a class, and whether a named part reaches.
  void judge(const LinkClass& link, std::vector<SiteVerdict>& verdicts) const;

  /// Totals with lengths and numbers to buy; call once, after the last link.
  std::vector<CableTotal> take_totals();
  std::vector<CableRun> take_runs() { return std::move(runs_); }
  /// Cables of the kept runs: as many, and as long, as the totals say.
  std::vector<CablePiece> take_pieces() { return std::move(pieces_); }
  /// @param cages  cages of all devices, by network
  std::vector<TransceiverTotal> transceivers(const std::vector<std::vector<CageContents>>& cages) const;

 private:
  /// Link of a bundle.
  struct BundledLink {
    Meters bought;
    std::size_t run = 0;  ///< its index, if runs are kept
  };
  using Bundles = std::map<std::tuple<CableTotalId, std::uint64_t, std::uint64_t>, std::vector<BundledLink>>;

  void add_piece(CableTotalId total, Meters bought, const BundledLink* first, const BundledLink* last);
  void cut_bundle(CableTotalId total, std::vector<BundledLink> links);
  CableTotalId total_of(LinkClass& link, LinkEnd lower, LinkEnd upper, Meters length);
  void plug_in(const CablePart* part, Plug& plug);

  const Catalog& catalog_;
  const ServicesSpec& services_;
  const CableRouter& router_;
  bool keep_runs_;
  LinkCatalog links_;
  IndexedVector<CableTotalId, CableTotal> totals_;
  IndexedVector<CableTotalId, std::map<double, LengthBin>> lengths_;  ///< by length in metres
  std::vector<CableRun> runs_;
  std::vector<CablePiece> pieces_;
  std::map<const CablePart*, long long> in_nodes_;  ///< modules at ends that take one for each link
  Bundles bundles_;                                 ///< links between two devices, on cables of several links
};

}  // namespace clusterwright
