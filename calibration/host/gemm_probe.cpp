// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/gemm_probe.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cctype>
#include <string>
#include <variant>

#include "calibration/host/random_data.hpp"
#include "calibration/host/thread_team.hpp"

namespace clusterwright {

namespace {

struct GemmSides {
  std::int64_t m, n, k;
};

template <class Scalar>
class GemmCase : public ProbeCase {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

 public:
  GemmCase(GemmSides shape, std::int64_t threads)
      : team_(static_cast<int>(threads)),
        left_(random(shape.m, shape.k, 1)),
        right_(random(shape.k, shape.n, 2)),
        product_(Matrix::Zero(shape.m, shape.n)),
        work_([this](int member) { multiply(member); }) {}

  void run() override { team_.run(work_); }

  /// C x = A (B x) for a random x, which costs a matrix-vector product instead of a second GEMM (Freivalds).
  void check() override {
    const Eigen::VectorXd x = random(right_.cols(), 1, 3).template cast<double>();
    const Eigen::VectorXd right = left_.template cast<double>() * (right_.template cast<double>() * x);
    const Eigen::VectorXd got = product_.template cast<double>() * x;
    const double tolerance = sizeof(Scalar) == 4 ? 1e-4 : 1e-12;
    if (!((got - right).norm() <= tolerance * right.norm())) throw ProbeFailure("the product is wrong");
  }

 private:
  static Matrix random(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    RandomWords words(seed);
    return Matrix::NullaryExpr(rows, columns, [&words] { return static_cast<Scalar>(words.signed_unit()); });
  }

  void multiply(int member) {
    const bool by_columns = product_.cols() >= product_.rows();
    const auto length = static_cast<std::size_t>(by_columns ? product_.cols() : product_.rows());
    const auto stretch = team_.stretch(length, 8, member);
    const auto begin = static_cast<Eigen::Index>(stretch.begin), count = static_cast<Eigen::Index>(stretch.length);
    if (by_columns)
      product_.middleCols(begin, count).noalias() = left_ * right_.middleCols(begin, count);
    else
      product_.middleRows(begin, count).noalias() = left_.middleRows(begin, count) * right_;
  }

  ThreadTeam team_;
  Matrix left_, right_, product_;
  std::function<void(int)> work_;
};

/// Name such as "eigen sse2": the widest instructions that this build uses.
std::string library() {
  std::string sets = Eigen::SimdInstructionSetsInUse();
  sets = sets.substr(sets.find_last_of(' ') + 1);
  std::transform(sets.begin(), sets.end(), sets.begin(), [](unsigned char c) { return std::tolower(c); });
  return "eigen " + sets;
}

template <class Scalar>
PlannedCase gemm_case(GemmSides shape, std::int64_t threads) {
  const auto [m, n, k] = shape;
  PlannedCase out;
  ProbedGemm what;
  what.m = m;
  what.n = n;
  what.k = k;
  what.dtype = sizeof(Scalar) == 4 ? ProbedFormat::fp32 : ProbedFormat::fp64;
  what.threads = threads;
  what.library = library();
  out.what = what;
  out.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * flop;
  out.bytes = static_cast<double>((m * k + k * n + m * n) * static_cast<std::int64_t>(sizeof(Scalar))) * byte;
  out.build = [shape, threads] { return std::make_unique<GemmCase<Scalar>>(shape, threads); };
  return out;
}

/// GEMMs of a layer: query, key and value together; output projection; up; down. Input gradients have these shapes with
/// n and k swapped, or nearly so.
std::vector<GemmSides> layer_shapes(const HostProbeSizes& sizes) {
  std::vector<GemmSides> out;
  const std::int64_t hidden = sizes.hidden, ffn = sizes.ffn;
  for (const std::int64_t tokens : sizes.tokens) {
    const std::vector<GemmSides> forward = {
        {tokens, 3 * hidden, hidden}, {tokens, hidden, hidden}, {tokens, ffn, hidden}, {tokens, hidden, ffn}};
    out.insert(out.end(), forward.begin(), forward.end());
    if (!sizes.weight_gradients) continue;
    for (const GemmSides& shape : forward) out.push_back({shape.k, shape.n, shape.m});
  }
  return out;
}

bool is_same(const PlannedCase& one, const PlannedCase& other) {
  return same_problem(std::get<ProbedGemm>(one.what), std::get<ProbedGemm>(other.what));
}

}  // namespace

std::vector<PlannedCase> plan_gemm(const HostProbeSizes& sizes) {
  std::vector<PlannedCase> out;
  for (const std::int64_t threads : sizes.threads) {
    for (const GemmSides& shape : layer_shapes(sizes)) out.push_back(gemm_case<float>(shape, threads));
    for (const std::int64_t side : sizes.gemm) out.push_back(gemm_case<float>({side, side, side}, threads));
    for (const std::int64_t side : sizes.gemm64) out.push_back(gemm_case<double>({side, side, side}, threads));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.flops < b.flops; });
  std::vector<PlannedCase> once;  // a square may be a shape of the layer too
  for (PlannedCase& one : out)
    if (std::none_of(once.begin(), once.end(), [&](const auto& other) { return is_same(other, one); }))
      once.push_back(std::move(one));
  return once;
}

}  // namespace clusterwright
