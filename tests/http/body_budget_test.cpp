// SPDX-License-Identifier: MIT
#include "body_budget.hpp"

#include <doctest/doctest.h>

using namespace fleet::http;

TEST_CASE("a body's first bytes are free, the rest is taken in steps and given back whole") {
  body_budget budget{3 * body_share::step};
  body_share small{budget};
  body_share large{budget};
  CHECK(small.cover(body_share::free_bytes));
  CHECK(large.cover(body_share::free_bytes + body_share::step + 1));
  CHECK(small.cover(body_share::free_bytes + 1));
  CHECK(small.cover(body_share::free_bytes + body_share::step));
  CHECK_FALSE(small.cover(body_share::free_bytes + body_share::step + 1));
  CHECK(small.cover(body_share::free_bytes + body_share::step));
  large.release();
  large.release();
  CHECK(small.cover(body_share::free_bytes + 3 * body_share::step));
}

TEST_CASE("what a request has taken goes back when it ends") {
  body_budget budget{body_share::step};
  {
    body_share first{budget};
    CHECK(first.cover(body_share::free_bytes + 1));
    CHECK_FALSE(budget.take(1));
  }
  CHECK(budget.take(body_share::step));
}
