// SPDX-License-Identifier: Apache-2.0
/// Routes of a network in which something has failed, which remember where flows went before.
#pragma once

#include <memory>
#include <utility>

#include "topology/routing/routes.hpp"

namespace clusterwright {

class RoutesAroundFailures final : public Routes {
 public:
  /// @param before  routes of the same graph before anything failed
  /// @param now     routes around what has failed
  RoutesAroundFailures(std::unique_ptr<Routes> before, std::unique_ptr<Routes> now)
      : before_(std::move(before)), now_(std::move(now)) {}

  int hops(VertexId from, VertexId to) const override { return now_->hops(from, to); }
  void next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const override { now_->next_links(at, to, out); }
  const Routes* before_failures() const override { return before_.get(); }

 private:
  std::unique_ptr<Routes> before_, now_;
};

}  // namespace clusterwright
