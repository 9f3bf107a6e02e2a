// SPDX-License-Identifier: MIT
#include "host_name.hpp"

#include <doctest/doctest.h>

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
      {"NODE02", "node02"},       {"localhost", "127.0.0.1"},
      {"0:0:0:0:0:0:0:1", "::1"}, {"FE80::1%eth0", "fe80::1%eth0"},
      {"10.0.0.2", "10.0.0.2"},
  };
  for (const auto& [host, canonical] : table) {
    CHECK(fleet::canonical_host(host) == canonical);
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
