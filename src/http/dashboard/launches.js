// SPDX-License-Identifier: MIT
// Launches in progress: how long, and the last line of each log.
import {glyph, html, list, say, set} from './dom.js';
import {span} from './format.js';
import {isLaunching} from './model.js';

/** Between two looks at a log; over ssh each is a command. */
const pause = 2000;
/** Logs looked at; the rest of a large start shows its times only. */
const mostLogs = 6;

function launch(open) {
  let place;
  const name = html('button', {type: 'button', class: 'link', onclick: () => open(place)});
  const state = html('span', {class: 'state'});
  const times = html('span', {class: 'times'});
  const last = html('code', {class: 'last'});
  return {
    node: html('li', {'data-tone': 'busy'},
      html('div', {class: 'head'}, glyph('half').node, name, state, times),
      html('div', {class: 'runner', 'aria-hidden': 'true'}), last),
    show(next, now, text) {
      place = next;
      say(name, place.name);
      say(state, place.state);
      say(times, span(now - place.since));
      say(last, text ?? '');
      set(last, 'title', text ?? null);
      set(last, 'hidden', !text);
    },
  };
}

/** `wire` asks for the logs. */
export function launches(parent, wire, open) {
  const lines = new Map();
  const context = {now: 0};
  const rows = html('ul', {class: 'launches'});
  parent.append(rows);
  const show = list(rows, (place) => place.key, () => {
    const row = launch(open);
    return {node: row.node, show: (place) => row.show(place, context.now, lines.get(place.name))};
  });
  let now = [];
  let asking = false;

  // The last line of this launch; the log itself may end with one of an earlier launch.
  async function lastLine(place) {
    const replica = await wire.ask(`replicas/${encodeURIComponent(place.replica)}`);
    return replica.launch?.log_line ?? '';
  }

  async function ask() {
    asking = true;
    while (now.length > 0) {
      const places = now.filter((each) => each.state === 'loading').slice(0, mostLogs);
      await Promise.all(places.map(async (place) => {
        try {
          lines.set(place.name, await lastLine(place));
        } catch {
          // Gone meanwhile, or the router is; the next look tells.
        }
      }));
      draw();
      await new Promise((go) => setTimeout(go, pause));
    }
    asking = false;
    lines.clear();
  }

  function draw() {
    set(parent, 'hidden', now.length === 0);
    show(now);
  }

  return {
    show(picture, at) {
      context.now = at;
      now = picture.places.filter(isLaunching);
      draw();
      if (now.length > 0 && !asking) ask();
    },
  };
}
