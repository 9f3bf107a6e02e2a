// SPDX-License-Identifier: MIT
// The events, newest first. Any event has a line; those known here have a tone as well.
import {glyph, html, say, set} from './dom.js';
import {clock} from './format.js';
import {glyphOf, toneOf} from './model.js';

const most = 200;

const tones = {
  bad: ['launch_failed', 'stop_unconfirmed', 'slot_reserved', 'replica_lost', 'slot_abandoned',
    'record_failed', 'out_of_descriptors', 'actor_died', 'prober_failed', 'replica_exited'],
  wait: ['replica_unroutable', 'replacement_waits', 'replica_failed', 'replica_connect_failed',
    'turn_timeout', 'drain_timeout', 'accept_paused', 'admin_unauthorized', 'admin_api_open',
    'replica_unreachable', 'fleet_file'],
  busy: ['replica_launching', 'replica_launched', 'replacing'],
  good: ['replica_ready', 'replica_adopted', 'accept_resumed', 'slot_released'],
  leaving: ['replica_draining', 'replica_drained', 'stopping', 'replica_stopping'],
};
const toneByName = new Map(
  Object.entries(tones).flatMap(([tone, names]) => names.map((name) => [name, tone])));
const glyphByTone = {
  bad: 'cross', wait: 'alert', busy: 'half', good: 'disc', leaving: 'down', info: 'dot',
};

/** Told elsewhere in the line, or of use to a log's reader only. */
const apart = new Set(['id', 'at', 'event', 'replica', 'slot', 'phase', 'instance', 'reason']);

/** An event's line: `{tone, sign, who, what, more}`. */
export function lineOf(event) {
  const {phase} = event;
  const tone = toneByName.get(event.event) ?? (phase ? toneOf(phase) : 'info');
  const rest = Object.entries(event).filter(([name, value]) => !apart.has(name) && value !== '')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  return {
    tone,
    sign: event.event === 'replica_phase' && phase ? glyphOf(phase) : glyphByTone[tone] ?? 'dot',
    who: event.replica ?? event.slot ?? '',
    what: event.event === 'replica_phase' && phase ? phase : event.event.replaceAll('_', ' '),
    more: [event.reason, ...rest].filter(Boolean).join(' · '),
  };
}

function row(event) {
  const {tone, sign, who, what, more} = lineOf(event);
  const at = Date.parse(event.at);
  const title = JSON.stringify(event, null, 1);
  return html('li', {'data-tone': tone, 'data-event': event.event, title},
    html('time', {datetime: event.at}, clock(at)), glyph(sign).node,
    html('p', {}, who === '' ? null : html('b', {}, who), ' ', html('span', {class: 'what'}, what),
      more === '' ? null : html('span', {class: 'more'}, ` ${more}`)));
}

export function feed(parent) {
  const seen = new Set();
  const empty = html('li', {class: 'empty'}, 'Nothing has happened yet');
  parent.append(empty);

  function add(node) {
    empty.remove();
    const top = parent.scrollTop;
    parent.prepend(node);
    // Who reads further down is left there.
    if (top > 0) parent.scrollTop = top + node.offsetHeight;
    while (parent.children.length > most) parent.lastElementChild.remove();
  }

  return {
    /** An event; one that is there already is no news. */
    add(event) {
      if (seen.has(event.id)) return;
      seen.add(event.id);
      add(row(event));
    },
    /** Something the page itself has to say. */
    mark(text, at) {
      add(html('li', {class: 'mark'}, html('time', {}, clock(at)), html('p', {}, text)));
    },
  };
}
