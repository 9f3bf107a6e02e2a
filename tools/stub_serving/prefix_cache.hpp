// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fleet::stub {

/// Which prompt prefixes this replica has computed, in blocks of 64 bytes. A block is known by the
/// hash of everything up to its end, so it only counts behind the same beginning: what a paged KV
/// cache does. Bounded; the least recently used blocks go first, ends of prompts before beginnings.
/// Not thread safe.
class prefix_cache {
 public:
  static constexpr std::size_t block_bytes = 64;

  /// `max_blocks` 0 remembers nothing.
  explicit prefix_cache(std::size_t max_blocks) : max_blocks_(max_blocks) {}

  /// Bytes at the front of `prompt` that are known: a multiple of 64.
  [[nodiscard]] std::size_t known_bytes(std::string_view prompt) const;

  /// Remembers the whole blocks of `prompt` as the most recently used ones.
  void remember(std::string_view prompt);

 private:
  using order = std::list<std::uint64_t>;

  [[nodiscard]] static std::uint64_t next_hash(std::uint64_t before, std::string_view block);
  void touch(std::uint64_t block);

  std::size_t max_blocks_;
  order recent_;  ///< most recently used first
  std::unordered_map<std::uint64_t, order::iterator> where_;
};

}  // namespace fleet::stub
