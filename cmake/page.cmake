# SPDX-License-Identifier: MIT
# `cmake -D FOLDER=... -D OUTPUT=... -P page.cmake`: the files of the operator's page as one C++ source,
# each with its bytes and an entity tag made from them.
set(rows "")
file(GLOB paths "${FOLDER}/*.html" "${FOLDER}/*.css" "${FOLDER}/*.js" "${FOLDER}/*.svg")
foreach(path IN LISTS paths)
  get_filename_component(name "${path}" NAME)
  file(SHA256 "${path}" sum)
  string(SUBSTRING "${sum}" 0 32 tag)
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND rows "    {\"${name}\"sv, R\"(\"${tag}\")\"sv, \"${bytes}\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}" "// SPDX-License-Identifier: MIT
// Made from src/http/dashboard/.
#include \"dashboard.hpp\"

namespace fleet::http {

namespace {

using namespace std::string_view_literals;

constexpr page_file files[] = {
${rows}};

}  // namespace

const std::span<const page_file> page_files{files};

}  // namespace fleet::http
")
