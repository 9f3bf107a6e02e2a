// SPDX-License-Identifier: MIT
// What the samples of GET /events add up to: totals since the router's start become rates. A value
// that cannot be told, such as the mean of no answers, is NaN and leaves a gap in its chart.

/** Seconds kept of the fleet, and of one replica. */
export const fleetSeconds = 900;
export const replicaSeconds = 300;
/** A rate is a mean over the first of these; a time to the first byte over the second, drawn, and
 * the third, told: there it has to hold still enough to be read. */
const rateSeconds = 5;
const drawnSeconds = 10;
const meanSeconds = 30;

/** The last `size` values, one a second. */
export class Series {
  #values;
  #next = 0;

  constructor(size) {
    this.#values = new Float32Array(size).fill(NaN);
  }

  push(value) {
    this.#values[this.#next % this.#values.length] = value;
    ++this.#next;
  }

  get size() {
    return this.#values.length;
  }

  /** The last `count` values, oldest first. */
  last(count = this.size) {
    const {length} = this.#values;
    const from = this.#next + length - Math.min(count, length);
    return Array.from({length: Math.min(count, length)}, (_, i) =>
      this.#values[(from + i) % length]);
  }

  sum(count) {
    return this.last(count).reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  }
}

/** What a counter has grown by. Much smaller it is that of a new process; a little, when a turn
 *  could not be connected and was taken back. */
const grown = (now, before) => {
  if (before === undefined) return NaN;
  return now < before / 2 ? now : Math.max(0, now - before);
};

class Replica {
  outstanding = new Series(replicaSeconds);
  turns = new Series(replicaSeconds);      // a second, of late
  firstByte = new Series(replicaSeconds);  // mean milliseconds, of late
  #turns = new Series(rateSeconds);
  #answers = new Series(meanSeconds);
  #waited = new Series(meanSeconds);
  #before = {};
  inFlight = 0;

  push(sample, seconds) {
    const turns = grown(sample.routed, this.#before.routed);
    const answers = grown(sample.answers, this.#before.answers);
    const waited = grown(sample.first_byte_ms_sum, this.#before.first_byte_ms_sum);
    this.#before = sample;
    this.inFlight = sample.outstanding;
    this.outstanding.push(sample.outstanding);
    this.#turns.push(turns / seconds);
    this.#answers.push(answers);
    this.#waited.push(waited);
    this.turns.push(this.rate);
    this.firstByte.push(this.#waited.sum(drawnSeconds) / this.#answers.sum(drawnSeconds));
  }

  /** Turns a second of late. */
  get rate() {
    return this.#turns.sum(rateSeconds) / rateSeconds;
  }

  /** Mean milliseconds to the first byte of late; NaN when nobody answered. */
  get meanFirstByte() {
    return this.#waited.sum(meanSeconds) / this.#answers.sum(meanSeconds);
  }

  get lately() {
    return {answers: this.#answers.sum(meanSeconds), waited: this.#waited.sum(meanSeconds)};
  }
}

export class History {
  turns = new Series(fleetSeconds);
  outstanding = new Series(fleetSeconds);
  firstByte = new Series(fleetSeconds);
  share = new Series(fleetSeconds);
  #turns = new Series(rateSeconds);
  #hits = new Series(meanSeconds);
  #routed = new Series(meanSeconds);
  #replicas = new Map();
  #before;
  totals = {routed: 0, affinity_hits: 0, rejected: 0, sessions: 0};
  at = NaN;  // milliseconds, of the router's clock

  /** One sample; what the stream missed before it is a gap. */
  push(sample) {
    const at = Date.parse(sample.at);
    const seconds = this.#before ? Math.max(0.2, (at - this.at) / 1000) : 1;
    for (let missed = Math.min(Math.round(seconds) - 1, fleetSeconds); missed > 0; --missed) {
      this.#gap();
    }
    const routed = grown(sample.routed, this.#before?.routed);
    this.#hits.push(grown(sample.affinity_hits, this.#before?.affinity_hits));
    this.#routed.push(routed);
    this.#turns.push(routed / seconds);
    this.turns.push(this.rate);
    this.share.push(this.shareLately);
    this.outstanding.push(sample.replicas.reduce((sum, each) => sum + each.outstanding, 0));
    this.#pushReplicas(sample.replicas, seconds);
    const lately = [...this.#replicas.values()].map((each) => each.lately);
    const total = (key) => lately.reduce((sum, each) => sum + each[key], 0);
    this.firstByte.push(total('waited') / total('answers'));
    this.#before = sample;
    this.totals = sample;
    this.at = at;
  }

  #pushReplicas(samples, seconds) {
    const names = new Set(samples.map((each) => each.name));
    for (const name of this.#replicas.keys()) {
      if (!names.has(name)) this.#replicas.delete(name);
    }
    for (const each of samples) {
      if (!this.#replicas.has(each.name)) this.#replicas.set(each.name, new Replica());
      this.#replicas.get(each.name).push(each, seconds);
    }
  }

  #gap() {
    for (const each of [this.turns, this.outstanding, this.firstByte, this.share]) each.push(NaN);
    for (const each of this.#replicas.values()) {
      for (const series of [each.outstanding, each.turns, each.firstByte]) series.push(NaN);
    }
  }

  /** Of one replica; undefined before its first sample. */
  of(name) {
    return this.#replicas.get(name);
  }

  get rate() {
    return this.#turns.sum(rateSeconds) / rateSeconds;
  }

  /** Turns that went to their pin, of those of late; NaN when there were none. */
  get shareLately() {
    return this.#hits.sum(meanSeconds) / this.#routed.sum(meanSeconds);
  }

  get meanFirstByte() {
    return this.firstByte.last(1)[0];
  }
}
