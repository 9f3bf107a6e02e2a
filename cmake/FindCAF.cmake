# SPDX-License-Identifier: MIT
# Debian's libcaf-dev ships no CMake package. Gives CAF::core; the headers count as system headers.
find_path(CAF_INCLUDE_DIR caf/all.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
if(CAF_INCLUDE_DIR AND EXISTS "${CAF_INCLUDE_DIR}/caf/config.hpp")
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" line REGEX "#define CAF_VERSION ")
  string(REGEX MATCH "[0-9]+" number "${line}")
  math(EXPR CAF_MAJOR "${number} / 10000")
  math(EXPR CAF_MINOR "${number} / 100 % 100")
  math(EXPR CAF_PATCH "${number} % 100")
  set(CAF_VERSION "${CAF_MAJOR}.${CAF_MINOR}.${CAF_PATCH}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION)
if(CAF_FOUND AND NOT TARGET CAF::core)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION "${CAF_CORE_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
endif()
