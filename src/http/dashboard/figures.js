// SPDX-License-Identifier: MIT
// The strip of figures above the fleet.
import {html, say, set} from './dom.js';
import {sparkline} from './chart.js';
import {count, milliseconds, percent, rate} from './format.js';

const seconds = 300;

function figure(label, tone, least, title) {
  const number = html('b');
  const unit = html('small');
  const chart = least === undefined ? null : sparkline(least);
  return {
    node: html('div', {class: `figure ${tone}`, title},
      html('span', {class: 'label'}, label), html('span', {class: 'value'}, number, unit),
      chart?.node),
    show(value, suffix = '', values = null) {
      say(number, value);
      say(unit, suffix);
      if (values !== null) chart.show(values);
    },
  };
}

export function figures(parent) {
  const ready = figure('ready', '', undefined, 'replicas that take turns');
  const flight = figure('in flight', 'flight', 4, 'requests at replicas now');
  const turns = figure('turns/s', 'turns', 2, 'turns routed a second, over the last 5 s');
  const byte = figure('first byte', 'byte', 20, 'mean time to the first byte, over the last 30 s');
  const share = figure('to their pin', 'share', 1,
    'share of turns that went to the replica of their session, over the last 30 s');
  const sessions = figure('sessions', '', undefined, 'sessions with a pin');
  const rejected = figure('rejected', '', undefined,
    'turns refused because no replica was ready, since the router started');
  parent.append(...[ready, flight, turns, byte, share, sessions, rejected].map((one) => one.node));
  return {
    show(picture, history) {
      const {totals} = history;
      ready.show(count(picture.ready), ` of ${count(picture.replicas)}`);
      set(ready.node, 'data-bad', picture.ready === 0);
      const now = history.outstanding.last(1)[0];
      flight.show(Number.isNaN(now) ? '–' : count(now), '', history.outstanding.last(seconds));
      turns.show(rate(history.rate), '', history.turns.last(seconds));
      byte.show(...milliseconds(history.meanFirstByte), history.firstByte.last(seconds));
      const pinned = percent(history.shareLately);
      share.show(pinned, pinned === '–' ? '' : '%', history.share.last(seconds));
      sessions.show(count(totals.sessions));
      rejected.show(count(totals.rejected));
      set(rejected.node, 'data-bad', totals.rejected > 0 && picture.ready === 0);
    },
  };
}
