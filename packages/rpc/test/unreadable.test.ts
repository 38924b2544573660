import { create, toBinary } from '@bufbuild/protobuf';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { RefusalSchema } from '@gerbang/proto/gerbang/rpc/v1/refusal';
import { createMetrics } from '@gerbang/runtime';
import { status } from '@grpc/grpc-js';
import { afterAll, expect, test } from 'vitest';
import { Opened } from './harness.ts';

const opened = new Opened();
afterAll(() => opened.close());

/** A field that says it is longer than all there is. */
const NO_MESSAGE = Uint8Array.of(0x0a, 0x7f, 0x01);

const newerRefusal = toBinary(RefusalSchema, create(RefusalSchema, { code: 'of_a_newer_version' }));

test.each([
  { what: 'bytes that are none', detail: NO_MESSAGE, code: status.RESOURCE_EXHAUSTED, refused: 'overloaded', unreadable: true },
  { what: 'bytes that are none', detail: NO_MESSAGE, code: status.NOT_FOUND, refused: 'internal', unreadable: true },
  { what: 'an unknown code', detail: newerRefusal, code: status.DEADLINE_EXCEEDED, refused: 'timeout', unreadable: false },
])('a failure with $what for a refusal is what its status says: $refused', async ({ detail, code, refused, unreadable }) => {
  const { port } = await opened.raw(() => ({
    kind: FrameKind.FAILURE,
    status: code,
    message: 'said by the server',
    payload: detail,
  }));
  const error: unknown = await opened
    .ledger(port)
    .post({})
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    refusal: { refused },
    cause: { code, message: expect.stringContaining('said by the server') },
  });
  const cause = {
    cause: { cause: unreadable ? { message: 'its refusal cannot be read', cause: expect.any(Error) } : undefined },
  };
  expect(error).toMatchObject(cause);
});

test('an answer that cannot be read is a failure, told of and counted as one', async () => {
  const { port } = await opened.raw(() => ({ kind: FrameKind.ANSWER, payload: NO_MESSAGE }));
  const metrics = createMetrics('test');
  const ledger = opened.channel({ address: `127.0.0.1:${port}`, tls: undefined, metrics }).client(LedgerService);
  await expect(ledger.post({})).rejects.toMatchObject({
    refusal: { refused: 'internal' },
    cause: { message: expect.stringContaining('Post: the answer cannot be read'), cause: expect.any(Error) },
  });
  expect(await metrics.metrics()).toMatch(/gerbang_rpc_client_calls_total\{.*Post.*status="INTERNAL".*\} 1/);
});
