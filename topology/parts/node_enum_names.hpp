/// Names of the enumerations of a node, for field tables.
#pragma once

#include "sim/field_table.hpp"
#include "topology/nodes/node_spec.hpp"

namespace clusterwright {

template <>
struct EnumNames<ScaleUpWiring> {
  static constexpr auto names = scale_up_wiring_names;
};
template <>
struct EnumNames<NicAttachment> {
  static constexpr auto names = nic_attachment_names;
};

}  // namespace clusterwright
