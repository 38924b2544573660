import type { Closeable } from '@gerbang/runtime';
import { Pool } from 'undici';

/** Why there is no readable answer. The message is ours: it holds nothing of what was sent or received. */
export class SnapError extends Error {
  override name = 'SnapError';
}

export type SnapRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** Empty where there is none. */
  body: string;
  signal: AbortSignal;
  /** Of the answer; 256 KiB unless told. */
  answerBytesMax?: number | undefined;
};

/** JSON over HTTP to one bank. `json` is undefined where the answer is none. Throws SnapError where there is no answer. */
export type SnapHttp = Closeable & { send(request: SnapRequest): Promise<{ httpStatus: number; json: unknown }> };

/** The lowest version of TLS that is spoken with a rail. Operators have to support 1.3, and may speak 1.2 until 30 June 2026. */
export const TLS_VERSIONS = ['1.2', '1.3'] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** What ASPI allows of TLS 1.2. The suites of 1.3 have a list of their own. */
const TLS_1_2_CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
].join(':');

export function openSnapHttp(origin: string, { connections, tlsMin }: { connections: number; tlsMin: TlsVersion }): SnapHttp {
  const tls =
    tlsMin === '1.2' ? { minVersion: 'TLSv1.2' as const, ciphers: TLS_1_2_CIPHERS } : { minVersion: 'TLSv1.3' as const };
  const pool = new Pool(origin, { connections, connect: { timeout: CONNECT_TIMEOUT_MS, ...tls } });
  return {
    async send({ headers, body, answerBytesMax = ANSWER_BYTES_MAX, ...request }) {
      const { signal } = request;
      try {
        const response = await pool.request({
          ...request,
          ...(body !== '' && { body }),
          headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        });
        return { httpStatus: response.statusCode, json: parseJson(await readBounded(response.body, answerBytesMax)) };
      } catch (error) {
        throw toSnapError(error, signal);
      }
    },
    close: () => pool.close(),
  };
}

/** Names what went wrong on the way, by code and never by what was sent. */
export function toSnapError(error: unknown, signal: AbortSignal): SnapError {
  if (error instanceof SnapError) return error;
  if (signal.aborted) return new SnapError('no answer in time', { cause: error });
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  return new SnapError(`the connection to the bank failed: ${code}`, { cause: error });
}

async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop destroys the rest of the answer.
    if (bytes > bytesMax) throw new SnapError('the bank’s answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** JSON.parse quotes the text in its error, and an answer may hold a token: so that error goes no further. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
