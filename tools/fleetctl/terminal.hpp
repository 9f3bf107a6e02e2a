// SPDX-License-Identifier: MIT
#pragma once

#include "lines.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace fleet::ctl {

/// Standard output, and what it can do. Written by one thread.
class terminal {
 public:
  /// `colour`: whether colours are wanted where they can be shown.
  explicit terminal(bool colour);

  /// Lines can be redrawn: it is a terminal, and no dumb one.
  [[nodiscard]] bool live() const { return live_; }
  [[nodiscard]] bool colour() const { return colour_; }
  /// Of the terminal now; 80 and 24 when it does not tell.
  [[nodiscard]] std::size_t columns() const { return size().columns; }
  [[nodiscard]] std::size_t rows() const { return size().rows; }

  /// Colours as far as they are wanted, lines of any length.
  [[nodiscard]] style free_style() const { return {.colour = colour_}; }
  /// The same with lines that fit the terminal; where there is none, of any length.
  [[nodiscard]] style fitted_style() const;

  void write(std::string_view text) const;
  /// Of the first write that failed.
  [[nodiscard]] std::error_code write_error() const { return write_error_; }

 private:
  struct extent {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };
  [[nodiscard]] extent size() const;

  bool live_;
  bool colour_;
  mutable std::error_code write_error_;
};

/// A few lines at the end of what was printed that are redrawn in place. On what is no terminal it
/// prints a line when, and only when, it says something new.
class live_lines {
 public:
  explicit live_lines(const terminal& on) : on_(on) {}

  /// In place of what it drew before. `brief` holds the same lines without what changes all the
  /// time; those are what a pipe gets.
  void draw(const lines& now, const lines& brief);
  /// A line for good, above the others.
  void say(const line& text);
  /// Takes away what it drew.
  void clear();

 private:
  const terminal& on_;
  std::size_t drawn_ = 0;
  std::vector<std::string> said_;
};

/// The terminal's second screen, with the cursor hidden; the first one is back when it goes.
class full_screen {
 public:
  explicit full_screen(const terminal& on);
  ~full_screen();
  full_screen(const full_screen&) = delete;
  full_screen& operator=(const full_screen&) = delete;

  /// What fits of the lines, from the top left corner.
  void draw(const lines& now) const;
  void leave() const;
  void enter() const;

 private:
  const terminal& on_;
};

/// Holds back the signals that end, stop or resize a program, for as long as it lives, so that they
/// can be waited for. Made before any thread.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;

  /// The next of them; 0 when `limit` passes first.
  [[nodiscard]] int wait(std::chrono::nanoseconds limit) const;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace fleet::ctl
