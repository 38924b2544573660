import { createContextKey, isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contextFrom, currentTraceId, currentTraceparent, openSpan, startTelemetry, withSpan } from '../src/index.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

let stop: () => Promise<void>;
beforeAll(async () => {
  stop = await startTelemetry({ service: 'test', otlpEndpoint: undefined });
});
afterAll(() => stop());

const within = (traceparent: string) => withSpan('work', { parent: contextFrom(traceparent) }, async () => currentTraceparent());

describe('where nothing is recorded', () => {
  test.each(['00', '01'])('the ids of a caller go on, flags %s', async (flags) => {
    expect(await within(`00-${TRACE}-${SPAN}-${flags}`)).toBe(`00-${TRACE}-${SPAN}-00`);
  });

  test('those of a later version too', async () => {
    expect(await within(`cc-${TRACE}-${SPAN}-00-more`)).toBe(`00-${TRACE}-${SPAN}-00`);
  });

  test.each([
    ['nothing', ''],
    ['no traceparent', 'trace'],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['more than this version has', `00-${TRACE}-${SPAN}-01-more`],
    ['a version that there is none of', `ff-${TRACE}-${SPAN}-01`],
  ])('%s begins a trace of its own, with ids that are valid', async (_, traceparent) => {
    const { traceId, span, within: run } = openSpan('work', { parent: contextFrom(traceparent) });
    expect(traceId).not.toBe(TRACE);
    expect(isSpanContextValid(span.spanContext())).toBe(true);
    run(() => expect(currentTraceId()).toBe(traceId));
  });
});

test('a context that is nothing but a span can be given values, and keeps the span', () => {
  const key = createContextKey('test');
  const named = contextFrom(`00-${TRACE}-${SPAN}-01`);
  expect([named.getValue(key), trace.getSpanContext(named)?.traceId]).toEqual([undefined, TRACE]);
  const more = named.setValue(key, 7);
  expect([more.getValue(key), trace.getSpanContext(more)?.traceId]).toEqual([7, TRACE]);
  expect(trace.getSpanContext(named.deleteValue(key))?.traceId).toBe(TRACE);
  expect(trace.deleteSpan(named)).toBe(ROOT_CONTEXT);
});
