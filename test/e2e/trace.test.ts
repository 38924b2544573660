import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { newOrder, notifyAt, order } from '../support/disbursement.ts';
import { isRecord, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

type Span = { service: string; name: string; traceId: string; spanId: string; parentSpanId: string };

/** An OTLP collector over HTTP with JSON. */
const spans: Span[] = [];
let collector: Server;
let system: System;
let sink: WebhookSink;
let merchant: MerchantClient;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString())));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  sink = await startWebhookSink();
  system = await startSystem({
    name: 'trace',
    shuffleUnsorted: true,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}` },
  });
  merchant = await signIn(system.demo.base_url, system.demo);
  await notifyAt(merchant, sink.url);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await sink?.close();
  collector?.close();
  collector?.closeAllConnections();
});

test('one payment is one trace, from the edge over gRPC, MongoDB and JetStream to the webhook', async () => {
  const body = newOrder(system.demo.account_ids[0]);
  const { data, error, response } = await order(merchant, body);
  expect(data?.response_code, JSON.stringify(error)).toBe('SP000');
  await eventually('the webhook', () => sink.about(body.reference_number)[0]);
  const traceId = response.headers.get('x-request-id');
  const mine = () => spans.filter((span) => span.traceId === traceId);
  const has = (service: string, name: RegExp) =>
    mine().some((span) => span.service === `gerbang-${service}` && name.test(span.name));
  const expected: [string, RegExp][] = [
    ['edge', /transfer/],
    ['money-out', /DisbursementService\/Transfer/],
    ['money-out', /^mongodb insertOne transfers/],
    ['money-out', /LedgerService\/Post/],
    ['ledger', /LedgerService\/Post/],
    ['money-out', /^SNAP .*transfer-interbank/],
    ['money-out', /^publish gerbang\.money-out/],
    ['notifier', /webhook/],
  ];
  await eventually(
    'every part of the road in one trace',
    () => expected.every(([service, name]) => has(service, name)),
    30_000,
  ).catch((error: unknown) => {
    const missing = expected.filter(([service, name]) => !has(service, name));
    throw new Error(
      `missing: ${missing.join('; ')}; there: ${mine()
        .map((span) => `${span.service} ${span.name}`)
        .join('; ')}`,
      { cause: error },
    );
  });
  const ids = new Set(mine().map((span) => span.spanId));
  const roots = mine().filter((span) => !ids.has(span.parentSpanId));
  expect(roots.map((span) => span.service)).toEqual(['gerbang-edge']);
}, 60_000);

function readSpans(body: unknown): Span[] {
  return list(body, 'resourceSpans').flatMap((resource) => {
    const service = list(isRecord(resource) ? resource.resource : undefined, 'attributes').find(
      (attribute) => isRecord(attribute) && attribute.key === 'service.name',
    );
    const name = isRecord(service) && isRecord(service.value) ? String(service.value.stringValue) : '';
    return list(resource, 'scopeSpans').flatMap((scope) =>
      list(scope, 'spans')
        .filter(isRecord)
        .map((span) => ({
          service: name,
          name: String(span.name),
          traceId: String(span.traceId),
          spanId: String(span.spanId),
          parentSpanId: String(span.parentSpanId ?? ''),
        })),
    );
  });
}

function list(value: unknown, field: string): unknown[] {
  const inner = isRecord(value) ? value[field] : undefined;
  return Array.isArray(inner) ? inner : [];
}
