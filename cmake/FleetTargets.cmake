# SPDX-License-Identifier: MIT
# How every target of this project is compiled, and what a room is.

if(FLEET_SANITIZE)
  # CAF spawns function actors through a null reference; that one finding is the library's.
  add_compile_options(-fsanitize=${FLEET_SANITIZE} -fno-sanitize=null -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FLEET_SANITIZE})
  if(FLEET_SANITIZE MATCHES "thread")
    # Asio's fences; ThreadSanitizer does not know them and GCC says so.
    add_compile_options(-Wno-tsan)
  else()
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

# Boost.JSON's compiled library is not part of Debian's full Boost set; one unit of ours holds it.
add_library(fleet_json STATIC "${CMAKE_SOURCE_DIR}/cmake/boost_json.cpp")
target_link_libraries(fleet_json PUBLIC Boost::headers)
add_library(fleet::json ALIAS fleet_json)

# Asio, Beast and TLS, with the Asio definitions every unit must agree on.
add_library(fleet_asio INTERFACE)
target_link_libraries(fleet_asio INTERFACE Boost::headers OpenSSL::SSL Threads::Threads)
target_compile_definitions(fleet_asio INTERFACE BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=16)
add_library(fleet::asio ALIAS fleet_asio)

# Warnings for our own code only. Designated initialisers may leave members at their defaults; GCC 12
# sees overlapping copies in `"literal" + std::string` when it optimises (GCC bug 105651).
function(fleet_strict target)
  if(CMAKE_UNITY_BUILD)
    # Sources that are compiled as one shadow each other; the other presets judge them.
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wold-style-cast
    -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${FLEET_WERROR}>:-Werror>)
endfunction()

# A room: src/<name>/*.cpp and include/fleet/<name>/*.hpp as one static library fleet::<name>.
function(fleet_room name)
  cmake_parse_arguments(ROOM "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/include/fleet/${name}/*.hpp")
  add_library(fleet_${name} STATIC ${sources})
  target_sources(fleet_${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/include"
    FILES ${headers})
  target_include_directories(fleet_${name} PRIVATE "${CMAKE_SOURCE_DIR}/src/${name}")
  target_link_libraries(fleet_${name} PUBLIC ${ROOM_LINK})
  set_target_properties(fleet_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  fleet_strict(fleet_${name})
  add_library(fleet::${name} ALIAS fleet_${name})
endfunction()
