// SPDX-License-Identifier: MIT
// Programs for the tests of the npm clients: a router and two stand-in replicas of one name, so
// that both give the same answers. Nothing waits without a deadline.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {after, test} from 'node:test';

/** Knobs of the stand-ins, and what they say with the first ones. */
export const five = ['--tokens', '5'];
export const text = 'replica twin: the same card';
export const endless = ['--tokens', '100000'];
export const refusing = (status) =>
  [...five, '--refuse-turns', '1', '--refuse-status', `${status}`];

const deadline = 60_000;
const running = new Set();
export const folder = mkdtempSync(join(tmpdir(), 'clients-'));

after(async () => {
  await Promise.all([...running].map(stop));
  rmSync(folder, {recursive: true});
});

/** Whatever `promise` gives, or an error after the deadline. */
export async function soon(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${deadline} ms: ${what}`)), deadline);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Calls `look` until it gives something true, and returns that. */
export async function eventually(look, what) {
  for (const end = Date.now() + deadline; Date.now() < end;) {
    const found = await look();
    if (found) return found;
    await new Promise((go) => setTimeout(go, 10));
  }
  throw new Error(`not within ${deadline} ms: ${what}`);
}

/** Starts a program; gives the first capture of `pattern` in what it prints, and the process. */
export async function start(program, flags, pattern) {
  const child = spawn(program, flags, {stdio: ['ignore', 'pipe', 'pipe']});
  running.add(child);
  child.once('exit', () => running.delete(child));
  const said = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({input: stream}).on('line', (line) => {
        const found = pattern.exec(line);
        if (found) resolve(found[1]);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  said.catch(() => {});
  return {child, said: await soon(said, `${program} starts`)};
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await soon(gone, `process ${child.pid} ends`).catch(() => child.kill('SIGKILL'));
}

/** A stand-in replica; port 0 is any free one. */
export async function startStub(flags = [], port = 0) {
  const all = ['--name', 'twin', '--model', 'm', '--token-delay-ms', '1', '--port', `${port}`];
  const pattern = /listening on .*:(\d+)/;
  const {child, said} = await start(process.env.FLEET_STUB, [...all, ...flags], pattern);
  const url = `http://127.0.0.1:${said}`;
  const stats = async () => (await fetch(`${url}/stub/stats`)).json();
  return {child, url, port: Number(said), stats};
}

/** A router over the given ports, started and probed; with `ready` so many of them serve. */
export async function startRouter(ports, ready = ports.length) {
  const file = join(folder, `fleet-${ports.join('-')}.json`);
  const replicas = ports.map((port, i) => ({name: `r${i}`, host: '127.0.0.1', port}));
  writeFileSync(file, JSON.stringify({replicas}));
  const flags = ['--replicas', file, '--host', '127.0.0.1', '--port', '0'];
  flags.push('--health-interval', '0.2');
  const {child, said} = await start(process.env.FLEET_ROUTER, flags, /url="?(http:[^" ]+)/);
  const health = async () => (await fetch(`${said}/health`)).json();
  await eventually(async () => (await health()).replicas_ready === ready, 'the replicas are ready');
  return {child, url: said, health};
}

/** Two equal stand-in replicas and the router over them. */
export async function startFleet(flags = []) {
  const stubs = await Promise.all([startStub(flags), startStub(flags)]);
  return {stubs, router: await startRouter(stubs.map((stub) => stub.port))};
}

/** The sum of a counter over the stand-ins. */
export async function count(stubs, name) {
  const all = await Promise.all(stubs.map((stub) => stub.stats()));
  return all.reduce((sum, stats) => sum + stats[name], 0);
}

/**
 * One test: `scene(baseURL)` straight against a stand-in and through the router gives the same,
 * which is `wanted` when there is one. Each way gets programs of its own, started with `flags`.
 */
export function same(name, flags, scene, wanted) {
  test(name, {timeout: 3 * deadline}, async () => {
    const {stubs, router} = await startFleet(flags);
    const fresh = await startStub(flags);
    const direct = await scene(`${fresh.url}/v1`, [fresh]);
    const routed = await scene(`${router.url}/v1`, stubs);
    assert.deepEqual(routed, direct);
    if (wanted !== undefined) assert.deepEqual(direct, wanted);
    for (const one of [router, fresh, ...stubs]) await stop(one.child);
  });
}

/** What a failed call looks like to its caller. */
export async function failure(call) {
  try {
    await call();
  } catch (error) {
    const status = error.status ?? error.statusCode;
    return {class: error.constructor.name, status, code: error.code};
  }
  return 'no failure';
}
