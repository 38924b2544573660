import { once } from 'node:events';
import { createServer } from 'node:http';
import { isRecord } from '../support/merchant-client.ts';

export type Span = { service: string; name: string; traceId: string; spanId: string; parentSpanId: string };

/** An OTLP collector over HTTP with JSON, on a free port. */
export type Collector = {
  url: string;
  spans: readonly Span[];
  /** What was received, as it was. */
  texts: readonly string[];
  close(): void;
};

export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      texts.push(text);
      if (request.url === '/v1/traces') spans.push(...readSpans(JSON.parse(text)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    texts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

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
