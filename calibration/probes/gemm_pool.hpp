// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random operands and an output area for any multiply, made once per data type.

#include <memory>
#include <string>

#include "lt_gemm.hpp"
#include "measure.hpp"
#include "rotating_buffers.hpp"

namespace clusterwright::probes {

class GemmPool {
 public:
  /// Takes about two fifths of the free memory, 9 GiB at most.
  GemmPool(Context& context, DataType type, Contents contents);

  /// The work of one shape. The pool must outlive it.
  Work work(const LtHandle& handle, const std::string& probe, const std::string& origin, const GemmShape& shape) const;

 private:
  Context& context_;
  Contents contents_;
  DeviceArray<char> inputs_, outputs_;
};

/// Compares the three layouts, and for bf16 the one that accumulates, with a double-precision product on the host.
/// @throws SampleFailed when they differ by more than rounding
void check_gemm(Context& context, const LtHandle& handle, DataType type);

}  // namespace clusterwright::probes
