/// Measured matrix multiplies, ready to be predicted.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/gemm_time.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Number format of the operands of a multiply.
struct GemmFormat {
  std::string key;       ///< of ParameterSet::gemm
  std::string measured;  ///< of the measurement set
  NumberFormat units;    ///< whose peak counts
  double bytes_a = 2;    ///< per element of the activations, scales included
  double bytes_b = 2;    ///< per element of the weights, scales included
  bool narrow() const { return bytes_a < 2; }
};

/// All formats that parameters are kept for, wide ones first.
const std::vector<GemmFormat>& gemm_formats();

/// By its name in the measurement set; null for formats without a model.
const GemmFormat* measured_gemm_format(const std::string& dtype);

/// One measured call.
struct GemmRow {
  GemmShape shape;
  GemmDevice device;
  GemmStorage storage;
  bool quantises = false;  ///< the library takes 16-bit activations and narrows them inside the call
  Seconds time;
  double weight = 1;
  std::string accelerator;
  std::string architecture;  ///< first word: "Hopper"
};

/// Every point of a case, in its order, with the rates of its data sheet and the multiprocessors of `part`. In it,
/// training shapes (M >= 1024) weigh more than small ones; a case of many points weighs more, but less than each.
/// @pre the case is of kind gemm and its format is known
std::vector<GemmRow> rows_of_case(const Measurement& measurement, const AcceleratorPart& part);

/// The rows of one accelerator to fit `format` to: single problems, and no best shapes of a search. The two 16-bit
/// formats run on the same units at one rate, so "bf16" has the rows of both.
std::vector<GemmRow> gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                               const std::string& format);

/// The same of all accelerators, every architecture one vote.
std::vector<GemmRow> all_gemm_rows(const std::vector<Measurement>& measurements,
                                   const std::vector<AcceleratorPart>& catalog, const std::string& format);

/// A shape of a usual training step rather than of decoding: M of 1024 and more.
bool is_large(const GemmRow& row);

}  // namespace clusterwright
