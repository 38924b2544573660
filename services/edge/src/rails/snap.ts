import type { IncomingMessage } from 'node:http';
import { type Json, jakartaIso, parseAmount, RefusalError } from '@gerbang/core';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { parseJson } from '../http/json-body.ts';
import type { RailsContext } from './context.ts';

/** The answer to a rail. HTTP status, service and case make up SNAP's responseCode. */
export type SnapAnswer = { http: number; caseCode: string; message: string; fields?: object };

export const SUCCESSFUL: SnapAnswer = { http: 200, caseCode: '00', message: 'Successful' };
export const GENERAL_ERROR: SnapAnswer = { http: 500, caseCode: '00', message: 'General Error' };
/** The rail has to retry: its message may or may not have been processed. */
export const TIMEOUT: SnapAnswer = { http: 504, caseCode: '00', message: 'Timeout' };
export const FEATURE_NOT_ALLOWED: SnapAnswer = { http: 403, caseCode: '01', message: 'Feature Not Allowed' };

/** How far X-TIMESTAMP may be from the clock, either side. */
const WINDOW_MS = 300_000;
const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

/** An answer that ends a call on its way: thrown by the checks, sent by the error handler. */
export class SnapRefusal extends Error {
  override name = 'SnapRefusal';
  readonly answer: SnapAnswer;

  constructor(http: number, caseCode: string, message: string) {
    super(message);
    this.answer = { http, caseCode, message };
  }
}

/** One message for everything that is wrong with who is calling, as far as SNAP lets. */
export function unauthorized(): SnapRefusal {
  return new SnapRefusal(401, '00', 'Unauthorized. [Signature]');
}

/** Sends the answer of a service, which is two digits. */
export function sendSnap(context: RailsContext, reply: FastifyReply, service: string, answer: SnapAnswer): FastifyReply {
  const responseCode = `${answer.http}${service}${answer.caseCode}`;
  context.railMetrics.answeredRail(service, responseCode);
  if (answer.http >= 400) reply.request.refused = reasonCodeOf(answer);
  return reply
    .code(answer.http)
    .header('x-timestamp', jakartaIso(context.realNow()))
    .send({ responseCode, responseMessage: answer.message, ...answer.fields });
}

/** An answer's message as a code, for the log: our messages are few, and those of 401, 403 and 429 hold nothing of the caller's. */
function reasonCodeOf({ message }: SnapAnswer): string {
  return message
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

/** A header that SNAP wants. Refusals: 400 02 where it is missing, 400 01 where it is malformed. */
export function mandatoryHeader(request: IncomingMessage, name: string, pattern: RegExp = /^[\x21-\x7e]{1,4096}$/): string {
  const value = request.headers[name.toLowerCase()];
  if (value === undefined || value === '') throw new SnapRefusal(400, '02', `Invalid Mandatory Field {${name}}`);
  if (typeof value !== 'string' || !pattern.test(value)) throw new SnapRefusal(400, '01', `Invalid Field Format {${name}}`);
  return value;
}

/** X-TIMESTAMP, within five minutes of real time. Refusals: those of the header, 401 00. */
export function recentTimestamp(request: IncomingMessage, nowMs: number): string {
  const timestamp = mandatoryHeader(request, 'X-TIMESTAMP', ISO_WITH_OFFSET);
  const distanceMs = Math.abs(Date.parse(timestamp) - nowMs);
  if (Number.isNaN(distanceMs)) throw new SnapRefusal(400, '01', 'Invalid Field Format {X-TIMESTAMP}');
  if (distanceMs > WINDOW_MS) throw new SnapRefusal(401, '00', 'Unauthorized. [X-TIMESTAMP]');
  return timestamp;
}

/** The body, read by a schema. Refusals: 400 00 (no JSON object), 400 02 (a field is missing), 400 01 (a field is malformed). */
export function readFields<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const body = parseObject(text);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), body);
  const field = path.map(String).join('.');
  throw value === undefined || value === null || value === ''
    ? new SnapRefusal(400, '02', `Invalid Mandatory Field {${field}}`)
    : new SnapRefusal(400, '01', `Invalid Field Format {${field}}`);
}

/** An amount as SNAP writes it, read as sen; more than zero. */
export const amountSen = z
  .object({ value: z.string().regex(/^[0-9]{1,14}\.[0-9]{2}$/), currency: z.literal('IDR') })
  .transform(({ value }, problem) => {
    const sen = parseAmount(value);
    if (sen !== undefined) return sen;
    problem.addIssue({ code: 'custom', path: ['value'], message: 'out of bounds' });
    return z.NEVER;
  });

/** A moment as SNAP writes it, read as Unix milliseconds. */
export const timeMs = z
  .string()
  .regex(ISO_WITH_OFFSET)
  .transform((text, problem) => {
    const ms = Date.parse(text);
    if (!Number.isNaN(ms)) return ms;
    problem.addIssue('no such moment');
    return z.NEVER;
  });

/** A reference of the rail's own: printable ASCII. */
export const reference = (lengthMax: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${lengthMax}}$`));

function parseObject(text: string): Json {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof RefusalError) throw new SnapRefusal(400, '00', 'Bad Request');
    throw error;
  }
  if (!isRecord(value)) throw new SnapRefusal(400, '00', 'Bad Request');
  return value;
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
