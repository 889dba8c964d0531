// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace clusterwright {

/// Row-major matrix in memory that it does not own.
template <class Scalar>
struct MatrixView {
  Scalar* data;
  std::int64_t rows, columns;
  std::int64_t stride;  ///< elements from one row to the next

  MatrixView(Scalar* begin, std::int64_t row_count, std::int64_t column_count)
      : MatrixView(begin, row_count, column_count, column_count) {}
  MatrixView(Scalar* begin, std::int64_t row_count, std::int64_t column_count, std::int64_t row_stride)
      : data(begin), rows(row_count), columns(column_count), stride(row_stride) {}

  operator MatrixView<const Scalar>() const requires(!std::is_const_v<Scalar>) { return {data, rows, columns, stride}; }

  Scalar* row(std::int64_t index) const { return data + index * stride; }
};

}  // namespace clusterwright
