import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createCardNumberAlarm, createLogger, startTelemetry, withSpan } from '../src/index.ts';

const PAN = '4811111111111114';
const TRACE_ID = '4811111111111114c0ffee00deadbeef';

test('card numbers in the name, the attributes, the events and the status of a span are masked before it leaves', async () => {
  const bodies: string[] = [];
  const receiver = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  const registry = new Registry();
  const log = createLogger({ service: 'test', level: 'silent' });
  const alarm = createCardNumberAlarm(registry, () => log);
  const stop = await startTelemetry({ service: 'test', otlpEndpoint: `http://127.0.0.1:${address.port}`, alarm });
  const attributes = { text: `a ${PAN}`, number: Number(PAN), list: [PAN, 'b'], [PAN]: 'name', id: TRACE_ID, small: 7 };
  await withSpan(`pay ${PAN}`, { attributes }, async (span) => {
    span.addEvent(`declined ${PAN}`, { reason: '4811-1111-1111-1114' });
    span.setStatus({ code: 2, message: PAN });
  });
  await stop();
  receiver.close();
  const sent = bodies.join('');
  expect(sent).toContain(`pay 481111******1114`);
  expect(sent).toContain(TRACE_ID);
  expect(sent).toContain('"intValue":7');
  expect(sent.replaceAll(TRACE_ID, '')).not.toMatch(/4811[ -]?1111[ -]?1111[ -]?1114/);
  expect(await registry.metrics()).toContain('gerbang_card_numbers_masked_total{where="span"} 8');
});
