// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"
#include "fleet/core/record.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fleet {

/// The keeper of one state file. Contract section 8. At any moment, a crash or a full disk
/// included, the file is whole: what was last written, or what was there before. Mode 0600. Not for
/// two threads at once; each call may block for as long as the disk takes.
///
/// As long as the object lives, no other can keep the same file: `<file>.lock` beside it is locked.
/// It stays behind, empty, since a lock file that comes and goes can be held by two. A file that is
/// reached through symbolic links is replaced where it is; the links stay.
class journal {
 public:
  /// What is known of a slot now, or the name of one on which nothing is held any more.
  using change = std::variant<slot_record, std::string>;

  /// Locks the file, reads it and writes it again as it was, which proves that it can be written. A
  /// file that is not there is begun. The failure is one line: another router keeps it, it is not
  /// what a router wrote (and then it is left alone), it cannot be read or written.
  [[nodiscard]] static outcome<journal> open(const std::string& path);

  journal(journal&&) noexcept;
  journal& operator=(journal&&) noexcept;
  ~journal();

  /// In the order they were first recorded.
  [[nodiscard]] const std::vector<slot_record>& records() const;

  /// Makes these changes, in their order, with one write; returns once they are safely on the disk.
  /// A record takes the place of what was recorded of its slot. It is dated `now`, to the
  /// millisecond: `launched_at` unless that instance was recorded there already, `since` unless
  /// that reason was; its detail is made harmless. A failure says why the disk does not hold them;
  /// then none of them is made.
  [[nodiscard]] std::optional<failure> apply(const std::vector<change>& changes, wall_time now);

 private:
  class keeper;
  explicit journal(std::unique_ptr<keeper> kept);
  std::unique_ptr<keeper> keeper_;
};

}  // namespace fleet
