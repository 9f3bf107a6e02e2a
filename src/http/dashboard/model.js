// SPDX-License-Identifier: MIT
// GET /snapshot as what the page shows: hosts with their places, and what needs a human. A place is
// a slot, or a replica that the router did not launch.
import {both, fleetctl, plural, span} from './format.js';

// How a state is shown. Never by colour alone: each tone has a glyph, each state its word.
const tones = {
  ready: 'good', starting: 'busy', reserved: 'busy', launching: 'busy', loading: 'busy',
  draining: 'leaving', stopping: 'leaving', confirming: 'leaving', waiting: 'wait',
  failed: 'bad', unconfirmed: 'bad', abandoned: 'bad', free: 'idle',
};
const glyphs = {
  failed: 'cross', abandoned: 'barred', unconfirmed: 'alert', ready: 'disc', free: 'ring',
};
const toneGlyphs = {busy: 'half', leaving: 'down', wait: 'clock'};

/** The order of the counts above the fleet. */
export const states = Object.keys(tones);

export const toneOf = (state) => tones[state] ?? 'busy';
export const glyphOf = (state) => glyphs[state] ?? toneGlyphs[toneOf(state)] ?? 'half';

/** Stages in which the router does something that ends by itself. */
const moving = new Set(['reserved', 'launching', 'loading', 'draining', 'stopping', 'confirming']);
export const isLaunching = (place) => place.state === 'launching' || place.state === 'loading';

const seconds = (text) => (text ? Date.parse(text) / 1000 : NaN);

/** A replica's phase says more than its slot's `serving`, and no more than any other stage. */
function stateOf(slot) {
  if (slot.stage !== 'serving' || !slot.replica) return slot.stage;
  return slot.replica.phase;
}

function placeOfSlot(slot, capacity) {
  const {replica} = slot;
  const own = both(slot.reason, slot.detail);
  const state = stateOf(slot);
  const note = capacity.replacing.find((each) => each.slot === slot.name);
  const since = state === replica?.phase && replica.since ? replica.since : slot.since;
  return {
    key: `slot ${slot.name}`, name: slot.name, slot: slot.name, host: slot.host,
    state, stage: slot.stage, since: seconds(since),
    // Of one that is ready or free, what went before it is no news.
    reason: state === 'ready' || state === 'free' ? '' : own || replica?.reason || '',
    before: state === 'free' ? slot.detail : '',
    devices: slot.devices ?? [], address: `${slot.address}:${slot.port}`, log: slot.log,
    drainLeft: slot.drain_left, attempt: note?.attempt, retryIn: note?.retry_in,
    replica: replica?.name, url: replica?.url, outstanding: replica?.outstanding ?? 0,
    routed: replica?.routed ?? 0,
    canAdd: capacity.free_slots.includes(slot.name),
    canRemove: replica !== undefined && slot.stage !== 'unconfirmed' && toneOf(state) !== 'leaving',
    canRelease: slot.stage === 'unconfirmed',
  };
}

const placeOfReplica = (replica) => ({
  key: `replica ${replica.name}`, name: replica.name, host: '', state: replica.phase,
  since: seconds(replica.since), reason: replica.reason ?? '', before: '', devices: [],
  address: replica.url.replace(/^https?:\/\//, ''), replica: replica.name, url: replica.url,
  outstanding: replica.outstanding, routed: replica.routed,
});

function hostsOf(places) {
  const hosts = new Map();
  for (const place of places) {
    if (!hosts.has(place.host)) hosts.set(place.host, {name: place.host, places: []});
    hosts.get(place.host).places.push(place);
  }
  return [...hosts.values()];
}

const lasting = (since, now) => (since ? `for ${span(now - seconds(since))}` : '');

/** Whether a launch that failed for this reason has left something in its log. */
const ran = (reason) => reason.includes('its log ends') || reason.startsWith('not ready');

function unconfirmed(note, run, now) {
  const [what, then] = {
    'unreachable-at-startup': [
      'what ran there before the router’s restart does not answer',
      'it may still be loading; when it is gone for certain:'],
    'no-longer-declared': [
      'launched once, and no longer in the fleet file', 'stop it on its machine, then:'],
  }[note.reason] ?? ['nobody could confirm that its replica is gone', 'look at its machine, then:'];
  return {
    who: note.slot, what, why: both(note.reason, note.detail), since: lasting(note.since, now),
    act: 'release',
    steps: [{text: then, command: run('release', note.slot)}],
  };
}

const again = (slot, run, hasLog) => [
  ...(hasLog ? [{text: 'read its log:', command: run('logs', slot)}] : []),
  {text: 'when that is put right:', command: run('add', slot)},
];

function brokenReplica(replica, capacity, run, now) {
  const {name: who, phase, owned, reason: why = ''} = replica;
  const since = lasting(replica.since, now);
  if (phase === 'failed' && owned) {
    const next = capacity.replacing.find((each) => each.slot === replica.slot);
    return {
      who, what: 'stopped answering', why, since, mild: next !== undefined,
      steps: [{text: next ? 'the router replaces it; what became of it:' : 'its log:',
        command: run('logs', replica.slot)}],
    };
  }
  if (phase === 'failed') {
    return {who, what: 'stopped answering', why, since,
      steps: [{text: `look at ${replica.url}; once it answers it takes turns again`}]};
  }
  if (phase === 'starting' && !owned) {
    return {who, what: 'never answered', why, since,
      steps: [{text: `start what the fleet file says is at ${replica.url}`}]};
  }
  return null;
}

/** What `fleetctl status` lists there, in its words; `now` in seconds of the router's clock. */
function concernsOf({replicas, capacity}, page, now) {
  const run = (...words) => fleetctl(page, ...words);
  const all = capacity.unconfirmed.map((note) => unconfirmed(note, run, now));
  for (const note of capacity.abandoned) {
    all.push({who: note.slot, act: 'add', steps: again(note.slot, run, true),
      what: `given up after ${plural(note.losses, 'replica')} lost in a row`,
      why: note.detail ?? '', since: lasting(note.since, now)});
  }
  for (const note of capacity.failed_launches) {
    all.push({who: note.slot, act: 'add', steps: again(note.slot, run, ran(note.reason)),
      what: 'its last launch failed', why: note.reason,
      since: `${span(now - seconds(note.since))} ago`});
  }
  for (const replica of replicas) {
    const broken = brokenReplica(replica, capacity, run, now);
    if (broken) all.push(broken);
  }
  const alive = replicas.some((each) => each.ready || each.phase === 'starting');
  if (!alive && capacity.free_slots.length > 0) {
    all.push({who: 'The fleet', what: 'no replica serves, and none is starting', why: '',
      act: 'add', any: true, steps: [{text: '', command: run('add', '--wait')}]});
  }
  return all.sort((a, b) => (a.mild ?? false) - (b.mild ?? false));
}

/** The picture of a snapshot. */
export function picture(snapshot, page, now) {
  const capacity = {
    free_slots: [], unconfirmed: [], abandoned: [], replacing: [], failed_launches: [],
    ...snapshot.capacity,
  };
  const places = [
    ...snapshot.slots.map((slot) => placeOfSlot(slot, capacity)),
    ...snapshot.replicas.filter((each) => !each.owned).map(placeOfReplica),
  ];
  return {
    version: snapshot.version, capacity, places, hosts: hostsOf(places),
    ready: snapshot.replicas.filter((each) => each.ready && !each.draining).length,
    replicas: snapshot.replicas.length,
    moving: places.some((place) => moving.has(place.stage)),
    concerns: concernsOf({replicas: snapshot.replicas, capacity}, page, now),
  };
}
