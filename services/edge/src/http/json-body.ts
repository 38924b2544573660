import type { Readable } from 'node:stream';
import { type Json, RefusalError, refuse } from '@gerbang/core';

/** Largest body of a request (contract §2). */
export const BODY_BYTES_MAX = 256 * 1024;
/** How much of a body that is too large is still read and dropped, so that its sender gets to see the answer instead of a reset connection. */
const DROPPED_BYTES_MAX = 8 * 1024 * 1024;
const DEPTH_MAX = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a request's body. Refusals: body_too_large. */
export async function readBody(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed when the loop is left: the answer goes over the same socket.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) throw new Error('a request stream gives bytes');
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > DROPPED_BYTES_MAX) break;
  }
  if (bytes > BODY_BYTES_MAX) throw new RefusalError(refuse('body_too_large'));
  return Buffer.concat(chunks);
}

/**
 * The body as its Content-Type says: JSON, also where none is named, or a form where the route takes one. An empty body is undefined.
 * Refusals: bad_request.
 */
export function parseBody(bytes: Buffer, contentType: string | undefined, options: { form: boolean }): Json | undefined {
  const type = (contentType ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (bytes.length === 0) return undefined;
  if (options.form && type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(decode(bytes)));
  }
  if (type !== 'application/json' && !/^application\/[\w.!#$&^-]+\+json$/.test(type)) {
    throw new RefusalError(refuse('bad_request', { message: 'Content-Type must be application/json' }));
  }
  return parseJson(decode(bytes));
}

/**
 * JSON that has one meaning only: strict UTF-8, no key twice in one object, at most 64 levels deep. (Two parsers that each pick another of two equal
 * keys would sign one amount and pay another.) Refusals: bad_request.
 */
export function parseJson(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RefusalError(refuse('bad_request', { message: 'The body is not valid JSON' }), error);
  }
  checkStructure(text);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new RefusalError(refuse('bad_request', { message: 'The body is not valid UTF-8' }), error);
  }
}

/** Goes over text that JSON.parse has accepted: the keys of each open object, and how many are open. */
function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '{':
        open.push(new Set());
        isKey = true;
        break;
      case '[':
        open.push(undefined);
        isKey = false;
        break;
      case '}':
      case ']':
        open.pop();
        isKey = false;
        break;
      case ',':
        isKey = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(text, i);
        if (isKey) addKey(open.at(-1), text.slice(i, end + 1));
        isKey = false;
        i = end;
        break;
      }
    }
    if (open.length > DEPTH_MAX) {
      throw new RefusalError(refuse('bad_request', { message: `The body is nested deeper than ${DEPTH_MAX} levels` }));
    }
  }
}

function addKey(keys: Set<string> | undefined, quoted: string): void {
  const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
  if (keys?.has(key)) throw new RefusalError(refuse('bad_request', { message: 'The body has a key twice in one object' }));
  keys?.add(key);
}

/** Where the string that begins at `start` ends: at the next quote that no backslash escapes. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
