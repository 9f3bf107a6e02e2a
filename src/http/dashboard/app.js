// SPDX-License-Identifier: MIT
// The page: a snapshot, then the event stream; every change asks for the next snapshot.
import {actions} from './question.js';
import {attention} from './attention.js';
import {feed} from './feed.js';
import {figures} from './figures.js';
import {fleet} from './fleet.js';
import {History} from './history.js';
import {launches} from './launches.js';
import {picture} from './model.js';
import {sheet} from './sheet.js';
import {timeline} from './chart.js';
import {say, set} from './dom.js';
import {percent, plural, span} from './format.js';
import {Refusal, Wire} from './wire.js';

const page = location.href.replace(/[?#].*$/, '');
const part = (id) => document.getElementById(id);
const wire = new Wire(page);
const history = new History();

/** Between two snapshots: after an event, while something moves, and at rest. */
const afterEvent = 150;
const whileMoving = 1000;
const atRest = 5000;

let shown = null;      // the last picture
let boot = '';         // of the router that it is of
let lastEvent = '';
let skew = 0;          // milliseconds the router's clock is ahead of this one
let lostAt = null;     // since when there is no stream
let lostWhy = '';      // in the router's words; empty: it does not answer
let timer = null;
let due = false;       // a drawing is
let asking = false;
let askAgain = false;

const routerNow = () => (Date.now() + skew) / 1000;

const act = actions({
  dialog: part('question'), notes: part('notes'), wire, changed: () => soon(afterEvent),
});
const details = sheet({dialog: part('sheet'), wire, act, page});
const openSheet = (place) => {
  details.open(place);
  draw();
};
const parts = {
  figures: figures(part('figures')),
  attention: attention(part('attention'), actOnConcern),
  fleet: fleet({hosts: part('hosts'), counts: part('legend'), open: openSheet}),
  launches: launches(part('launches'), wire, openSheet),
  events: feed(part('events')),
  affinity: timeline({
    name: 'share of turns that went to the replica of their session', most: 1, tone: 'share',
    text: (value) => `${percent(value)}%`,
  }),
};
part('affinity').append(parts.affinity.node);

function actOnConcern(concern) {
  const place = concern.any ? anyFree() : shown.places.find((each) => each.slot === concern.who);
  // A slot that the fleet file does not have any more is known by its name only.
  const {who, why} = concern;
  act(concern.act, place ??
    {name: who, slot: who, host: '', devices: [], address: '', reason: why});
}

const anyFree = () =>
  shown.places.find((place) => place.slot === shown.capacity.free_slots[0]);

part('add').addEventListener('click', () => {
  const place = anyFree();
  if (place !== undefined) act('add', place);
});

// -- what the router says -------------------------------------------------------------

function take(snapshot) {
  if (boot !== '' && boot !== snapshot.boot) {
    parts.events.mark('another router process answers: it was restarted', Date.now());
  }
  ({boot, last_event: lastEvent} = snapshot);
  shown = picture(snapshot, page, routerNow());
  for (const place of shown.places) place.seen = Date.now() / 1000;
  snapshot.events.forEach((event) => parts.events.add(event));
  if (Number.isNaN(history.at)) history.totals = snapshot.totals;
  set(part('sign-in'), 'hidden', true);
  set(part('picture'), 'hidden', false);
  draw();
}

async function look() {
  asking = true;
  try {
    take(await wire.ask('snapshot'));
  } finally {
    asking = false;
  }
}

/** The next snapshot in so many milliseconds, or when it is due anyway. */
function soon(wait) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (lostAt !== null || part('picture').hidden) return;
    if (asking) {
      askAgain = true;
      return;
    }
    try {
      await look();
    } catch {
      // The stream tells when the router is gone.
    }
    const next = askAgain ? afterEvent : shown?.moving ? whileMoving : atRest;
    askAgain = false;
    soon(next);
  }, wait);
}

function heard(message) {
  const data = JSON.parse(message.data);
  if (message.event === 'sample') {
    const before = skew;
    skew = Date.parse(data.at) - Date.now();
    if (Math.abs(skew - before) > 2000) soon(0);  // all ages were of another clock
    history.push(data);
    draw();
  } else if (message.event === 'reset') {
    soon(0);
  } else {
    lastEvent = message.id;
    parts.events.add({id: message.id, ...data});
    soon(afterEvent);
  }
}

async function begin() {
  await look();
  lostAt = null;
  soon(atRest);
  drawLive();
  return lastEvent;
}

function lost(error) {
  if (error.status === 401) {
    signIn(wire.hasToken ? 'The router does not accept this token.' : '');
    return;
  }
  lostAt ??= Date.now();
  lostWhy = error instanceof Refusal ? error.message : '';
  drawLive();
}

// -- the token ------------------------------------------------------------------------

function signIn(refused) {
  wire.token = '';
  set(part('picture'), 'hidden', true);
  set(part('sign-in'), 'hidden', false);
  say(part('refused'), refused);
  part('sign-in').reset();
  part('token').focus();
  drawLive();
}

part('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = part('token').value.trim();
  if (!/^[!-~]{1,4096}$/.test(token)) {
    say(part('refused'), 'A token is visible ASCII characters without spaces.');
    return;
  }
  wire.token = token;
  part('token').value = '';
  run();
});

part('forget').addEventListener('click', () => location.reload());

// -- drawing --------------------------------------------------------------------------

/** At the next frame, once for all that was heard until then; a hidden page has none. */
function draw() {
  if (!due) requestAnimationFrame(drawNow);
  due = true;
}

function drawNow() {
  due = false;
  if (shown === null) return;
  const now = routerNow();
  parts.figures.show(shown, history);
  parts.attention.show(shown.concerns);
  parts.fleet.show(shown, history, now);
  parts.launches.show(shown, now);
  parts.affinity.show(history.share.last(), history.at);
  details.show(shown, history, now);
  set(part('add'), 'disabled', shown.capacity.free_slots.length === 0);
  say(part('version'), shown.version);
  const ok = shown.ready > 0;
  set(part('status'), 'data-tone', ok ? 'good' : 'bad');
  const words = ok ? `${plural(shown.ready, 'replica')} ready` : 'no replica is ready';
  say(part('status'), words);
  const grave = shown.concerns.filter((each) => !each.mild).length;
  document.title = `${grave > 0 ? `(${grave}) ` : ''}Fleet, ${words}`;
  set(part('forget'), 'hidden', !wire.hasToken);
  drawLive();
}

function drawLive() {
  const hidden = part('picture').hidden;
  const live = lostAt === null && !hidden;
  set(part('live'), 'data-tone', lostAt !== null ? 'bad' : live ? 'good' : 'idle');
  set(document.body, 'data-stale', lostAt !== null);
  const gone = lostAt !== null && span((Date.now() - lostAt) / 1000);
  say(part('live'), gone ? `${lostWhy || 'no answer'} for ${gone}, trying again` : live ? 'live' : '');
}

setInterval(() => {
  if (lostAt !== null) drawLive();
}, 1000);
addEventListener('online', () => wire.restart());

const run = () => wire.follow({begin, heard, lost});
run();
