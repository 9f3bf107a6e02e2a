// SPDX-License-Identifier: MIT
#include "prefix_cache.hpp"

#include <algorithm>
#include <functional>

namespace fleet::stub {

std::uint64_t prefix_cache::next_hash(std::uint64_t before, std::string_view block) {
  std::uint64_t mixed = before ^ std::hash<std::string_view>{}(block);
  mixed = (mixed ^ (mixed >> 31)) * 0x9e3779b97f4a7c15ULL;
  return mixed ^ (mixed >> 29);
}

std::size_t prefix_cache::known_bytes(std::string_view prompt) const {
  std::uint64_t hash = 0;
  std::size_t known = 0;
  while (prompt.size() - known >= block_bytes) {
    hash = next_hash(hash, prompt.substr(known, block_bytes));
    if (!where_.contains(hash)) {
      break;
    }
    known += block_bytes;
  }
  return known;
}

void prefix_cache::remember(std::string_view prompt) {
  std::vector<std::uint64_t> chain;
  const auto blocks = std::min(prompt.size() / block_bytes, max_blocks_);
  chain.reserve(blocks);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    hash = next_hash(hash, prompt.substr(i * block_bytes, block_bytes));
    chain.push_back(hash);
  }
  // Last block first: a chain without its beginning is worth nothing, so that must go last.
  std::for_each(chain.rbegin(), chain.rend(), [this](std::uint64_t block) { touch(block); });
}

void prefix_cache::touch(std::uint64_t block) {
  if (const auto found = where_.find(block); found != where_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return;
  }
  recent_.push_front(block);
  where_.emplace(block, recent_.begin());
  if (where_.size() > max_blocks_) {
    where_.erase(recent_.back());
    recent_.pop_back();
  }
}

}  // namespace fleet::stub
