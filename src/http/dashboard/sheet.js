// SPDX-License-Identifier: MIT
// Everything about one place, in a sheet at the side: what it is, its charts, the end of its log,
// and what can be done with it.
import {copyButton, glyph, html, icon, say, set} from './dom.js';
import {timeline} from './chart.js';
import {count, fleetctl, milliseconds} from './format.js';
import {glyphOf, toneOf} from './model.js';
import {outlookOf, timesOf} from './fleet.js';

const logLines = 40;
const logPause = 2000;

const plain = (value) => `${Math.round(value * 10) / 10}`;

function factsOf(place) {
  return [
    ['now', outlookOf(place)], ['last launch', place.before],
    ['host', place.host], ['devices', place.devices.join(', ')], ['address', place.address],
    ['routed', place.replica === undefined ? '' : count(place.routed)],
    ['in flight', place.replica === undefined ? '' : count(place.outstanding)],
    ['replacement', place.attempt === undefined ? '' : `attempt ${place.attempt}`],
    ['log', place.log ?? ''],
  ].filter(([, value]) => value !== '' && value !== undefined);
}

/** What the sheet of a place offers: [kind, label, command]. */
function offersOf(place, page) {
  const run = (...words) => fleetctl(page, ...words);
  return [
    place.canAdd && ['add', 'Launch…', run('add', place.slot, '--wait')],
    place.canRemove && ['remove', 'Remove…', run('remove', place.replica)],
    place.canRelease && ['release', 'Release…', run('release', place.slot)],
  ].filter(Boolean);
}

export function sheet({dialog, wire, act, page}) {
  let place = null;
  let offered = '';
  const sign = glyph('half');
  const name = html('h2', {id: 'sheet-title'});
  const state = html('span', {class: 'state'});
  const times = html('span', {class: 'times'});
  const facts = html('dl');
  const offers = html('div', {class: 'offers'});
  const logs = html('section', {},
    html('h3', {}, 'Log'), html('pre', {tabindex: 0, 'aria-label': 'The end of the log'}));
  const log = logs.querySelector('pre');
  const inFlight = timeline({
    name: 'requests in flight', text: plain, least: 4, tone: 'flight'});
  const turns = timeline({
    name: 'turns a second', text: plain, least: 2, tone: 'turns'});
  const firstByte = timeline({
    name: 'time to the first byte', text: (value) => milliseconds(value).join(' '), least: 20,
    tone: 'byte'});
  const charts = html('section', {class: 'charts'},
    html('h3', {}, 'In flight'), inFlight.node, html('h3', {}, 'Turns a second'), turns.node,
    html('h3', {}, 'Time to the first byte'), firstByte.node);
  const close = html('button', {
    type: 'button', class: 'quiet square', 'aria-label': 'Close', onclick: () => dialog.close(),
  }, icon('close'));
  dialog.append(html('div', {class: 'head'}, sign.node, name, state, times, close), offers, facts,
    charts, logs);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });

  function showOffers() {
    const all = offersOf(place, page);
    const key = JSON.stringify(all);
    if (key === offered) return;
    offered = key;
    offers.replaceChildren(...all.map(([kind, label, command]) => html('div', {class: 'offer'},
      html('button', {type: 'button', class: 'small', onclick: () => act(kind, place)}, label),
      html('span', {class: 'command'}, html('code', {}, command),
        copyButton(() => command, 'the command')))));
  }

  async function followLog(of) {
    while (dialog.open && place?.key === of.key) {
      let text = '';
      try {
        text = await wire.text(`slots/${encodeURIComponent(of.slot)}/log?tail=${logLines}`);
      } catch (error) {
        text = error.message;
      }
      if (place?.key !== of.key) return;
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      say(log, text);
      if (atEnd) log.scrollTop = log.scrollHeight;
      await new Promise((go) => setTimeout(go, logPause));
    }
  }

  return {
    open(next) {
      place = next;
      offered = '';
      say(log, '');
      facts.replaceChildren();
      set(logs, 'hidden', place.slot === undefined);
      dialog.showModal();
      dialog.scrollTop = 0;
      if (place.slot !== undefined) followLog(place);
    },
    show(picture, history, now) {
      if (!dialog.open) return;
      const next = picture.places.find((each) => each.key === place.key);
      if (next === undefined) {
        dialog.close();
        return;
      }
      place = next;
      set(dialog, 'data-tone', toneOf(place.state));
      sign.show(glyphOf(place.state));
      say(name, place.name);
      say(state, place.state);
      say(times, timesOf(place, now));
      showOffers();
      const known = factsOf(place);
      while (facts.children.length > 2 * known.length) facts.lastChild.remove();
      known.forEach(([key, value], i) => {
        if (facts.children.length <= 2 * i) facts.append(html('dt'), html('dd'));
        say(facts.children[2 * i], key);
        say(facts.children[2 * i + 1], value);
      });
      const measured = place.replica === undefined ? undefined : history.of(place.replica);
      set(charts, 'hidden', measured === undefined);
      if (measured === undefined) return;
      inFlight.show(measured.outstanding.last(), history.at);
      turns.show(measured.turns.last(), history.at);
      firstByte.show(measured.firstByte.last(), history.at);
    },
  };
}
