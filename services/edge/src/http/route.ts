import type { IncomingMessage } from 'node:http';
import type { Context } from '../context.ts';
import type { Caller } from './call.ts';
import type { LimitBounds } from './concurrency-limit.ts';
import type { Envelope } from './envelope.ts';
import type { Operation } from './operation.ts';

/** A chapter of the API's document: the operations of one product, or of one thing that every merchant has. */
export type Chapter = {
  name: string;
  description: string;
  /**
   * False where its operations never answer product_not_allowed: of what every merchant has, and of retail, where a merchant without
   * the product gets a validation error (contract §2).
   */
  productRefusal?: false;
};

/** A line of the URL map. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A pattern such as /api/v1.0/balance-inquiry/:account_id. */
  path: string;
  envelope: Envelope;
  chapter: Chapter;
  operation: Operation;
  /** By what the caller proves itself. */
  credential: 'token' | 'basic' | 'client-signature';
  /** Finds out who is calling, before the body is read. */
  admit: (context: Context, request: IncomingMessage) => Caller | Promise<Caller>;
  /** Whether the request signature is checked (contract §3, signed routes). */
  signed: boolean;
  /** Whether the body may be application/x-www-form-urlencoded. */
  form: boolean;
  /** How many of its requests may be under way. */
  permits: LimitBounds;
};
