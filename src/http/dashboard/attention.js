// SPDX-License-Identifier: MIT
// What needs a human: what it is, since when and why, and the command that puts it right.
import {copyButton, html, icon, list, say, set} from './dom.js';
import {count, plural} from './format.js';

function step() {
  const text = html('span', {class: 'then'});
  const code = html('code');
  const command = html('span', {class: 'command'}, code,
    copyButton(() => code.textContent, 'the command'));
  return {
    node: html('li', {}, text, command),
    show({text: said, command: run}) {
      say(text, said);
      set(text, 'hidden', !said);
      say(code, run);
      set(command, 'hidden', run === undefined);
    },
  };
}

const labels = {release: 'Release…', add: 'Launch…'};

/** `act(concern)` is asked for by a row's button. */
export function attention(parent, act) {
  const title = html('h2', {id: 'attention-title'});
  const sign = html('span', {class: 'sign'}, icon('alert'), icon('tick'));
  const rows = html('ul', {class: 'concerns', 'aria-labelledby': 'attention-title'});
  parent.append(html('div', {class: 'bar'}, sign, title), rows);
  const show = list(rows, (concern) => `${concern.who} ${concern.what}`, () => {
    let concern;
    const who = html('b');
    const what = html('span');
    const since = html('small');
    const why = html('p', {class: 'why'});
    const steps = html('ul', {class: 'steps'});
    const showSteps = list(steps, (each) => each.command ?? each.text, step);
    const button = html('button', {type: 'button', class: 'small', onclick: () => act(concern)});
    return {
      node: html('li', {},
        html('div', {class: 'what'}, html('p', {}, who, ' ', what, ' ', since), why),
        steps, button),
      show(next) {
        concern = next;
        say(who, concern.who);
        say(what, concern.what);
        say(since, concern.since);
        say(why, concern.why);
        set(why, 'title', concern.why || null);
        set(why, 'hidden', concern.why === '');
        showSteps(concern.steps);
        say(button, labels[concern.act]);
        set(button, 'hidden', concern.act === undefined);
      },
    };
  });
  return {
    show(concerns) {
      const grave = concerns.filter((concern) => !concern.mild).length;
      const mild = concerns.length - grave;
      set(parent, 'data-tone', grave > 0 ? 'bad' : mild > 0 ? 'wait' : 'good');
      const human = grave > 0 ? plural(grave, 'thing needs', 'things need') : 'Nothing needs';
      say(title, `${human} a human${mild > 0 ? `; the router repairs ${count(mild)}` : ''}`);
      show(concerns);
      // Many scroll, also for the keyboard.
      set(rows, 'tabindex', rows.scrollHeight > rows.clientHeight ? 0 : null);
    },
  };
}
