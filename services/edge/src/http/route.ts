import type { IncomingMessage } from 'node:http';
import type { Json, Refusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { LimitBounds } from './concurrency-limit.ts';
import type { Envelope } from './envelope.ts';

/** The merchant behind a request, by the credential it came with. `accessToken` is empty at the token endpoints. */
export type Caller = { merchantId: string; clientId: string; clientSecret: string; accessToken: string };

/** An admitted request as handlers see it: nothing in it has been validated yet. */
export type Call = {
  caller: Caller;
  /** Method and pattern, for instance "GET /api/v1.0/balance-inquiry/:account_id". */
  route: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: Json | undefined;
  /** SHA-256 of the body's normalized JSON (contract §3), hashed once when it is first asked for. */
  bodyHash(): string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
};

/** What a handler answers: data, which the route's envelope goes around, a stream of text/csv, or a picture. */
export type Answer =
  | DataAnswer
  | { csv: AsyncIterable<string> }
  | { image: string | Buffer; type: 'image/svg+xml' | 'image/png' };

export type DataAnswer = {
  data: object;
  /** 200 unless told; v1 routes only. */
  status?: 201 | 202;
  /** The request was carried out and has failed: `data` is answered with it. */
  failure?: Refusal;
  /** The answer of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
};

/** One HTTP operation: one typed call behind it. Refusals are thrown as RefusalError. */
export type Handler = (context: Context, call: Call) => Promise<Answer>;

/** A line of the URL map. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A pattern such as /api/v1.0/balance-inquiry/:account_id. */
  path: string;
  envelope: Envelope;
  /** Finds out who is calling, before the body is read. */
  admit: (context: Context, request: IncomingMessage) => Caller | Promise<Caller>;
  /** Whether the request signature is checked (contract §3, signed routes). */
  signed: boolean;
  /** Whether the body may be application/x-www-form-urlencoded. */
  form: boolean;
  /** How many of its requests may be under way. */
  permits: LimitBounds;
  handle: Handler;
};
