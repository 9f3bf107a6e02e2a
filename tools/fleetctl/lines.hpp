// SPDX-License-Identifier: MIT
// What is shown, before it is known where: lines of painted pieces, and tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet::ctl {

enum class paint : std::uint8_t { plain, good, busy, bad, dim, bold };

/// A piece of a line. The text may come from elsewhere; it is made printable when it is shown.
struct span {
  std::string text;
  paint how = paint::plain;
};

using line = std::vector<span>;
using lines = std::vector<line>;

/// How lines become text.
struct style {
  bool colour = false;
  std::size_t columns = 0;  ///< longer lines are clipped; 0: never
};

/// One line without its end: printable, clipped, painted if so wished, no blanks at its end.
[[nodiscard]] std::string rendered(const line& from, const style& how);

/// The same for many, each with a line end.
[[nodiscard]] std::string rendered(const lines& from, const style& how);

/// Columns two blanks apart, as wide as their content.
class table {
 public:
  /// Column heads; one that begins with `>` is a column of numbers, set to the right.
  explicit table(std::vector<std::string> heads);

  /// As many spans as there are heads.
  void add(line row);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// The heads and the rows, without the columns that no row fills.
  [[nodiscard]] lines layout() const;

 private:
  line heads_;
  std::vector<bool> right_;
  lines rows_;
};

/// Appends.
void append(lines& to, lines more);

}  // namespace fleet::ctl
