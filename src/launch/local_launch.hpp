// SPDX-License-Identifier: MIT
#pragma once

#include "children.hpp"
#include "environment.hpp"

#include "fleet/core/process.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>

namespace fleet {

/// Starts a replica on this machine, as a child of this process in its own session. Never blocks.
///
/// `launched` is called once. The program runs when it says started; a launch that does not get
/// that far within `limit` is killed. `ended` is called once after a launch that started, when the
/// child has ended and is reaped.
void launch_here(boost::asio::io_context& io, children& all, const environment& inherited,
                 const launch_order& order, std::chrono::milliseconds limit,
                 std::function<void(launch_result)> launched,
                 std::function<void(process_ref, exit_status)> ended);

}  // namespace fleet
