// SPDX-License-Identifier: MIT
#include "soak/load/growth.hpp"

namespace fleet::soak {

trend trend_of(const std::vector<sample>& samples) {
  if (samples.empty())
    return {};
  const auto count = static_cast<double>(samples.size());
  sample mean;
  for (const auto& each : samples) {
    mean.at += each.at / count;
    mean.value += each.value / count;
  }
  double products = 0;
  double squares = 0;
  for (const auto& each : samples) {
    products += (each.at - mean.at) * (each.value - mean.value);
    squares += (each.at - mean.at) * (each.at - mean.at);
  }
  if (squares == 0)
    return {};
  const auto slope = products / squares;
  const auto first = samples.front().at;
  const auto span = samples.back().at - first;
  return {mean.value + slope * (first - mean.at), slope * span, span};
}

}  // namespace fleet::soak
