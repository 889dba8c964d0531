// SPDX-License-Identifier: Apache-2.0
/// Measured GEMMs, ready to be predicted.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/gemm_time.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Number format of the operands of a GEMM.
struct GemmFormat {
  std::string key;       ///< key in ParameterSet::gemm
  std::string measured;  ///< name in the measurement set
  NumberFormat units;    ///< units whose peak counts
  double bytes_a = 2;    ///< one element of the activations, scales included
  double bytes_b = 2;    ///< one element of the weights, scales included
  bool below_16_bit() const { return bytes_a < 2; }
};

/// All formats that parameters are kept for, 16-bit ones first.
const std::vector<GemmFormat>& gemm_formats();

/// Format by its name in the measurement set; null for formats without a model.
const GemmFormat* measured_gemm_format(const std::string& dtype);

/// One measured call.
struct GemmRow {
  GemmShape shape;
  GemmDevice device;
  GemmStorage storage;
  bool quantises = false;  ///< the library takes 16-bit activations and quantises them inside the call
  Seconds time;
  double weight = 1;
  std::string accelerator;
  std::string architecture;  ///< first word of the data sheet: "Hopper"
};

/// Every point of a case, in its order, with the rates of its data sheet and the multiprocessors of `part`. Training
/// shapes (M >= 1024) weigh more than small ones; n of them weigh n^0.75 together.
/// @pre the case is of kind gemm and its format is known
std::vector<GemmRow> rows_of_case(const Measurement& measurement, const AcceleratorPart& part);

/// Rows of one accelerator for the fit of `format`: single problems, without the best shapes of a search. The two
/// 16-bit formats run on the same units at one rate, so "bf16" has the rows of both.
std::vector<GemmRow> gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                               const std::string& format);

/// The best shapes of searches on one accelerator, as times that a usual shape of their size would take: for parts of
/// which nothing else is published.
std::vector<GemmRow> searched_gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const std::string& format);

/// Rows of all accelerators, every architecture with the same weight.
std::vector<GemmRow> all_gemm_rows(const std::vector<Measurement>& measurements,
                                   const std::vector<AcceleratorPart>& catalog, const std::string& format);

/// Shape of a usual training step rather than of decoding: M of 1024 and more.
bool is_large(const GemmRow& row);

}  // namespace clusterwright
