import { readFileSync } from 'node:fs';
import { CARD_CANARIES, CVV_CANARY, REFERENCE_CANARY } from '@gerbang/testkit';
import { z } from 'zod';
import { isRecord, newReference } from './merchant-client.ts';

/** A request that carries canaries somewhere; `body` is JSON, or a text that is not. */
export type CanaryRequest = {
  method: string;
  path: string;
  /** Whether it goes to biller_url. */
  toBiller: boolean;
  body?: unknown;
  rawBody?: string;
  headers?: Record<string, string>;
};

/** Fields in which any digits are right: a merchant that writes a card number there cannot be told from one that does not. */
const ANY_DIGITS = /^(?:reference_number|merchant_reff_no|customer_id|bank_account_number|phone_number|customer_phone|qr_data)$/;
const ACCOUNT = /^(?:source_)?account_id$/;

const operation = z.object({
  servers: z.array(z.unknown()).optional(),
  parameters: z.array(z.object({ name: z.string().default(''), in: z.string().default('') })).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ example: z.unknown() })) }).optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

let next = 0;
/** The canaries by turns. */
function card(): string {
  return CARD_CANARIES[next++ % CARD_CANARIES.length] ?? '';
}

/** What no operation knows, in every shape. */
function unknownFields(): Record<string, unknown> {
  return {
    card_number: card(),
    card_cvv: CVV_CANARY,
    payment: { card: { number: card(), cvv: CVV_CANARY }, list: [card()] },
    [card()]: card(),
    digits: Number(CARD_CANARIES[0]),
  };
}

function headers(): Record<string, string> {
  return {
    'user-agent': `shop ${card()}`,
    referer: `https://shop.example/?card=${encodeURIComponent(card())}`,
    cookie: `card=${encodeURIComponent(card())}`,
    tracestate: `card=${CARD_CANARIES[0]}`,
    baggage: `card=${CARD_CANARIES[0]}`,
    'x-card-number': card(),
    'x-card-cvv': CVV_CANARY,
  };
}

/**
 * Requests of every operation in the API's document, made from its examples: a good one with canaries in unknown fields, headers
 * and the query, then one for each field of the body, each parameter of the path and of the query with a canary as its value, and
 * one whose body breaks off. `webhookUrl` is where callback settings send webhooks.
 */
export function canaryRequests(account: string, otherAccount: string, webhookUrl: string): CanaryRequest[] {
  const { paths } = document.parse(JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')));
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([verb, { servers, parameters, requestBody }]) => {
      const base = { method: verb.toUpperCase(), path: pathOf(template, account), toBiller: servers !== undefined };
      const named = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const inPath = named.map((name) => ({ ...base, path: pathOf(template, account, { [name]: card() }) }));
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const inQuery = [...query, 'card_number', encodeURIComponent(card())].map((name) => {
        return { ...base, path: `${base.path}?${name}=${encodeURIComponent(card())}&cvv=${CVV_CANARY}` };
      });
      const example = requestBody?.content['application/json']?.example;
      const parametric = [...inPath, { ...base, headers: headers() }, ...(requestBody === undefined ? inQuery : [])];
      if (requestBody === undefined) return parametric;
      const fresh = () => freshen(example, { account, otherAccount, webhookUrl });
      return [
        ...parametric,
        ...twice({ ...base, body: { ...asRecord(fresh()), ...unknownFields() } }),
        ...leavesOf(example).map((at) => ({ ...base, body: withCanary(fresh(), at) })),
        { ...base, rawBody: `{"card_number":"${card()}","card_cvv":"${CVV_CANARY}","name":` },
      ];
    }),
  );
}

/** The same request with an idempotency key, so that its answer is stored. */
function twice(request: CanaryRequest): CanaryRequest[] {
  const keyed = { ...request, headers: { ...headers(), 'idempotency-key': newReference('canary') } };
  return [keyed, keyed];
}

function pathOf(template: string, account: string, over: Record<string, string> = {}): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(over[name] ?? (name === 'account_id' ? account : '1')),
  );
}

/** An example with accounts of the test, a reference of its own, and webhooks that reach the test. */
function freshen(value: unknown, given: { account: string; otherAccount: string; webhookUrl: string }): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (ACCOUNT.test(name)) return [name, given.account];
      if (name === 'destination_account_id') return [name, given.otherAccount];
      if (name === 'reference_number') return [name, newReference('canary')];
      return [name, name.endsWith('_notif_url') ? given.webhookUrl : freshen(inner, given)];
    }),
  );
}

/** The ways to every value of a body that is no object. */
function leavesOf(value: unknown, at: readonly string[] = []): string[][] {
  if (isRecord(value)) return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...at, name]));
  return at.length === 0 ? [] : [[...at]];
}

function withCanary(value: unknown, [name = '', ...below]: readonly string[]): unknown {
  const canary = ANY_DIGITS.test(name) ? REFERENCE_CANARY : card();
  return { ...asRecord(value), [name]: below.length === 0 ? canary : withCanary(asRecord(value)[name], below) };
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
