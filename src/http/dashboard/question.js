// SPDX-License-Identifier: MIT
// The dialog before anything is done, and the three things that can be done.
import {html, say, set} from './dom.js';
import {plural} from './format.js';

/**
 * Asks; true when it was confirmed. `sure`: a sentence that has to be ticked first. `confirm` is
 * the button's word, `grave` its colour.
 */
export function ask(dialog, {title, text, facts = [], sure, confirm, grave = false}) {
  return new Promise((answer) => {
    const yes = html('button', {
      type: 'submit', value: 'yes', class: grave ? 'main grave' : 'main',
      disabled: sure !== undefined,
    }, confirm);
    const box = sure === undefined ? null : html('label', {class: 'sure'},
      html('input', {
        type: 'checkbox',
        onchange: (event) => set(yes, 'disabled', !event.target.checked),
      }), html('span', {}, sure));
    const no = html('button', {type: 'submit', value: 'no', formnovalidate: true}, 'Cancel');
    const known = facts.filter(([, value]) => value)
      .flatMap(([name, value]) => [html('dt', {}, name), html('dd', {}, value)]);
    dialog.replaceChildren(html('form', {method: 'dialog'},
      html('h2', {id: 'question-title'}, title), html('p', {}, text),
      known.length > 0 ? html('dl', {}, known) : null, box, html('div', {class: 'row'}, no, yes)));
    dialog.returnValue = 'no';
    dialog.onclose = () => answer(dialog.returnValue === 'yes');
    dialog.showModal();
    (sure === undefined ? no : box.querySelector('input')).focus();
  });
}

const factsOf = (place) => [
  ['host', place.host], ['devices', place.devices.join(', ')], ['address', place.address],
];

const questions = {
  add: (place) => ({
    title: `Launch a replica on ${place.name}?`, confirm: `Launch on ${place.name}`,
    text: 'The router starts it on these devices and sends it turns once it is ready.',
    facts: [...factsOf(place), ['last time', place.before]],
  }),
  remove: (place) => ({
    title: `Remove ${place.name}?`, confirm: `Remove ${place.name}`, grave: true,
    text: place.outstanding > 0
      ? `It takes no new turns. Its ${plural(place.outstanding, 'running request')} may finish ` +
        'within the drain timeout, then it is stopped.'
      : 'It takes no new turns and is stopped. Its sessions go on at another replica.',
    facts: factsOf(place),
  }),
  release: (place) => ({
    title: `Release ${place.name}?`, confirm: `Release ${place.name}`, grave: true,
    text: 'The router believes you and launches on these devices again. If a process of the old ' +
      'replica still runs there, two will share them.',
    facts: [...factsOf(place), ['because', place.reason]],
    sure: 'I have looked at the machine: these devices are free.',
  }),
};

const calls = {
  add: (wire, place) => wire.ask('replicas', 'POST', place.slot ? {slot: place.slot} : undefined),
  remove: (wire, place) => wire.ask(`replicas/${encodeURIComponent(place.replica)}`, 'DELETE'),
  release: (wire, place) => wire.ask(`slots/${encodeURIComponent(place.slot)}/release`, 'POST'),
};

const doing = {add: 'launching', remove: 'removing', release: 'releasing'};
const done = {add: 'launch accepted', remove: 'removed', release: 'released'};

/** Notes about what is under way and how it went, each until it is closed or old. */
function noteIn(parent, text) {
  const said = html('span', {}, text);
  const close = html('button', {
    type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => note.remove(),
  }, '×');
  const note = html('p', {class: 'note'}, said, close);
  parent.append(note);
  // Shown anew it lies above a dialog that was opened meanwhile.
  parent.hidePopover();
  parent.showPopover();
  return (next, tone, keep) => {
    say(said, next);
    set(note, 'data-tone', tone);
    if (!keep) setTimeout(() => note.remove(), 6000);
  };
}

/** `act(kind, place)`: asks, does it and tells. `changed()`: the router has answered. */
export function actions({dialog, notes, wire, changed}) {
  return async (kind, place) => {
    if (!await ask(dialog, questions[kind](place))) return;
    const tell = noteIn(notes, `${place.name}: ${doing[kind]}`);
    changed();
    try {
      const answer = await calls[kind](wire, place);
      tell(`${answer.name ?? answer.slot ?? place.name}: ${done[kind]}`, 'good', false);
    } catch (error) {
      tell(`${place.name}: ${error.message}`, 'bad', true);
    }
    changed();
  };
}
