// SPDX-License-Identifier: MIT
#include "fleet/core/session_id.hpp"

#include <doctest/doctest.h>

#include <array>

TEST_CASE("a session id is 1 to 128 characters of letters, digits, dot, underscore, colon, dash") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
    const bool wanted = alphabet.find(c) != std::string_view::npos;
    CAPTURE(byte);
    CHECK(fleet::valid_session_id(std::string(1, c)) == wanted);
    CHECK(fleet::valid_session_id(std::string("a") + c + "b") == wanted);
  }
  CHECK_FALSE(fleet::valid_session_id(""));
  CHECK(fleet::valid_session_id(std::string(128, 'x')));
  CHECK_FALSE(fleet::valid_session_id(std::string(129, 'x')));
  CHECK_FALSE(fleet::valid_session_id(std::string(70'000, 'x')));
}

TEST_CASE("a fresh id is 32 lower-case hex digits and accepted as an id") {
  const std::array<std::uint8_t, 16> bytes = {0x00, 0x01, 0x0f, 0x10, 0x7f, 0x80, 0xab, 0xcd,
                                              0xef, 0xfe, 0xff, 0x23, 0x45, 0x67, 0x89, 0x9a};
  CHECK(fleet::session_id_from(bytes) == "00010f107f80abcdeffeff234567899a");
  CHECK(fleet::valid_session_id(fleet::session_id_from(bytes)));
}
