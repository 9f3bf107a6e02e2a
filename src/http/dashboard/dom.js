// SPDX-License-Identifier: MIT
// Elements by hand. What the router says enters the page here, and only ever as text or as the
// value of a harmless attribute: nothing is parsed as markup.

const svgNames = 'http://www.w3.org/2000/svg';

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else set(node, name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element; `onclick: function` listens, `true` is a bare attribute, `null` is none. */
export const html = (tag, attributes = {}, ...children) =>
  filled(document.createElement(tag), attributes, children);

/** The same in SVG. */
export const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(svgNames, tag), attributes, children);

/** Sets or removes an attribute; does not touch one that is right already. */
export function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const wanted = value === true ? '' : `${value}`;
  if (node.getAttribute(name) !== wanted) node.setAttribute(name, wanted);
}

/** Sets a text; does not touch one that is right already, so that a selection in it stays. */
export function say(node, text) {
  const wanted = `${text ?? ''}`;
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** A glyph of the sprite in index.html. */
export function glyph(name) {
  const use = svg('use', {href: `#${name}`});
  const node = svg('svg', {class: 'glyph', viewBox: '0 0 16 16', 'aria-hidden': 'true'}, use);
  return {node, show: (next) => set(use, 'href', `#${next}`)};
}

export const icon = (name) => glyph(name).node;

/**
 * The children of `parent` as one part for each item: `make(item)` gives `{node, show(item)}`.
 * Parts are kept by key, so that focus and selection stay where they are.
 */
export function list(parent, keyOf, make) {
  const parts = new Map();
  return (items) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, part] of parts) {
      if (keys.has(key)) continue;
      part.node.remove();
      parts.delete(key);
    }
    let at = parent.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      if (!parts.has(key)) parts.set(key, make(item));
      const part = parts.get(key);
      if (part.node === at) at = at.nextElementSibling;
      else parent.insertBefore(part.node, at);
      part.show(item);
    }
  };
}

/** Copies a text, also on a page that came by plain http: that has no clipboard object. */
export async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed; the old way may be.
    }
  }
  const area = html('textarea', {class: 'aside', readonly: true, tabindex: -1});
  area.value = text;
  const host = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  host.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return done;
}

/** A button that copies what `text()` gives, and says so. */
export function copyButton(text, what) {
  const label = html('span', {}, 'Copy');
  const button = html('button', {
    type: 'button', class: 'small', 'aria-label': `Copy ${what}`,
    onclick: async () => {
      const done = await copy(text());
      say(label, done ? 'Copied' : 'Not allowed');
      setTimeout(() => say(label, 'Copy'), 1500);
    },
  }, icon('copy'), label);
  return button;
}
