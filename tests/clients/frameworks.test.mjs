// SPDX-License-Identifier: MIT
// Vercel's ai with its two OpenAI providers, and LangChain, straight against a stand-in replica and
// through the router.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {createOpenAI} from '@ai-sdk/openai';
import {createOpenAICompatible} from '@ai-sdk/openai-compatible';
import {ToolMessage} from '@langchain/core/messages';
import {ChatOpenAI, OpenAIEmbeddings} from '@langchain/openai';
import {embedMany, generateText, stepCountIs, streamText, tool} from 'ai';
import {z} from 'zod';
import {
  count, endless, eventually, failure, five, refusing, same, startFleet, text,
} from './fleet.mjs';

const words = ['replica', ' twin:', ' the', ' same', ' card'];
const calling = [...five, '--call-tools'];
const parameters = z.object({text: z.string()});

// Each gives a chat model; the last one speaks the responses dialect.
const models = {
  '@ai-sdk/openai': (baseURL, headers) =>
    createOpenAI({baseURL, headers, apiKey: 'none'}).chat('m'),
  '@ai-sdk/openai-compatible': (baseURL, headers) =>
    createOpenAICompatible({baseURL, headers, name: 'fleet'})('m'),
  '@ai-sdk/openai, responses': (baseURL, headers) =>
    createOpenAI({baseURL, headers, apiKey: 'none'}).responses('m'),
};

async function all(stream) {
  const seen = [];
  for await (const one of stream) seen.push(one);
  return seen;
}

for (const [provider, model] of Object.entries(models)) {
  same(`ai with ${provider}: a whole text and a streamed one`, five, async (url) => {
    const whole = await generateText({model: model(url), prompt: 'x', maxRetries: 0});
    const stream = streamText({model: model(url), prompt: 'x', maxRetries: 0});
    const seen = await all(stream.textStream);
    return [whole.text, seen, await stream.finishReason, (await stream.usage).outputTokens !== 0];
  }, [text, words, 'stop', true]);

  same(`ai with ${provider}: an abort cancels the turn`, endless, async (url, stubs) => {
    const leave = new AbortController();
    const stream = streamText({
      model: model(url), prompt: 'x', maxRetries: 0, abortSignal: leave.signal, onError: () => {},
    });
    for await (const piece of stream.textStream) {
      if (piece === ' twin:') leave.abort();
    }
    await eventually(async () => (await count(stubs, 'cancelled')) === 1, 'the turn is cancelled');
    return count(stubs, 'active');
  }, 0);

  same(`ai with ${provider}: a 429 is tried again`, refusing(429), async (url) => {
    const again = model(url, {'X-Session-Id': 'again'});
    return (await generateText({model: again, prompt: 'x', maxRetries: 2})).text;
  }, text);

  same(`ai with ${provider}: a refusal is an error with its status`, refusing(400), async (url) => {
    const {status} = await failure(() => generateText({model: model(url), prompt: 'x'}));
    return status;
  }, 400);

  test(`ai with ${provider}: a session id in headers keeps one replica`, async () => {
    const {router, stubs} = await startFleet(five);
    const talker = model(`${router.url}/v1`, {'X-Session-Id': 'one'});
    const seen = new Set();
    for (let turn = 0; turn < 4; ++turn) {
      const answer = await generateText({model: talker, prompt: 'x', maxRetries: 0});
      seen.add(answer.response.headers['x-replica']);
    }
    assert.equal(seen.size, 1);
    assert.equal(await count(stubs, 'requests'), 4);
  });
}

for (const provider of ['@ai-sdk/openai', '@ai-sdk/openai-compatible']) {
  same(`ai with ${provider}: a tool called in deltas, and answered`, calling, async (url) => {
    const asked = [];
    const look = tool({
      description: 'looks', inputSchema: parameters,
      execute: async (input) => {
        asked.push(input);
        return '42';
      },
    });
    const stream = streamText({
      model: models[provider](url), prompt: 'x', tools: {look}, maxRetries: 0,
      stopWhen: stepCountIs(3),
    });
    const seen = await all(stream.textStream);
    return [asked, seen, (await stream.steps).length];
  }, [[{text}], words, 2]);
}

same('ai: embeddings', [], async (url) => {
  const model = createOpenAI({baseURL: url, apiKey: 'none'}).textEmbeddingModel('m');
  const {embeddings} = await embedMany({model, values: ['a', 'b']});
  assert.equal(embeddings.length, 2);
  return embeddings;
});

/** A LangChain model that does not retry unless told to. */
function chain(baseURL, more = {}, headers = {}) {
  const configuration = {baseURL, defaultHeaders: headers};
  return new ChatOpenAI({model: 'm', apiKey: 'none', maxRetries: 0, configuration, ...more});
}

same('LangChain: a whole text and a streamed one', five, async (url) => {
  const whole = await chain(url).invoke('Hello');
  const seen = await all(await chain(url).stream('Hello'));
  const pieces = seen.map((one) => one.content).filter((one) => one !== '');
  return [whole.content, whole.usage_metadata.output_tokens, pieces];
}, [text, 5, words]);

same('LangChain: a tool called whole and in deltas, its result answered', calling, async (url) => {
  const look = {name: 'look', description: 'looks', schema: parameters};
  const bound = chain(url).bindTools([look]);
  const whole = await bound.invoke('Hello');
  const seen = await all(await bound.stream('Hello'));
  const [call] = seen.reduce((sum, one) => sum.concat(one)).tool_calls;
  const result = new ToolMessage({content: '42', tool_call_id: call.id});
  const then = await bound.invoke([{role: 'user', content: 'Hello'}, whole, result]);
  return [whole.tool_calls[0].args, call.name, call.args, then.content];
}, [{text}, 'look', {text}, text]);

same('LangChain: an abort in the middle cancels the turn', endless, async (url, stubs) => {
  const leave = new AbortController();
  const failed = await failure(async () => {
    for await (const piece of await chain(url).stream('Hello', {signal: leave.signal})) {
      if (piece.content === ' twin:') leave.abort();
    }
  });
  await eventually(async () => (await count(stubs, 'cancelled')) === 1, 'the turn is cancelled');
  return [failed.class, await count(stubs, 'active')];
});

for (const status of [429, 503]) {
  same(`LangChain: a ${status} is tried again`, refusing(status), async (url) => {
    const patient = chain(url, {maxRetries: 2}, {'X-Session-Id': 'again'});
    return (await patient.invoke('Hello')).content;
  }, text);
}

same('LangChain: a timeout cancels the turn', ['--hang-prefill'], async (url, stubs) => {
  const failed = await failure(() => chain(url, {timeout: 1000}).invoke('Hello'));
  await eventually(async () => (await count(stubs, 'cancelled')) === 1, 'the turn is cancelled');
  return failed.class;
});

same('LangChain: embeddings', [], async (url) => {
  const model = new OpenAIEmbeddings({model: 'm', apiKey: 'none', configuration: {baseURL: url}});
  const vectors = await model.embedDocuments(['a', 'b']);
  assert.deepEqual([vectors.length, vectors[0].length], [2, 8]);
  return vectors;
});

test('LangChain: a session id in defaultHeaders keeps one replica', async () => {
  const {router, stubs} = await startFleet(five);
  const talker = chain(`${router.url}/v1`, {}, {'X-Session-Id': 'one'});
  for (let turn = 0; turn < 4; ++turn) await talker.invoke('Hello');
  const stats = await Promise.all(stubs.map((stub) => stub.stats()));
  assert.deepEqual(stats.map((one) => one.requests).sort(), [0, 4]);
});
