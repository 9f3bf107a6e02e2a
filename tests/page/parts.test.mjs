// SPDX-License-Identifier: MIT
// The page's modules that need no page, in the browser that runs them.
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {openBrowser} from './fleet.mjs';

const sources = new URL('../../src/http/dashboard/', import.meta.url);
let page;
let server;

after(() => {
  server.close();
  server.closeAllConnections();
});

before(async () => {
  server = createServer((request, response) => {
    const name = request.url.slice(1);
    const script = name.endsWith('.js');
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
    response.end(script ? readFileSync(new URL(name, sources)) : '');
  });
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  page = await (await openBrowser()).newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
});

const inPage = (module, script) => page.evaluate(
  async ([name, body]) => new Function('m', `return (${body})(m)`)(await import(`/${name}`)),
  [module, `${script}`]);

test('commands are quoted for a shell, whatever a name holds', async () => {
  const made = await inPage('format.js', ({fleetctl}) => [
    fleetctl('http://127.0.0.1:8000/dashboard', 'add', 'node01-d3'),
    fleetctl('http://10.0.0.5:8080/dashboard', 'add', 'a'),
    fleetctl('https://fleet.example/router/dashboard', 'add', 'a'),
    fleetctl('http://fleet.example/dashboard', 'add', 'a'),
    fleetctl('http://[::1]:8000/dashboard', 'add', '[::1]:9000'),
    fleetctl('http://localhost:8000/dashboard', 'remove', "x'; rm -rf /\n$(y)"),
  ]);
  assert.deepEqual(made, [
    'fleetctl add node01-d3',
    'fleetctl --router http://10.0.0.5:8080 add a',
    'fleetctl --router https://fleet.example:443/router add a',
    'fleetctl --router http://fleet.example:80 add a',
    "fleetctl --router 'http://[::1]:8000' add '[::1]:9000'",
    "fleetctl remove 'x'\\''; rm -rf /?$(y)'",
  ]);
});

test('times and numbers are short', async () => {
  const made = await inPage('format.js', ({span, rate, milliseconds, percent}) => [
    [0, 59.9, 128, 3600, 90_000, -5].map(span), [0, 9.94, 9.96, 1234, NaN].map(rate),
    [0.44, 12.3, 999.6, 12_000, NaN].map((ms) => milliseconds(ms).join('')),
    [0, 0.875, NaN].map(percent),
  ]);
  assert.deepEqual(made, [
    ['0s', '59s', '2m8s', '1h0m', '1d1h', '0s'], ['0.0', '9.9', '10', '1,234', '–'],
    ['0.4ms', '12ms', '1.0s', '12s', '–'], ['0', '88', '–'],
  ]);
});

test('an event stream is read in any pieces', async () => {
  const made = await inPage('wire.js', ({MessageReader}) => {
    const text = ': ping\n\nid: b-1\nevent: ready\ndata: {"a":1}\n\n' +
      'id:b-2\r\ndata: x\r\ndata:y\r\n\r\n';
    const whole = new MessageReader().push(text);
    const reader = new MessageReader();
    return [whole, [...text].flatMap((piece) => reader.push(piece))];
  });
  const wanted = [
    {id: 'b-1', event: 'ready', data: '{"a":1}'}, {id: 'b-2', event: 'message', data: 'x\ny'},
  ];
  assert.deepEqual(made[0], wanted);
  assert.deepEqual(made[1], wanted);
});

test('a turn that is taken back is no jump', async () => {
  const made = await inPage('history.js', ({History}) => {
    const history = new History();
    const sample = (second, routed, hits) => history.push({
      at: new Date(1e12 + second * 1000).toISOString(), routed, affinity_hits: hits, rejected: 0,
      sessions: 1, replicas: [
        {name: 'a', outstanding: 0, routed, answers: 0, first_byte_ms_sum: 0}],
    });
    sample(0, 10000, 8000);
    sample(1, 10001, 8001);
    sample(2, 10000, 8000);
    return [history.rate, history.shareLately, history.of('a').rate];
  });
  assert.deepEqual(made, [0.2, 1, 0.2]);
});

test('totals become rates; a restart is no negative rate, a pause is a gap', async () => {
  const made = await inPage('history.js', ({History}) => {
    const history = new History();
    const sample = (second, routed, hits, sum) => history.push({
      at: new Date(1e12 + second * 1000).toISOString(), routed, affinity_hits: hits, rejected: 0,
      sessions: 1, replicas: [
        {name: 'a', outstanding: 2, routed, answers: routed, first_byte_ms_sum: sum}],
    });
    const text = (series, count) =>
      series.last(count).map((value) => `${Math.round(value * 10) / 10}`);
    sample(0, 100, 50, 1000);
    sample(1, 110, 58, 1200);
    const first = [history.rate, history.shareLately, history.of('a').meanFirstByte];
    sample(2, 4, 1, 80);
    sample(6, 8, 1, 80);
    return [first, text(history.turns, 7), text(history.of('a').outstanding, 5)];
  });
  assert.deepEqual(made, [
    [2, 0.8, 20], ['0', '2', '2.8', 'NaN', 'NaN', 'NaN', '3'], ['2', 'NaN', 'NaN', 'NaN', '2'],
  ]);
});
