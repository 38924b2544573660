import type { Json, Refusal } from '@gerbang/core';

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
  /** The caller's, behind trusted proxies too; undefined where it can't be told. Asked for by few, so it is told when it is. */
  address(): string | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
};

/** What a handler answers: data, which the route's envelope goes around, a stream of text/csv, or a picture. */
export type Answer<Data extends object = object> =
  | DataAnswer<Data>
  | NothingAnswer<Data>
  | CsvAnswer
  | { image: string | Buffer; type: 'image/svg+xml' | 'image/png' };

/** What was asked for is not there: what can be said of it goes with the refusal. */
export type NothingAnswer<Data extends object = object> = { data: Partial<Data>; failure: Refusal; replayed?: false };

/** `ended` is called once it has been sent, or the caller has gone: it gives back what the stream has taken. */
export type CsvAnswer = { csv: AsyncIterable<string>; readTimeoutMs: number; ended: () => void };

export type DataAnswer<Data extends object = object> = {
  data: Data;
  /** The order was executed and has failed: `data` is answered with it. */
  failure?: Refusal;
  /** The answer of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
};
