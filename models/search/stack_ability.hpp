// SPDX-License-Identifier: Apache-2.0
/// Which layouts the software stack of a job can run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/job/stack.hpp"
#include "models/search/layout.hpp"
#include "models/search/layout_limits.hpp"

namespace clusterwright {

/// Virtual stages must hold the same number of layers, embedding and head counted as one each or not at all: no
/// framework cuts 80 layers into 44 chunks. A stack that does not say what it can run is taken to run everything. What
/// the user asked for by name is not held against the stack either; a range of a number asks for none of them.
class StackAbility {
 public:
  /// @param layers  of the model
  StackAbility(const SoftwareStack& stack, const LayoutLimits& limits, std::int64_t layers);

  bool is_known() const { return known_.has_value(); }
  bool runs(const Layout& layout) const;
  /// First field that the stack cannot run, as "schedule dualpipe"; empty if it runs the layout.
  std::string beyond(const Layout& layout) const;

 private:
  bool runs_schedule(const Layout& layout) const;
  bool runs_sharding(const Layout& layout) const;
  bool runs_offload(const Layout& layout) const;

  std::optional<StackLayouts> known_;
  LayoutLimits limits_;
  std::int64_t layers_;
};

}  // namespace clusterwright
