// SPDX-License-Identifier: MIT
// The openai package, straight against a stand-in replica and through the router.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import OpenAI from 'openai';
import {
  count, endless, eventually, failure, five, refusing, same, startFleet, startRouter, startStub,
  stop, text,
} from './fleet.mjs';

const ask = {model: 'm', messages: [{role: 'user', content: 'Hello'}]};
const tools = [{
  type: 'function',
  function: {name: 'look', parameters: {type: 'object', properties: {text: {type: 'string'}}}},
}];

/** A client that does not retry, unless told to; `attempts` counts what it sends. */
function client(baseURL, more = {}) {
  const made = new OpenAI({
    baseURL, apiKey: 'none', maxRetries: 0,
    fetch: (...call) => {
      made.attempts += 1;
      return fetch(...call);
    },
    ...more,
  });
  made.attempts = 0;
  return made;
}

async function pieces(stream) {
  const all = [];
  for await (const chunk of stream) all.push(chunk.choices[0]?.delta.content ?? null);
  return all;
}

same('chat', five, async (url) => {
  const answer = await client(url).chat.completions.create(ask);
  const [{message, finish_reason: finish}] = answer.choices;
  return [message.content, finish, answer.usage.completion_tokens];
}, [text, 'stop', 5]);

same('chat, streamed: every piece', five, async (url) => {
  const more = {stream: true, stream_options: {include_usage: true}};
  return pieces(await client(url).chat.completions.create({...ask, ...more}));
}, ['', 'replica', ' twin:', ' the', ' same', ' card', null, null]);

same('completions, streamed', five, async (url) => {
  let all = '';
  const asked = {model: 'm', prompt: 'x', stream: true};
  for await (const chunk of await client(url).completions.create(asked)) {
    all += chunk.choices[0].text;
  }
  return all;
}, text);

same('models', [], async (url) => {
  const {data} = await client(url).models.list();
  return data.map((model) => model.id);
}, ['m']);

const calling = [...five, '--call-tools'];
same('a tool call in one piece and in deltas, then its result', calling, async (url) => {
  const whole = await client(url).chat.completions.create({...ask, tools});
  const stream = client(url).chat.completions.stream({...ask, tools});
  const deltas = [];
  stream.on('tool_calls.function.arguments.delta', (event) => deltas.push(event.arguments_delta));
  const {message, finish_reason: finish} = (await stream.finalChatCompletion()).choices[0];
  const [call] = message.tool_calls;
  const result = {role: 'tool', tool_call_id: call.id, content: '42'};
  const then = await client(url).chat.completions.create(
    {...ask, tools, messages: [...ask.messages, message, result]});
  return [whole.choices[0].message.tool_calls[0].function, finish, call.function.name,
    JSON.parse(call.function.arguments), deltas.length, then.choices[0].message.content];
}, [{name: 'look', arguments: JSON.stringify({text})}, 'tool_calls', 'look', {text}, 7, text]);

same('embeddings, as base64 unseen and as numbers', [], async (url) => {
  const input = ['a', 'b', 'c'];
  const packed = await client(url).embeddings.create({model: 'm', input});
  const plain = await client(url).embeddings.create({model: 'm', input, encoding_format: 'float'});
  const vectors = packed.data.map((one) => [...one.embedding]);
  assert.deepEqual(vectors, plain.data.map((one) => [...Float32Array.from(one.embedding)]));
  return vectors;
});

same('responses, whole and streamed', five, async (url) => {
  const whole = await client(url).responses.create({model: 'm', input: 'x'});
  const types = [];
  const stream = client(url).responses.stream({model: 'm', input: 'x'});
  for await (const event of stream) types.push(event.type);
  const streamed = (await stream.finalResponse()).output_text;
  return [whole.output_text, streamed, types.length, types.at(-1)];
}, [text, text, 12, 'response.completed']);

same('an abort in the middle of a stream cancels the turn', endless, async (url, stubs) => {
  const stream = await client(url).chat.completions.create({...ask, stream: true});
  let seen = 0;
  for await (const _ of stream) {
    seen += 1;
    if (seen === 3) stream.controller.abort();
  }
  await eventually(async () => (await count(stubs, 'cancelled')) === 1, 'the turn is cancelled');
  return [seen >= 3, await count(stubs, 'active')];
}, [true, 0]);

same('an abort before the first byte cancels the turn', ['--hang-prefill'], async (url, stubs) => {
  const leave = new AbortController();
  const call = failure(() => client(url).chat.completions.create(ask, {signal: leave.signal}));
  await eventually(async () => (await count(stubs, 'active')) === 1, 'the turn has begun');
  leave.abort();
  const seen = await call;
  await eventually(async () => (await count(stubs, 'cancelled')) === 1, 'the turn is cancelled');
  return seen;
}, {class: 'APIUserAbortError', status: undefined, code: undefined});

same('a timeout is one, each try of it is cancelled', ['--hang-prefill'], async (url, stubs) => {
  const impatient = client(url, {timeout: 1000, maxRetries: 1});
  const seen = await failure(() => impatient.chat.completions.create(ask));
  await eventually(async () => (await count(stubs, 'cancelled')) === 2, 'both tries are cancelled');
  return [seen, impatient.attempts];
}, [{class: 'APIConnectionTimeoutError', status: undefined, code: undefined}, 2]);

const cut = ['--fail-after-tokens', '2'];
same('a stream that the replica cuts is an error, not an end', cut, async (url) => {
  const seen = [];
  const failed = await failure(async () => {
    for await (const chunk of await client(url).chat.completions.create({...ask, stream: true})) {
      seen.push(chunk.choices[0].delta.content);
    }
  });
  return [failed.class, seen];
}, ['TypeError', ['', 'replica', ' twin:']]);

for (const status of [429, 502, 503]) {
  same(`a ${status} is tried again`, refusing(status), async (url) => {
    const patient = client(url, {maxRetries: 2, defaultHeaders: {'X-Session-Id': 'again'}});
    const answer = await patient.chat.completions.create({...ask, stream: true});
    return [(await pieces(answer)).length, patient.attempts];
  }, [7, 2]);
}

const classes = [[400, 'BadRequestError'], [401, 'AuthenticationError'], [404, 'NotFoundError'],
  [422, 'UnprocessableEntityError'], [429, 'RateLimitError'], [503, 'InternalServerError']];
for (const [status, name] of classes) {
  same(`a ${status} keeps its class and code`, refusing(status),
    async (url) => failure(() => client(url).chat.completions.create(ask)),
    {class: name, status, code: 'refused'});
}

test('a session id in defaultHeaders keeps its conversation on one replica', async () => {
  const {router, stubs} = await startFleet(five);
  for (const session of ['one', 'two']) {
    const talker = client(`${router.url}/v1`, {defaultHeaders: {'X-Session-Id': session}});
    const seen = new Set();
    for (let turn = 0; turn < 5; ++turn) {
      const asked = {...ask, stream: turn % 2 === 1};
      const {response} = await talker.chat.completions.create(asked).withResponse();
      assert.equal(response.headers.get('x-session-id'), session);
      seen.add(response.headers.get('x-replica'));
      await response.body?.cancel().catch(() => {});
    }
    assert.equal(seen.size, 1);
  }
  assert.equal((await router.health()).affinity_hits, 8);
  const stats = await Promise.all(stubs.map((stub) => stub.stats()));
  assert.deepEqual(stats.map((one) => one.requests), [5, 5]);
});

test('a minted session id, sent back, keeps the conversation', async () => {
  const {router} = await startFleet(five);
  const talker = client(`${router.url}/v1`);
  const first = await talker.chat.completions.create(ask).withResponse();
  const session = first.response.headers.get('x-session-id');
  assert.match(session, /^[0-9a-f]{32}$/);
  const headers = {'X-Session-Id': session};
  const next = await talker.chat.completions.create(ask, {headers}).withResponse();
  assert.equal(next.response.headers.get('x-replica'), first.response.headers.get('x-replica'));
});

test("the router's 503 is tried again and succeeds once a replica serves", async () => {
  const gone = await startStub();
  await stop(gone.child);
  const router = await startRouter([gone.port], 0);
  const refused = await failure(() => client(`${router.url}/v1`).chat.completions.create(ask));
  assert.deepEqual(refused, {class: 'InternalServerError', status: 503, code: 'no_replica'});
  const patient = client(`${router.url}/v1`, {maxRetries: 5});
  let asked;
  const refusal = new Promise((resolve) => { asked = resolve; });
  patient.fetch = async (...call) => {
    const answer = await fetch(...call);
    patient.attempts += 1;
    asked(answer.status);
    return answer;
  };
  const answer = patient.chat.completions.create(ask);
  assert.equal(await refusal, 503);
  await startStub(five, gone.port);
  assert.equal((await answer).choices[0].message.content, text);
  assert.ok(patient.attempts > 1);
});

test("a replica that fails before it answers is the router's 502, and is tried again", async () => {
  const {router, stubs} = await startFleet(['--fail-after-tokens', '0']);
  const patient = client(`${router.url}/v1`, {maxRetries: 1});
  const seen = await failure(() => patient.chat.completions.create(ask));
  assert.deepEqual(seen, {class: 'InternalServerError', status: 502, code: 'replica_failed'});
  assert.equal(patient.attempts, 2);
  assert.equal(await count(stubs, 'requests'), 2);
});
