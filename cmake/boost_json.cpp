// SPDX-License-Identifier: MIT
// The one unit that holds Boost.JSON's definitions.
#include <boost/json/src.hpp>
