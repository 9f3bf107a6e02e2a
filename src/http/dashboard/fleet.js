// SPDX-License-Identifier: MIT
// The fleet as a grid: a group for each host, a tile for each place. Large fleets get smaller
// tiles; a tile opens the sheet, which has everything.
import {glyph, html, list, say, set} from './dom.js';
import {sparkline} from './chart.js';
import {both, count, milliseconds, plural, rate, span} from './format.js';
import {glyphOf, states, toneOf} from './model.js';

/** Above so many places a tile has no charts; above the second number it is its glyph alone. */
const chartsUpTo = 64;
const wordsUpTo = 256;
const sparkSeconds = 120;

function density(places) {
  if (places > wordsUpTo) return 'dots';
  return places > chartsUpTo ? 'words' : 'charts';
}

function measure(label, tone, least) {
  const number = html('b');
  const unit = html('small');
  const chart = sparkline(least);
  return {
    node: html('span', {class: `measure ${tone}`},
      html('span', {class: 'label'}, label), html('span', {}, number, unit), chart.node),
    show(value, suffix, values) {
      say(number, value);
      say(unit, suffix);
      chart.show(values);
    },
  };
}

/** How long it has been so. */
export function timesOf(place, now) {
  return Number.isNaN(place.since) ? '' : span(now - place.since);
}

/** What is to come, and why it is as it is. */
export function outlookOf(place) {
  const passed = Date.now() / 1000 - place.seen;
  const all = [];
  if (place.drainLeft !== undefined) {
    all.push(`stops within ${span(place.drainLeft - passed)}`);
  }
  if (place.state === 'waiting' && place.retryIn > passed) {
    all.push(`launches again in ${span(place.retryIn - passed)}`);
  }
  if (place.state === 'free') all.push(place.canAdd ? 'can be launched on' : 'at the ceiling');
  if (place.reason !== place.state) all.push(place.reason);
  return all.filter(Boolean).join(' · ');
}

/** A place as a button. `open(place)` is what it does. */
function tile(open) {
  let place;
  const sign = glyph('half');
  const name = html('span', {class: 'name'});
  const state = html('span', {class: 'state'});
  const times = html('span', {class: 'times'});
  const reason = html('span', {class: 'reason'});
  const measures = html('span', {class: 'measures'});
  const inFlight = measure('in flight', 'flight', 4);
  const turns = measure('turns/s', 'turns', 2);
  const firstByte = measure('ttfb', 'byte', 20);
  measures.append(inFlight.node, turns.node, firstByte.node);
  const node = html('button', {type: 'button', class: 'tile', onclick: () => open(place)},
    html('span', {class: 'head'}, sign.node, name, state, times), reason, measures);
  return {
    node,
    show(next, {now, history, charts}) {
      place = next;
      const known = charts && place.replica ? history.of(place.replica) : undefined;
      set(node, 'data-tone', toneOf(place.state));
      set(node, 'data-place', place.name);
      sign.show(glyphOf(place.state));
      say(name, place.name);
      say(state, place.state);
      say(times, timesOf(place, now));
      const outlook = outlookOf(place);
      say(reason, outlook);
      set(reason, 'hidden', outlook === '');
      // What takes turns, or has some left, is measured; of the rest the reason is the news.
      const measured = known !== undefined &&
        (place.state === 'ready' || place.state === 'draining' || known.inFlight > 0);
      set(measures, 'hidden', !measured);
      set(node, 'title', both(`${place.name} ${place.state}`, place.reason));
      if (!measured) return;
      inFlight.show(count(known.inFlight), '', known.outstanding.last(sparkSeconds));
      turns.show(rate(known.rate), '', known.turns.last(sparkSeconds));
      firstByte.show(...milliseconds(known.meanFirstByte), known.firstByte.last(sparkSeconds));
    },
  };
}

function group(open, context) {
  const title = html('h3');
  const note = html('p');
  const grid = html('div', {class: 'grid'});
  const tiles = list(grid, (place) => place.key, () => {
    const made = tile(open);
    return {node: made.node, show: (place) => made.show(place, context)};
  });
  return {
    node: html('section', {class: 'host'}, html('div', {class: 'bar'}, title, note), grid),
    show({name, places}) {
      say(title, name || 'Not launched here');
      const devices = places.reduce((sum, place) => sum + place.devices.length, 0);
      const ready = places.filter((place) => place.state === 'ready').length;
      say(note, `${ready} of ${places.length} ready` +
        (devices > 0 ? ` · ${plural(devices, 'device')}` : ''));
      tiles(places);
    },
  };
}

function legend(parent) {
  const entries = list(parent, (entry) => entry.state, ({state}) => {
    const number = html('b');
    const node = html('li', {'data-tone': toneOf(state)},
      glyph(glyphOf(state)).node, number, ` ${state}`);
    return {node, show: (entry) => say(number, count(entry.places))};
  });
  return (places) => {
    const counts = new Map();
    for (const {state} of places) counts.set(state, (counts.get(state) ?? 0) + 1);
    const rank = ([state]) => states.indexOf(state);
    entries([...counts].sort((a, b) => rank(a) - rank(b))
      .map(([state, number]) => ({state, places: number})));
  };
}

/** Arrow keys go from tile to tile. */
function walk(hosts, event) {
  const steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 'down', ArrowUp: 'up'};
  const step = steps[event.key];
  const tiles = [...hosts.querySelectorAll('.tile')];
  const at = tiles.indexOf(document.activeElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  if (typeof step === 'number') {
    tiles[at + step]?.focus();
    return;
  }
  const box = tiles[at].getBoundingClientRect();
  const row = tiles.slice(step === 'down' ? at + 1 : 0, step === 'down' ? undefined : at);
  const near = (each) => Math.abs(each.getBoundingClientRect().left - box.left) < box.width / 2;
  const below = row.filter((each) => near(each) && each.getBoundingClientRect().top !== box.top);
  (step === 'down' ? below[0] : below.at(-1))?.focus();
}

/** The grid of hosts and the counts above it. */
export function fleet({hosts, counts, open}) {
  const context = {now: 0, history: null, charts: true};
  const groups = list(hosts, (host) => host.name, () => group(open, context));
  const phases = legend(counts);
  hosts.addEventListener('keydown', (event) => walk(hosts, event));
  return {
    show(picture, history, now) {
      const size = density(picture.places.length);
      Object.assign(context, {history, now, charts: size === 'charts'});
      set(hosts, 'data-density', size);
      phases(picture.places);
      groups(picture.hosts);
    },
  };
}
