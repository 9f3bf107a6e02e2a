// SPDX-License-Identifier: MIT
// Light, dark, or what the system says; kept in this browser. Runs before the page is drawn, so
// that it does not flash, and is no module for that reason.
(() => {
  const root = document.documentElement;
  const themes = ['auto', 'light', 'dark'];
  let kept = null;
  try {
    kept = localStorage.getItem('fleet-theme');
  } catch {
    // No storage here: the system's.
  }
  root.dataset.theme = themes.includes(kept) ? kept : 'auto';

  addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    const show = () => {
      const {theme} = root.dataset;
      button.querySelector('use').setAttribute('href', `#theme-${theme}`);
      button.setAttribute('aria-label', `Theme: ${theme}`);
      button.title = `Theme: ${theme}`;
    };
    button.addEventListener('click', () => {
      root.dataset.theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
      try {
        localStorage.setItem('fleet-theme', root.dataset.theme);
      } catch {
        // Then for this page only.
      }
      show();
    });
    show();
  });
})();
