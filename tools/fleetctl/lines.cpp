// SPDX-License-Identifier: MIT
#include "lines.hpp"

#include "text.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace fleet::ctl {

namespace {

std::string_view colour_of(paint how) {
  switch (how) {
    case paint::good:
      return "\x1b[32m";
    case paint::busy:
      return "\x1b[33m";
    case paint::bad:
      return "\x1b[31m";
    case paint::dim:
      return "\x1b[2m";
    case paint::bold:
      return "\x1b[1m";
    case paint::plain:
      break;
  }
  return {};
}

}  // namespace

std::string rendered(const line& from, const style& how) {
  std::string out;
  std::size_t taken = 0;
  std::string blanks;  // held back: none at the end of a line
  for (const auto& piece : from) {
    auto text = printable(piece.text);
    if (how.columns != 0) {
      std::size_t rest = how.columns - std::min(how.columns, taken);
      text = clipped(text, rest);
    }
    taken += columns_of(text);
    const auto first = std::min(text.find_first_not_of(' '), text.size());
    const auto last = text.find_last_not_of(' ');
    blanks.append(text, 0, first);
    if (first == text.size()) {
      continue;
    }
    out += std::exchange(blanks, text.substr(last + 1));
    const auto colour = how.colour ? colour_of(piece.how) : std::string_view{};
    out += colour;
    out.append(text, first, last + 1 - first);
    out += colour.empty() ? "" : "\x1b[0m";
  }
  return out;
}

std::string rendered(const lines& from, const style& how) {
  std::string out;
  for (const auto& each : from) {
    out += rendered(each, how) + "\n";
  }
  return out;
}

table::table(std::vector<std::string> heads) {
  for (auto& head : heads) {
    const bool right = head.starts_with('>');
    right_.push_back(right);
    heads_.push_back({right ? head.substr(1) : std::move(head), paint::dim});
  }
}

void table::add(line row) {
  for (auto& cell : row) {
    cell.text = printable(cell.text);
  }
  rows_.push_back(std::move(row));
}

lines table::layout() const {
  lines all{heads_};
  all.insert(all.end(), rows_.begin(), rows_.end());
  lines out(all.size());
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const bool used = std::any_of(rows_.begin(), rows_.end(),
                                  [i](const line& row) { return !row[i].text.empty(); });
    if (!used) {
      continue;
    }
    std::size_t width = 0;
    for (const auto& row : all) {
      width = std::max(width, columns_of(row[i].text));
    }
    for (std::size_t j = 0; j < all.size(); ++j) {
      const auto& cell = all[j][i];
      const std::string fill(width - columns_of(cell.text), ' ');
      out[j].push_back({(right_[i] ? fill + cell.text : cell.text + fill) + "  ", cell.how});
    }
  }
  return out;
}

void append(lines& to, lines more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace fleet::ctl
