import { create, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import { LedgerService, PostRequestSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { createLogger } from '@gerbang/runtime';
import { afterAll, expect, test } from 'vitest';
import type { CallContext } from '../src/index.ts';
import { Opened } from './harness.ts';
import { unaryCall } from './unary-call.ts';

const opened = new Opened();
afterAll(() => opened.close());

/** A ledger that keeps what its handler knew of each call. */
async function listen(lines: string[] = []) {
  const seen: CallContext[] = [];
  const log = createLogger({ service: 'test', level: 'trace' }, { write: (line) => lines.push(line) });
  const { port } = await opened.serve(
    {
      async post({ amountSen }, call) {
        seen.push(call);
        if (amountSen === 0n) throw new RefusalError(refuse('bad_request'));
        if (amountSen === 1n) throw new Error('broken');
        if (amountSen === 2n) throw new RefusalError(refuse('unavailable'));
        return {};
      },
      async getBalance(_, call) {
        seen.push(call);
        if (seen.length < 3) throw new RefusalError(refuse('unavailable'));
        return {};
      },
    },
    { log },
  );
  return { port, seen };
}

const bytesOf = (amountSen: bigint) => Buffer.from(toBinary(PostRequestSchema, create(PostRequestSchema, { amountSen })));

test('what authorizes a call is made for its method and request, and reaches the handler with the request and the address', async () => {
  const { port, seen } = await listen();
  const signed: { method: string; request: string }[] = [];
  const channel = opened.channel({ address: `127.0.0.1:${port}`, tls: undefined });
  const ledger = channel.client(LedgerService, {
    authorize: async ({ method, request }) => {
      signed.push({ method, request: Buffer.from(request).toString('hex') });
      return `Bearer ${signed.length}`;
    },
  });
  await ledger.post({ amountSen: 7n });
  await ledger.post({ amountSen: 8n });
  const method = '/gerbang.ledger.v1.LedgerService/Post';
  expect(signed).toEqual([7n, 8n].map((sen) => ({ method, request: bytesOf(sen).toString('hex') })));
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer 1', 'Bearer 2']);
  expect(seen.map(({ request }) => Buffer.from(request))).toEqual([bytesOf(7n), bytesOf(8n)]);
  expect(seen[0]?.peer).toMatch(/^127\.0\.0\.1:\d+$/);
  await channel.client(LedgerService).post({ amountSen: 9n });
  expect(seen.at(-1)?.authorization).toBe('');
});

test('a plain unary call is authorized by its metadata', async () => {
  const { port, seen } = await listen();
  await unaryCall(port, LedgerService.method.post, { amountSen: 7n }, { metadata: { authorization: 'Bearer x' } });
  expect(seen[0]).toMatchObject({ authorization: 'Bearer x', peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
  expect(Buffer.from(seen[0]?.request ?? [])).toEqual(bytesOf(7n));
});

test('a call that can not be authorized fails with that, and never leaves', async () => {
  const { port, seen } = await listen();
  const channel = opened.channel({ address: `127.0.0.1:${port}`, tls: undefined });
  const authorize = async () => {
    throw new Error('no key');
  };
  await expect(channel.client(LedgerService, { authorize }).post({ amountSen: 7n })).rejects.toThrow('no key');
  expect(seen).toEqual([]);
});

test('what authorizes a call is not logged, also where the call fails', async () => {
  const lines: string[] = [];
  const { port, seen } = await listen(lines);
  const channel = opened.channel({ address: `127.0.0.1:${port}`, tls: undefined });
  const ledger = channel.client(LedgerService, { authorize: async () => 'Bearer very-secret' });
  for (const amountSen of [0n, 1n]) await expect(ledger.post({ amountSen })).rejects.toThrow();
  expect(seen).toHaveLength(2);
  expect(lines.join('')).toContain('a call failed');
  expect(lines.join('')).not.toContain('very-secret');
});

test('an authorized command is not tried again, though its contract allows it; a read is', async () => {
  const { port, seen } = await listen();
  const channel = opened.channel({ address: `127.0.0.1:${port}`, tls: undefined });
  const ledger = channel.client(LedgerService, { authorize: async () => 'Bearer x' });
  await expect(ledger.post({ amountSen: 2n })).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  expect(seen).toHaveLength(1);
  await ledger.getBalance({});
  expect(seen).toHaveLength(3);
});
