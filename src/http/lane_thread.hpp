// SPDX-License-Identifier: MIT
#pragma once

#include "deadline_wheel.hpp"
#include "metrics.hpp"
#include "net.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <thread>

namespace fleet::http {

/// One lane's thread and what is bound to it whoever uses the lane.
struct lane_thread {
  /// One thread runs it and touches its sockets; others only post to it.
  asio::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  asio::executor_work_guard<executor> work{io.get_executor()};
  deadline_wheel wheel{io.get_executor()};
  lane_meter meter;
  std::thread thread;
};

}  // namespace fleet::http
