// SPDX-License-Identifier: MIT
// A router that launches stand-in replicas, and a browser with the page it serves.
import {readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {after} from 'node:test';
import {chromium} from 'playwright-core';
import {eventually, folder, start} from '../clients/fleet.mjs';

const browsers = [];
after(() => Promise.all(browsers.map((each) => each.close())));

export const token = 'a-token-of-the-test';
const markup = '<img src=x onerror=document.title=1><b>bold</b>';

async function isFree(port) {
  return new Promise((answer) => {
    const server = createServer();
    server.once('error', () => answer(false));
    server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
  });
}

/** The first of so many free ports in a row, below those that the system hands out. */
export async function freePorts(count) {
  for (let base = 12_000 + (process.pid * 64) % 19_000;; base += 16) {
    const free = await Promise.all(Array.from({length: count}, (_, i) => isFree(base + i)));
    if (free.every(Boolean)) return base;
  }
}

/** Hosts: `node` with four slots, `odd` whose server prints markup and ends, `held` whose stop
 * never succeeds. */
function hosts(base) {
  const stub = process.env.FLEET_STUB;
  const common = {model: '/models/m', log_dir: folder};
  // Whatever becomes of a test, what a crashed router has launched ends by itself.
  const serve_args = ['--load-seconds', '0.5', '--tokens', '20', '--token-delay-ms', '5',
    '--die-after-seconds', '500'];
  return [
    {...common, name: 'node', devices: [0, 1, 2, 3], port_base: base, serve_command: [stub],
      serve_args},
    {...common, name: 'odd', devices: [4], port_base: base,
      serve_command: ['sh', '-c', `echo '${markup}'; exit 3`, '{port}']},
    {...common, name: 'held', devices: [5], port_base: base, serve_command: [stub], serve_args,
      stop_command: ['false']},
  ];
}

export class LaunchingRouter {
  #state = join(folder, 'state.json');
  #flags;

  static async start() {
    const made = new LaunchingRouter();
    const base = await freePorts(8);
    made.port = base + 7;
    const file = join(folder, 'launching.json');
    writeFileSync(file, JSON.stringify({hosts: hosts(base)}));
    writeFileSync(join(folder, 'token'), token);
    made.#flags = ['--replicas', file, '--host', '127.0.0.1', '--port', `${made.port}`,
      '--initial-replicas', '2', '--state-file', made.#state, '--health-interval', '0.2',
      '--replace-after', '3', '--stop-grace', '1', '--launch-timeout', '20',
      '--admin-token-file', join(folder, 'token')];
    await made.begin();
    return made;
  }

  /** Starts the process; after `crash` it finds what the last one launched. */
  async begin() {
    const {child, said} =
      await start(process.env.FLEET_ROUTER, this.#flags, /listening .*url="?(http:[^" ]+)/);
    this.child = child;
    this.url = said;
    await eventually(async () => (await this.health()).replicas_ready >= 1, 'a replica is ready');
  }

  async health() {
    return (await fetch(`${this.url}/health`)).json();
  }

  async crash() {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }

  /** Kills what was launched on a slot. */
  kill(slot) {
    const {replicas, reservations} = JSON.parse(readFileSync(this.#state));
    for (const each of [...replicas, ...reservations]) {
      if (each.slot === slot) process.kill(-each.process_group, 'SIGKILL');
    }
  }

  async turn(session) {
    const answer = await fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST', headers: {'X-Session-Id': session},
      body: JSON.stringify({model: 'm', messages: [{role: 'user', content: 'Hello'}]}),
    });
    await answer.text();
    return answer.status;
  }
}

/** The browser; its sandbox does not work for root. */
export async function openBrowser() {
  const root = process.getuid() === 0;
  const browser = await chromium.launch({
    executablePath: process.env.FLEET_CHROMIUM, args: root ? ['--no-sandbox'] : [],
  });
  browsers.push(browser);
  return browser;
}

/** A page of the router's, and what its console says that it should not. `change(route)` may change
 * what the browser gets. */
export async function openPage(browser, url, options = {}, change = null) {
  const context = await browser.newContext({
    viewport: {width: 1280, height: 800}, reducedMotion: 'reduce', ...options});
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`${error.stack}`));
  page.on('console', (message) => {
    // Each request that fails is told by the browser itself.
    const expected = /Failed to load resource/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(message.text());
  });
  if (change) await page.route('**/dashboard', change);
  await page.goto(`${url}/dashboard`);
  return {page, complaints, context};
}

export async function signIn(page, text = token) {
  await page.fill('#token', text);
  await page.click('#sign-in button');
}
