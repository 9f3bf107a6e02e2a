// SPDX-License-Identifier: MIT
// The router over fetch: requests with the admin token, and its event stream. An EventSource sends
// no Authorization field, so the stream is read by hand.

/** Splits a text/event-stream into its messages: `{id, event, data}`. */
export class MessageReader {
  #rest = '';

  /** The messages that are whole with this piece. */
  push(piece) {
    const blocks = (this.#rest + piece).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop();
    return blocks.map((block) => this.#message(block)).filter((message) => message.data !== '');
  }

  #message(block) {
    const message = {id: '', event: 'message', data: ''};
    for (const line of block.split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') message.data += (message.data === '' ? '' : '\n') + value;
      else if (name === 'id' || name === 'event') message[name] = value;
    }
    return message;
  }
}

/** A refusal of the router, in its own words. */
export class Refusal extends Error {
  constructor(status, body) {
    let said = {};
    try {
      said = JSON.parse(body);
    } catch {
      // Something in front of the router answered.
    }
    super(said.message ?? `status ${status}`);
    this.status = status;
    this.code = said.error?.code ?? '';
  }
}

const firstPause = 500;
const longestPause = 4000;
/** The stream has a sample a second; this long without one, it is dead. */
const silence = 12_000;

export class Wire {
  #token = '';  // of this page's life only
  #base;
  #stop = null;

  constructor(page) {
    this.#base = new URL('.', page);
  }

  /** The token for all that follows; empty: none. */
  set token(text) {
    this.#token = text;
  }

  get hasToken() {
    return this.#token !== '';
  }

  async #fetch(path, options = {}) {
    const headers = {...options.headers};
    if (this.#token !== '') headers.Authorization = `Bearer ${this.#token}`;
    const answer = await fetch(new URL(path, this.#base), {
      ...options, headers, cache: 'no-store', credentials: 'omit', redirect: 'error',
    });
    if (!answer.ok) throw new Refusal(answer.status, await answer.text());
    return answer;
  }

  /** A JSON answer. Throws a Refusal, or fetch's error when the router cannot be reached. */
  async ask(path, method = 'GET', body = undefined) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : {'Content-Type': 'application/json'};
    return (await this.#fetch(path, {method, headers, body: text})).json();
  }

  async text(path) {
    return (await this.#fetch(path)).text();
  }

  /** Ends the stream; `follow` goes on with the next one at once. */
  restart() {
    this.#stop?.abort();
  }

  /**
   * Reads the stream for good: `heard(message)` for each, `begin()` before each connection gives
   * the id to go on from, `lost(error)` says that it ended. Returns when the token is refused.
   */
  async follow({begin, heard, lost}) {
    for (let pause = firstPause;; pause = Math.min(2 * pause, longestPause)) {
      try {
        const after = await begin();
        await this.#read(after, (message) => {
          pause = firstPause;
          heard(message);
        });
        lost(new Error('the router ended the stream'));
      } catch (error) {
        lost(error);
        if (error.status === 401) return;
      }
      await new Promise((go) => setTimeout(go, pause));
    }
  }

  async #read(after, heard) {
    const stop = new AbortController();
    this.#stop = stop;
    let watch;
    const alive = () => {
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), silence);
    };
    try {
      alive();
      const path = `events?samples=1&after=${encodeURIComponent(after)}`;
      const answer = await this.#fetch(path, {signal: stop.signal});
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const messages = new MessageReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        alive();
        messages.push(piece.value).forEach(heard);
      }
    } finally {
      clearTimeout(watch);
      stop.abort();
    }
  }
}
