# SPDX-License-Identifier: MIT
# The package's own CMake file wants all that its push and pull libraries need; this wants the core
# only. Gives PrometheusCpp::core; the headers count as system headers.
find_path(PROMETHEUS_CPP_INCLUDE_DIR prometheus/metric_family.h)
find_library(PROMETHEUS_CPP_CORE_LIBRARY prometheus-cpp-core)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCpp
  REQUIRED_VARS PROMETHEUS_CPP_CORE_LIBRARY PROMETHEUS_CPP_INCLUDE_DIR)
if(PrometheusCpp_FOUND AND NOT TARGET PrometheusCpp::core)
  add_library(PrometheusCpp::core UNKNOWN IMPORTED)
  set_target_properties(PrometheusCpp::core PROPERTIES
    IMPORTED_LOCATION "${PROMETHEUS_CPP_CORE_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${PROMETHEUS_CPP_INCLUDE_DIR}")
endif()
