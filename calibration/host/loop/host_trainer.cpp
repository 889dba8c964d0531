// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "calibration/host/random_data.hpp"

namespace clusterwright {

template <class Scalar>
std::vector<Scalar> random_parameters(const HostModel& model) {
  const ParameterLayout layout(model);
  std::vector<Scalar> out(static_cast<std::size_t>(layout.size), Scalar{1});  // norms stay at 1
  RandomWords words(1);
  const auto fill = [&](std::int64_t begin, std::int64_t in, std::int64_t width) {
    const double largest =
        std::sqrt(3.0 / static_cast<double>(in));  // bound of a uniform distribution with variance 1 / in
    std::generate_n(out.begin() + begin, in * width,
                    [&] { return static_cast<Scalar>(largest * words.signed_unit()); });
  };
  const std::int64_t hidden = model.hidden;
  fill(layout.embedding, 1, model.vocabulary * hidden);  // one input each
  for (const ParameterLayout::Layer& layer : layout.layers) {
    fill(layer.qkv, hidden, 3 * hidden);
    fill(layer.projection, hidden, hidden);
    fill(layer.up, hidden, model.ffn);
    fill(layer.down, model.ffn, hidden);
  }
  fill(layout.head, hidden, model.vocabulary);
  return out;
}

template <class Scalar>
HostTrainer<Scalar>::HostTrainer(const HostModel& model, Ring& ring, PartClock& clock, int buckets)
    : ring_(ring),
      clock_(clock),
      buckets_(buckets),
      model_step_(model, clock),
      batch_(random_tokens(model, ring.rank() * model.sequences)),
      parameters_(random_parameters<Scalar>(model)),
      gradients_(parameters_.size()),
      adam_(model_step_.layout().size) {
  if (buckets < 1) throw std::invalid_argument(fmt::format("buckets must be at least 1 (got {})", buckets));
}

template <class Scalar>
double HostTrainer<Scalar>::step() {
  const double loss = model_step_.forward(parameters_.data(), batch_);
  model_step_.backward(parameters_.data(), batch_, gradients_.data());
  clock_.enter(StepPart::all_reduce);
  reduce_gradients();
  clock_.enter(StepPart::optimizer);
  adam_.update(parameters_.data(), gradients_.data(), 1 / static_cast<Scalar>(ring_.size()));
  clock_.enter(StepPart::elementwise);
  return loss;
}

template <class Scalar>
void HostTrainer<Scalar>::reduce_gradients() {
  const auto count = static_cast<std::size_t>(buckets_);
  const std::span<Scalar> all(gradients_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = all.size() * i / count, end = all.size() * (i + 1) / count;
    ring_.all_reduce(all.subspan(begin, end - begin));
  }
}

template std::vector<float> random_parameters(const HostModel& model);
template std::vector<double> random_parameters(const HostModel& model);
template class HostTrainer<float>;
template class HostTrainer<double>;

}  // namespace clusterwright
