// SPDX-License-Identifier: MIT
#include "fleet/core/host_name.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>

TEST_CASE("an IP address is one in numbers, IPv6 without brackets") {
  for (const auto* good : {"127.0.0.1", "0.0.0.0", "::", "::1", "fe80::1%eth0", "::ffff:1.2.3.4"}) {
    CAPTURE(good);
    CHECK(fleet::is_ip_address(good));
  }
  for (const auto* bad : {"", "localhost", "1.2.3", "256.0.0.1", "[::1]", "::1%", "1.2.3.4 ",
                          "1.2.3.4:80", ":::", "fe80::1%e/0", "1.2.3.4%eth0"}) {
    CAPTURE(bad);
    CHECK_FALSE(fleet::is_ip_address(bad));
  }
  CHECK_FALSE(fleet::is_ip_address(std::string_view("::1\0x", 5)));
}

TEST_CASE("a host is an IP address or a plain host name") {
  for (const auto* good : {"node02", "a.b-c.d_e", "10.0.0.2", "::1", "0", "node02."}) {
    CAPTURE(good);
    CHECK(fleet::is_host(good));
  }
  for (const auto* bad :
       {"", "-x", ".x", "a b", "http://a", "a/b", "a:80", "user@a", "[::1]", "a\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(fleet::is_host(bad));
  }
  CHECK_FALSE(fleet::is_host(std::string(254, 'a')));
}

TEST_CASE("hosts that are plainly the same have one canonical text") {
  const std::pair<const char*, const char*> table[] = {
      {"NODE02", "node02"},
      {"localhost", "127.0.0.1"},
      {"node02.", "node02"},
      {"10.0.0.2", "10.0.0.2"},
      {"0:0:0:0:0:0:0:1", "::1"},
      {"FE80:0::1%eth0", "fe80::1%eth0"},
      {"1::", "1:0::0"},
      {"0001:02:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::FFFF:7f00:1", "127.0.0.1"},
      {"::ffff:10.0.0.2", "10.0.0.2"},
      {"::1.2.3.4", "::102:304"},
  };
  for (const auto& [host, other] : table) {
    CAPTURE(host);
    CHECK(fleet::canonical_host(host) == fleet::canonical_host(other));
  }
  CHECK(fleet::canonical_host("NODE02") == "node02");
  CHECK(fleet::canonical_host("::1") != fleet::canonical_host("::2"));
  CHECK(fleet::canonical_host("fe80::1%a") != fleet::canonical_host("fe80::1%b"));
}

TEST_CASE("a text is an IP address to the router when it is one to the system") {
  std::mt19937 luck(7);
  const std::string_view pieces[] = {":",   "::",   ".",     "0", "1",       "00",      "12", "255",
                                     "256", "ffff", "FFFFF", "g", "1.2.3.4", "1:2:3:4", "-",  "+"};
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (auto n = luck() % 12; n > 0; --n)
      text += pieces[luck() % std::size(pieces)];
    CAPTURE(text);
    in6_addr binary{};
    REQUIRE(fleet::is_ip_address(text) == (inet_pton(AF_INET, text.c_str(), &binary) == 1 ||
                                           inet_pton(AF_INET6, text.c_str(), &binary) == 1));
  }
}

TEST_CASE("two ways to a machine may lead to one when they have a name or loopback in common") {
  using access = fleet::machine_access;
  const std::pair<access, access> one[] = {
      {{"u@127.0.0.1", "127.0.0.1"}, {"v@127.0.0.1", "localhost"}},
      {{"", "10.0.0.2"}, {"v@localhost", "10.0.0.3"}},
      {{"", "127.0.0.1"}, {"v@[::1]", "localhost"}},
      {{"", "127.0.0.1"}, {"far", "0.0.0.0"}},
      {{"", "10.0.0.2"}, {"", "10.0.0.3"}},
      {{"", "10.0.0.2"}, {"u@10.0.0.2", "10.0.0.3"}},
      {{"ssh://[::1]:2222", "node02"}, {"", "10.0.0.3"}},
      {{"u@node02", "10.0.0.2"}, {"ssh://v@NODE02.:2222", "10.0.0.3"}},
      {{"u@node02", "fe80::1"}, {"v@node03", "FE80:0::1"}},
      {{"u@_gpu", "10.0.0.2"}, {"v@_gpu", "10.0.0.3"}},
      {{"", ""}, {"", "10.0.0.3"}},
  };
  for (const auto& [a, b] : one) {
    CAPTURE(std::string(a.ssh));
    CAPTURE(std::string(b.ssh));
    CHECK(fleet::may_be_one_machine(a, b));
    CHECK(fleet::may_be_one_machine(b, a));
  }
  const std::pair<access, access> two[] = {
      {{"u@node02", "node02"}, {"u@node03", "node03"}},
      {{"", "127.0.0.1"}, {"u@node02", "node02"}},
      {{"u@node02", ""}, {"", ""}},
      {{"_gpu", "10.0.0.2"}, {"_gpu2", "10.0.0.3"}},
  };
  for (const auto& [a, b] : two) {
    CAPTURE(std::string(a.ssh));
    CHECK_FALSE(fleet::may_be_one_machine(a, b));
    CHECK_FALSE(fleet::may_be_one_machine(b, a));
  }
}

TEST_CASE("the host part of an ssh destination is found in each of its forms") {
  const std::pair<const char*, const char*> table[] = {
      {"node02", "node02"},
      {"user@node02", "node02"},
      {"user@10.0.0.2", "10.0.0.2"},
      {"user@fe80::1", "fe80::1"},
      {"dom\\user@node02", "node02"},
      {"a@b@node02", "node02"},
      {"ssh://node02", "node02"},
      {"ssh://user@node02:2222", "node02"},
      {"ssh://user@[::1]:2222", "::1"},
      {"ssh://[::1]", "::1"},
      // Neither a destination nor safe to hand to ssh.
      {"", ""},
      {"-oProxyCommand=id", ""},
      {"-oProxyCommand=id@node02", ""},
      {"@node02", ""},
      {"user@", ""},
      {"user@-x", ""},
      {"node02:22", ""},
      {"user@node02 -v", ""},
      {"ssh://node02/path", ""},
      {"ssh://node02:", ""},
      {"ssh://node02:x", ""},
      {"ssh://node02:65535", "node02"},
      {"ssh://node02:022", "node02"},
      {"ssh://node02:0", ""},
      {"ssh://node02:65536", ""},
      {"ssh://user@[::1]:99999", ""},
      {"ssh://node02:-1", ""},
      {"ssh://node02:99999999999999999999", ""},
      {"ssh://::1:22", ""},
      {"a\nb@c", ""},
  };
  for (const auto& [destination, host] : table) {
    CAPTURE(destination);
    CHECK(fleet::host_of_ssh(destination) == host);
  }
}

TEST_CASE("a name that only ssh's configuration resolves is safe to hand to ssh, or refused") {
  for (const auto* good : {"_gpu", "rack+1", "user@_gpu", "a,b", "node_01", "dom\\user@x=y"}) {
    CAPTURE(good);
    CHECK(fleet::is_ssh_alias(good));
  }
  for (const auto* bad : {"", "-x", "-oProxyCommand=id", "u@", "u@-x", "@x", "-u@x", "a b", "a:22",
                          "a/b", "a;b", "$(id)", "`id`", "a'b", "a\nb", "*", "a%h"}) {
    CAPTURE(bad);
    CHECK_FALSE(fleet::is_ssh_alias(bad));
  }
}
