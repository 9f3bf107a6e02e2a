// SPDX-License-Identifier: MIT
// A fleet with one of each: replicas under load, one that loads, one that drains, one that was
// killed, a failed launch, a stop that nobody could confirm. Then pictures of it.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {eventually, folder, start, stop} from '../clients/fleet.mjs';
import {freePorts, openBrowser, openPage} from './fleet.mjs';

const seconds = Number(process.env.FLEET_SECONDS ?? 300);
const stub = process.env.FLEET_STUB;
const url = 'http://127.0.0.1:8000';
const state = join(folder, 'state.json');
const sleep = (ms) => new Promise((go) => setTimeout(go, ms));

const loading = 'echo "INFO model: /models/Qwen3-14B, 2 devices"; i=0; ' +
  'while sleep 7; do i=$((i+1)); echo "INFO weights: shard $i of 48, 2.1 GiB/s"; done';
const failing = 'echo "INFO device 40: initialising"; ' +
  'echo "RuntimeError: device 40: HBM ECC error, run the card diagnostics"; exit 1';

function hosts(base) {
  const serve = (delay) => ({serve_command: [stub], serve_args: ['--load-seconds', '1',
    '--tokens', '9000', '--token-delay-ms', delay, '--prefill-ms', '120']});
  const common = {model: '/models/Qwen3-14B', log_dir: folder};
  return [
    {...common, name: 'node01', devices: [0, 1, 2, 3, 4, 5], port_base: base,
      ...serve('14')},
    {...common, name: 'node02', devices: [8, 9, 10, 11, 12, 13, 14, 15], devices_per_replica: 4,
      port_base: base, ...serve('9')},
    {...common, name: 'node03', devices: [24, 25], devices_per_replica: 2, port_base: base,
      serve_command: ['sh', '-c', loading, '{port}']},
    {...common, name: 'node04', devices: [32, 33], port_base: base, ...serve('14'),
      stop_command: ['sh', '-c', 'echo job-cancel: the job does not end: device busy >&2; exit 1']},
    {...common, name: 'node05', devices: [40], port_base: base,
      serve_command: ['sh', '-c', failing, '{port}']},
  ];
}

const ask = (path, method = 'GET', body = undefined) =>
  fetch(url + path, {method, body: body && JSON.stringify(body)});
const add = (slot) => ask('/replicas', 'POST', {slot});
const ready = async () => (await (await ask('/health')).json()).replicas_ready;

/** One conversation after the other, each of some turns. */
async function client(number, busy) {
  for (let conversation = 0;; ++conversation) {
    const messages = [];
    for (let turn = 0; turn < 4 + (conversation + number) % 9; ++turn) {
      while (!busy(number)) await sleep(200);
      messages.push({role: 'user', content: `Turn ${turn} of ${number}. `.repeat(24)});
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST', headers: {'X-Session-Id': `session-${number}-${conversation}`},
        body: JSON.stringify({model: 'm', messages, stream: true, max_tokens: 48}),
      }).catch(() => null);
      await answer?.text().catch(() => '');
      await sleep(60 + 40 * (number % 5));
    }
  }
}

/** A long answer's replica, which then has something to drain. */
async function longAnswer() {
  for (;;) {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST', body: JSON.stringify({model: 'm', messages: [], stream: true})});
    const replica = answer.headers.get('X-Replica');
    if (replica.startsWith('node01') && replica !== 'node01-d0') return replica;
    answer.body.cancel();
  }
}

function kill(slot) {
  const {replicas, reservations} = JSON.parse(readFileSync(state));
  for (const each of [...replicas, ...reservations]) {
    if (each.slot === slot) process.kill(-each.process_group, 'SIGKILL');
  }
}

async function main(out) {
  const file = join(folder, 'shots.json');
  writeFileSync(file, JSON.stringify({hosts: hosts(await freePorts(48))}));
  const {child} = await start(process.env.FLEET_ROUTER, ['--replicas', file, '--host', '127.0.0.1',
    '--port', '8000', '--initial-replicas', '7', '--state-file', state, '--health-interval', '0.5',
    '--replace-after', '1', '--stop-grace', '1'], /listening .*url="?(http:[^" ]+)/);
  await eventually(async () => await ready() >= 7, 'the fleet');
  const browser = await openBrowser();
  const open = (name, width, height, colorScheme) =>
    openPage(browser, url, {viewport: {width, height}, colorScheme}).then(({page}) => [name, page]);
  const pages = await Promise.all([
    open('desk-light', 1280, 800, 'light'), open('desk-dark', 1280, 800, 'dark'),
    open('phone-light', 390, 844, 'light'), open('phone-dark', 390, 844, 'dark')]);
  const busy = (number) =>
    number < 9 + 6 * Math.sin(Date.now() / 21_000) + 2 * Math.sin(Date.now() / 4700);
  for (let number = 0; number < 17; ++number) client(number, busy);
  await add('node04-d32');
  await eventually(async () => await ready() >= 8, 'the replica whose stop fails');
  await sleep(Math.max(0, seconds - 60) * 1000);
  await add('node05-d40');
  await ask('/replicas/node04-d32', 'DELETE');
  await add('node03-d24');
  await sleep(40_000);
  ask(`/replicas/${await longAnswer()}`, 'DELETE');
  await sleep(8000);
  kill('node01-d0');
  await sleep(6000);
  for (const [name, page] of pages) {
    await page.screenshot({path: join(out, `${name}.png`)});
  }
  kill('node04-d32');
  child.kill('SIGTERM');  // a second one does not wait for the long answer
  await sleep(500);
  await stop(child);
}

await main(process.argv[2]);
process.exit(0);
