import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeepsAnswersOf, parseAnswerHosts } from './kept-answers.ts';
import { createSender } from './sender.ts';

const server = createServer((_request, response) => response.writeHead(200).end('inside: secret'));
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  ({ port } = address);
});

afterAll(() => server.close());

async function answerOf(keepsAnswersOf: KeepsAnswersOf | undefined) {
  const policy = { allowPrivate: true, allowHttp: true, keepsAnswersOf };
  const sender = createSender(policy, { socketsPerEndpoint: 1 });
  try {
    return await sender.send({ merchantId: 'm', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' });
  } finally {
    await sender.close();
  }
}

test.each([
  ['without a list', undefined, 'inside: secret'],
  ['of a host on the list', '127.0.0.1,hooks.example', 'inside: secret'],
  ['of a host that is not on the list', 'hooks.example', ''],
])('the answer %s', async (_what, list, answer) => {
  const sent = await answerOf(list === undefined ? undefined : parseAnswerHosts(list));
  expect(sent).toEqual({ httpStatus: 200, answer, error: undefined });
});

test.each([
  ['hooks.example', 'HOOKS.example', true],
  ['hooks.example', 'hooks.example.', true],
  ['hooks.example', 'a.hooks.example', false],
  ['*.hooks.example', 'a.b.hooks.example', true],
  ['*.hooks.example', 'hooks.example', false],
  ['*.hooks.example', 'nothooks.example', false],
  ['[::1], a.example', '[::1]', true],
])('%s and %s: %s', (list, host, kept) => {
  expect(parseAnswerHosts(list)?.(host)).toBe(kept);
});

test.each(['', 'a b', 'https://a.example', '*', 'a.example,,b.example', 'a.example:80'])('%j is no list', (list) => {
  expect(parseAnswerHosts(list)).toBeUndefined();
});
