// Receives Gerbang's webhooks. Node 24 or newer, nothing else:  GERBANG_CLIENT_SECRET=... node receive.ts
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

const WINDOW_SECONDS = 300;
const BODY_BYTES_MAX = 1024 * 1024;

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

/** Whether Gerbang has sent this. `path` has the query, `body` is the bytes as received, `now` is Unix seconds. */
export function verify(secret: string, { method, path, headers, body }: Received, now: number): boolean {
  const timestamp = String(headers['x-timestamp'] ?? '');
  if (!/^[0-9]{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > WINDOW_SECONDS) return false;
  let normalized = '';
  try {
    if (body.length > 0) normalized = normalize(JSON.parse(body.toString()));
  } catch {
    return false;
  }
  const bodyHash = createHash('sha256').update(normalized).digest('hex');
  const token = (headers.authorization ?? '').replace(/^Bearer /, '');
  const stringToSign = `${method}:${path}:${token}:${bodyHash}:${timestamp}`;
  const expected = Buffer.from(createHmac('sha512', secret).update(stringToSign).digest('hex'));
  const signature = Buffer.from(String(headers['x-signature'] ?? ''));
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

/** Keys sorted by UTF-16 code units, no white space; numbers and texts as JSON.stringify writes them. */
export function normalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(normalize).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${normalize(item)}`).join()}}`;
}

/** The status to answer with. */
async function receive(request: IncomingMessage, secret: string): Promise<number> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return 413;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const { method = '', url: path = '', headers, rawHeaders } = request;
  if (!verify(secret, { method, path, headers, body }, Date.now() / 1000)) {
    // For `gerbang signature explain refused.http`.
    const lines = rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    writeFileSync('refused.http', Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`), body]));
    return 401;
  }
  const eventId = headers['x-event-id'];
  if (!seen.has(eventId)) console.log(JSON.parse(body.toString()).event, eventId);
  seen.add(eventId);
  return 200;
}

const seen = new Set<unknown>(); // In production: a unique key in your database, written together with what the event changes.

if (import.meta.main) {
  const secret = process.env.GERBANG_CLIENT_SECRET;
  if (!secret) throw new Error('GERBANG_CLIENT_SECRET is not set');
  const server = createServer((request, response) => {
    receive(request, secret).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1');
}
