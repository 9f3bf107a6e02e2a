// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>

namespace fleet::rig {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using milliseconds = std::chrono::milliseconds;

// The longest any single wait may take before a test gives up. Every wait ends as soon as its
// condition is met, so this only has to be wide enough for a busy machine and a sanitizer build.
inline constexpr milliseconds patience = 15s;

// True as soon as `condition` holds, false when it does not within `limit`. Polls every 5 ms on the
// calling thread.
bool eventually(const std::function<bool()>& condition, milliseconds limit = patience);

// True when `condition` held at every look during the whole of `span`; false at the first that
// fails.
bool throughout(milliseconds span, const std::function<bool()>& condition);

// What is left until `deadline`, never below zero.
milliseconds left(clock::time_point deadline);

}  // namespace fleet::rig
