import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { RefusalError, refuse } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { RefusalSchema } from '@gerbang/proto/gerbang/rpc/v1/refusal';
import { Health, HealthCheckResponse_ServingStatus } from '@gerbang/proto/grpc/health/v1/health';
import { currentTraceId, startTelemetry } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Opened } from './harness.ts';
import { reflect } from './reflect.ts';
import { unaryCall } from './unary-call.ts';

const opened = new Opened();
let stopTelemetry: () => Promise<void>;
beforeAll(async () => {
  stopTelemetry = await startTelemetry({ service: 'test', otlpEndpoint: undefined });
});
afterAll(async () => {
  await opened.close();
  await stopTelemetry();
});

const { post } = LedgerService.method;

test('every method answers plain unary calls, in the trace of the caller', async () => {
  let seen = '';
  const server = await opened.serve({
    post: async ({ amountSen }) => {
      seen = currentTraceId();
      return { availableAfterSen: amountSen };
    },
  });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const answer = await unaryCall(server.port, post, { amountSen: 9n }, { metadata: { traceparent } });
  expect(answer.availableAfterSen).toBe(9n);
  expect(seen).toBe('0af7651916cd43dd8448eb211c80319c');
});

test('a refusal comes with its status, and whole in the trailers', async () => {
  const server = await opened.serve({
    post: async () => {
      throw new RefusalError(refuse('insufficient_balance', { echo: { reference_number: 'r' } }));
    },
  });
  const failed = await unaryCall(server.port, post, {}).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: status.FAILED_PRECONDITION, details: 'insufficient_balance' });
  const metadata =
    failed instanceof Error && 'metadata' in failed && failed.metadata instanceof Metadata ? failed.metadata : new Metadata();
  const [detail] = metadata.get('gerbang-refusal-bin');
  if (!Buffer.isBuffer(detail)) throw new Error('no detail');
  expect(fromBinary(RefusalSchema, detail)).toMatchObject({ code: 'insufficient_balance', echo: { reference_number: 'r' } });
});

test('a deadline is told to the handler; calls beyond the bound are refused', async () => {
  let ended = false;
  const server = await opened.serve(
    {
      post: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new Error('aborted'));
          });
        }),
    },
    { inFlightMax: 1 },
  );
  const first = unaryCall(server.port, post, {}, { timeoutMs: 500 });
  await expect(unaryCall(server.port, post, {})).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  await expect(first).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  await eventually('the handler was told', () => ended);
});

test('a request above the limit is refused, and the connection goes on', async () => {
  const server = await opened.serve({ post: async () => ({ availableAfterSen: 1n }) });
  const failed = unaryCall(server.port, post, { description: 'x'.repeat(5 * 1024 * 1024) });
  await expect(failed).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  expect((await unaryCall(server.port, post, {})).availableAfterSen).toBe(1n);
});

test('the health protocol answers for the server and each of its services, and knows no others', async () => {
  let ready = true;
  const server = await opened.serve({}, { ready: () => ready });
  const check = async (service: string) => (await unaryCall(server.port, Health.method.check, { service })).status;
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  for (const service of ['', LedgerService.typeName]) expect(await check(service)).toBe(SERVING);
  await expect(check('gerbang.Nothing')).rejects.toMatchObject({ code: status.NOT_FOUND });
  ready = false;
  expect(await check('')).toBe(NOT_SERVING);
});

test.each(['v1', 'v1alpha'])('reflection %s tells all that a client needs to call', async (version) => {
  const server = await opened.serve({ getBalance: async () => ({ availableSen: 5n }) });
  const [services, bySymbol, byMethod, byName, unknown, nothing] = await reflect(server.port, version, [
    { messageRequest: { case: 'listServices', value: '' } },
    { messageRequest: { case: 'fileContainingSymbol', value: 'gerbang.ledger.v1.LedgerService' } },
    { messageRequest: { case: 'fileContainingSymbol', value: 'gerbang.ledger.v1.LedgerService.GetBalance' } },
    { messageRequest: { case: 'fileByFilename', value: 'gerbang/rpc/v1/lane.proto' } },
    { messageRequest: { case: 'fileContainingSymbol', value: 'gerbang.Nothing' } },
    {},
  ]);
  if (services?.case !== 'listServicesResponse') throw new Error('no services');
  expect(services.value.service.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'gerbang.ledger.v1.LedgerService',
      'grpc.health.v1.Health',
      'gerbang.rpc.v1.LaneService',
      'grpc.reflection.v1.ServerReflection',
    ]),
  );
  if (bySymbol?.case !== 'fileDescriptorResponse') throw new Error('no file');
  expect(byMethod).toEqual(bySymbol);
  expect(byName?.case).toBe('fileDescriptorResponse');
  expect(unknown).toMatchObject({ case: 'errorResponse', value: { errorCode: status.NOT_FOUND } });
  expect(nothing).toMatchObject({ case: 'errorResponse', value: { errorCode: status.INVALID_ARGUMENT } });
  const file = bySymbol.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
  const method = registry.getService('gerbang.ledger.v1.LedgerService')?.method.getBalance;
  if (method === undefined) throw new Error('no method');
  expect(await unaryCall(server.port, method, {})).toMatchObject({ availableSen: 5n });
});
