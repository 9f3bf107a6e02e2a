// SPDX-License-Identifier: MIT
#pragma once

#include "deadline_wheel.hpp"
#include "net.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <thread>

namespace fleet::http {

/// One lane's thread and what is bound to it whoever uses the lane.
struct lane_thread {
  asio::io_context io{1};  ///< 1: one thread runs it, which spares it most of its locking
  asio::executor_work_guard<executor> work{io.get_executor()};
  deadline_wheel wheel{io.get_executor()};
  std::thread thread;
};

}  // namespace fleet::http
