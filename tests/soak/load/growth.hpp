// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace fleet::soak {

// A value at a moment, in seconds.
struct sample {
  double at = 0;
  double value = 0;
};

// The line through samples by least squares, told by where it begins and how far it rises from the
// first sample to the last. All zero for fewer than two moments.
struct trend {
  double begin = 0;
  double growth = 0;
  double seconds = 0;

  double per_hour() const { return seconds > 0 ? growth / seconds * 3600 : 0; }
};

trend trend_of(const std::vector<sample>& samples);

}  // namespace fleet::soak
