import { jakartaIso } from '@gerbang/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Context } from '../context.ts';

/** How far X-TIMESTAMP may be from the bank's clock, either side. */
const WINDOW_MS = 300_000;
const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

/** What the bank says: HTTP status and case make, with the service between them, the responseCode. */
export type SnapAnswer = { http: number; caseCode: string; message: string; fields?: object };

export const GENERAL_ERROR: SnapAnswer = { http: 500, caseCode: '00', message: 'General Error' };
export const TIMEOUT: SnapAnswer = { http: 504, caseCode: '00', message: 'Timeout' };

/** An answer that ends a call on its way: thrown by the checks, sent by the error handler. */
export class SnapRefusal extends Error {
  readonly answer: SnapAnswer;

  constructor(http: number, caseCode: string, message: string) {
    super(message);
    this.name = 'SnapRefusal';
    this.answer = { http, caseCode, message };
  }
}

/** Sends an answer of a service, which is two digits. */
export function sendAnswer(context: Context, reply: FastifyReply, service: string, answer: SnapAnswer): FastifyReply {
  const responseCode = `${answer.http}${service}${answer.caseCode}`;
  context.metrics.answered(service, responseCode);
  return reply
    .code(answer.http)
    .header('x-timestamp', jakartaIso(Date.now()))
    .send({ responseCode, responseMessage: answer.message, ...answer.fields });
}

/** A header that SNAP wants; refuses with 400 02 where it is missing and 400 01 where it is malformed. */
export function mandatoryHeader(request: FastifyRequest, name: string, pattern: RegExp = /^[\x21-\x7e]{1,4096}$/): string {
  const value = request.headers[name.toLowerCase()];
  if (value === undefined || value === '') throw new SnapRefusal(400, '02', `Invalid Mandatory Field {${name}}`);
  if (typeof value !== 'string' || !pattern.test(value)) throw new SnapRefusal(400, '01', `Invalid Field Format {${name}}`);
  return value;
}

/** X-TIMESTAMP, within five minutes of real time: it is part of authentication. */
export function recentTimestamp(request: FastifyRequest): string {
  const timestamp = mandatoryHeader(request, 'X-TIMESTAMP', ISO_WITH_OFFSET);
  const distanceMs = Math.abs(Date.parse(timestamp) - Date.now());
  if (Number.isNaN(distanceMs)) throw new SnapRefusal(400, '01', 'Invalid Field Format {X-TIMESTAMP}');
  if (distanceMs > WINDOW_MS) throw new SnapRefusal(401, '00', 'Unauthorized. {X-TIMESTAMP}');
  return timestamp;
}

/**
 * The body, read by a schema. Refuses with 400 00 (no JSON object), 400 02 (a field is missing) and 400 01 (a field is
 * malformed).
 */
export function readBody<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const body = parseObject(text);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), body);
  const isMissing = value === undefined || value === null || value === '';
  const field = path.map(String).join('.');
  throw isMissing
    ? new SnapRefusal(400, '02', `Invalid Mandatory Field {${field}}`)
    : new SnapRefusal(400, '01', `Invalid Field Format {${field}}`);
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SnapRefusal(400, '00', 'Bad Request');
  }
  if (!isRecord(value)) throw new SnapRefusal(400, '00', 'Bad Request');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
