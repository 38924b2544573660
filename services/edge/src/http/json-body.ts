import type { IncomingMessage } from 'node:http';
import { bodyHash, checkStructure, hashOfCanonical, type Json, RefusalError, refuse } from '@gerbang/core';
import type { PermitRefusal } from '@gerbang/runtime';
import { OVERLOADED } from './admission.ts';
import type { UnfinishedBodies } from './unfinished-bodies.ts';

/** Largest body of a request (contract §2). */
export const BODY_BYTES_MAX = 256 * 1024;
/**
 * How much of a body that is too large is still read and dropped, so that its sender gets to see the answer instead of a reset
 * connection.
 */
const DROPPED_BYTES_MAX = 8 * 1024 * 1024;
/** What a piece of a body takes in memory besides its bytes: one that comes byte by byte takes far more than its length. */
const PIECE_BYTES = 256;

const JSON_TYPE = 'application/json';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A request's body; `hash` is that of its normalized JSON, made once and not before it is asked for: signature and
 * Idempotency-Key both may want it.
 */
export type Body = { json: Json | undefined; hash(): string };

export const NO_BODY: Body = { json: undefined, hash: once(() => bodyHash(undefined)) };

/** How a body is read: how long it may be, whose it is, and what answers one that has no more room. */
export type BodyReading = {
  bytesMax: number;
  caller: string;
  unfinished: UnfinishedBodies;
  refused: (reason: PermitRefusal) => void;
};

/**
 * Reads a request's body and calls back once. The stream is never destroyed: the answer goes over the same socket. What has come
 * of a body that is not complete counts as the caller's. Refusals: body_too_large, overloaded (too many of the caller's bodies
 * are not complete).
 */
export function readBody(
  request: IncomingMessage,
  reading: BodyReading,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const { bytesMax, caller, unfinished, refused } = reading;
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let held = 0;
  const letGo = () => {
    if (held > 0) unfinished.give(caller, held);
    held = 0;
  };
  const finish = (error: Error | null) => {
    request.off('data', onData).off('end', onEnd).off('error', finish).off('close', onClose);
    letGo();
    const [only] = chunks;
    if (error !== null) done(error);
    else if (bytes > bytesMax) done(new RefusalError(refuse('body_too_large')));
    else done(null, only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks));
  };
  const stop = (error: Error | null) => {
    request.pause();
    finish(error);
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      chunks.length = 0;
      letGo();
      if (bytes > DROPPED_BYTES_MAX) stop(null);
      return;
    }
    chunks.push(chunk);
    if (bytes === announced) return;
    const taken = chunk.length + PIECE_BYTES;
    const reason = unfinished.take(caller, taken);
    if (reason === undefined) held += taken;
    else {
      refused(reason);
      stop(new RefusalError(OVERLOADED));
    }
  };
  const onEnd = () => finish(null);
  const onClose = () => finish(new RefusalError(refuse('bad_request', { message: 'The body ended early' })));
  request.on('data', onData).on('end', onEnd).on('error', finish).on('close', onClose);
}

/**
 * The body as its Content-Type says: JSON, also where none is named, or a form where the route takes one. An empty body is
 * undefined. Refusals: bad_request.
 */
export function parseBody(bytes: Buffer, contentType: string | undefined, options: { takesForm: () => boolean }): Body {
  if (bytes.length === 0) return NO_BODY;
  const type = typeOf(contentType);
  if (type === 'application/x-www-form-urlencoded' && options.takesForm()) {
    const form = Object.fromEntries(new URLSearchParams(decode(bytes)));
    return { json: form, hash: once(() => bodyHash(form)) };
  }
  if (type !== JSON_TYPE && !/^application\/[\w.!#$&^-]+\+json$/.test(type)) {
    throw new RefusalError(refuse('bad_request', { message: 'Content-Type must be application/json' }));
  }
  const { json, isCanonical } = readJson(decode(bytes));
  return { json, hash: once(() => (isCanonical ? hashOfCanonical(bytes) : bodyHash(json))) };
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The media type without its parameters. */
function typeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === JSON_TYPE) return JSON_TYPE;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * JSON that has one meaning only: strict UTF-8, no key twice in one object, at most 64 levels deep. (Two parsers that each pick
 * another of two equal keys would sign one amount and pay another.) Refusals: bad_request.
 */
export function parseJson(text: string): Json {
  return readJson(text).json;
}

function readJson(text: string): { json: Json; isCanonical: boolean } {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RefusalError(refuse('bad_request', { message: 'The body is not valid JSON' }), error);
  }
  return { json, ...checkStructure(text) };
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new RefusalError(refuse('bad_request', { message: 'The body is not valid UTF-8' }), error);
  }
}
