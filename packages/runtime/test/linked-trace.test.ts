import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { contextFrom, openSpan, startTelemetry } from '../src/index.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a linked trace is named in the span, which belongs to a trace of its own and is recorded also where the caller says no', async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.end('{}');
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const flush = await startTelemetry({ service: 'test', otlpEndpoint: `http://127.0.0.1:${address.port}` });
  const { span, traceId } = openSpan('work', { parent: contextFrom(''), links: [contextFrom(`00-${TRACE}-${SPAN}-00`)] });
  span.end();
  await flush();
  collector.close();
  const [sent = ''] = bodies;
  const recorded = JSON.parse(sent).resourceSpans[0].scopeSpans[0].spans[0];
  expect(recorded).toMatchObject({ traceId, links: [{ traceId: TRACE, spanId: SPAN }] });
  expect(traceId).not.toBe(TRACE);
});
