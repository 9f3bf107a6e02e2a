// SPDX-License-Identifier: MIT
// Charts by hand, in SVG: a sparkline, and a chart over time with axes and a reading under the
// pointer. NaN is a gap.
import {html, say, set, svg} from './dom.js';
import {clock} from './format.js';

const round = (number) => Math.round(number * 10) / 10;

/** Runs of values that are numbers, as lists of [x, y]. */
function runs(values, width, y) {
  const step = width / Math.max(1, values.length - 1);
  const all = [];
  let run = null;
  values.forEach((value, i) => {
    if (Number.isNaN(value)) {
      run = null;
      return;
    }
    if (run === null) all.push(run = []);
    run.push([round(i * step), round(y(value))]);
  });
  return all;
}

const corners = (run) => run.map(([x, y]) => `${x} ${y}`).join('L');

/** Paths of the line and of the area below it. A single value is a short line. */
function paths(values, width, height, most, pad = 1) {
  const y = (value) => height - pad - (Math.min(value, most) / most) * (height - 2 * pad);
  const all = runs(values, width, y)
    .map((run) => (run.length > 1 ? run : [[Math.max(0, run[0][0] - 1), run[0][1]], run[0]]));
  return {
    line: all.map((run) => `M${corners(run)}`).join(''),
    area: all.map((run) =>
      `M${run[0][0]} ${height}L${corners(run)}L${run.at(-1)[0]} ${height}Z`).join(''),
  };
}

const largest = (values, least) =>
  values.reduce((most, value) => (value > most ? value : most), least);

/** A small chart without axes; `least` is what its height means at least. The number beside it says
 * the same to who cannot see it. */
export function sparkline(least = 1) {
  const width = 120;
  const height = 24;
  const area = svg('path', {class: 'area'});
  const line = svg('path', {class: 'line', 'vector-effect': 'non-scaling-stroke'});
  const node = svg('svg', {
    class: 'spark', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  }, area, line);
  return {
    node,
    show(values) {
      const drawn = paths(values, width, height, largest(values, least) * 1.05, 1.5);
      set(area, 'd', drawn.area);
      set(line, 'd', drawn.line);
    },
  };
}

/** 1, 2, 2.5 or 5 times a power of ten, at least `value`. */
function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
}

/**
 * A chart over time, one value a second, the newest at the right. `most`: fixed height, else that
 * of the largest value; `text(value)` for axes and reading; `name` for who cannot see it.
 */
export function timeline({name, text, most = 0, least = 1, tone = ''}) {
  const width = 600;
  const height = 100;
  const area = svg('path', {class: 'area'});
  const line = svg('path', {class: 'line', 'vector-effect': 'non-scaling-stroke'});
  const across = [0.5, height / 2, height - 0.5].map((y) =>
    svg('line', {class: 'grid', x1: 0, x2: width, y1: y, y2: y}));
  const cursor = svg('line', {class: 'cursor', y1: 0, y2: height, hidden: true});
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': name,
  }, across, area, line, cursor);
  const axis = [html('span'), html('span'), html('span')];
  const from = html('span');
  const reading = html('span', {class: 'reading'});
  const node = html('figure', {class: `timeline ${tone}`},
    html('div', {class: 'axis', 'aria-hidden': 'true'}, axis),
    html('div', {class: 'plot'}, drawing),
    html('figcaption', {}, from, reading, html('span', {}, 'now')));
  let values = [];
  let end = NaN;
  let pointed = null;

  function read() {
    set(cursor, 'hidden', pointed === null);
    if (pointed === null) {
      say(reading, '');
      return;
    }
    const i = Math.round(pointed * (values.length - 1));
    const x = pointed * width;
    set(cursor, 'x1', x);
    set(cursor, 'x2', x);
    const value = values[i];
    const when = clock(end - (values.length - 1 - i) * 1000);
    say(reading, `${when}  ${Number.isNaN(value) ? 'no turns' : text(value)}`);
  }
  drawing.addEventListener('pointermove', (event) => {
    const box = drawing.getBoundingClientRect();
    pointed = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    read();
  });
  drawing.addEventListener('pointerleave', () => {
    pointed = null;
    read();
  });
  return {
    node,
    /** `at`: when the newest value was, in milliseconds. */
    show(next, at) {
      values = next;
      end = at;
      const top = most || niceAbove(largest(values, least));
      const drawn = paths(values, width, height, top);
      set(area, 'd', drawn.area);
      set(line, 'd', drawn.line);
      [top, top / 2, 0].forEach((value, i) => say(axis[i], text(value)));
      say(from, `${Math.round(values.length / 60)} min ago`);
      read();
    },
  };
}
