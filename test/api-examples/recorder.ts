import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isRecord, type MerchantClient } from '../support/merchant-client.ts';

/** What the document shows of an operation; for a webhook, `request` is its body. */
export type Example = { request?: unknown; answer?: unknown; errors?: Record<string, unknown> };

/** The input of a call: parameters of the path by their names, a query with its question mark, a body, and headers. */
export type Input = { path?: Record<string, string | number>; query?: string; body?: unknown; headers?: Record<string, string> };

export type Recorder = {
  /** Calls an operation by its operationId, keeps the request and the answer, and gives `data`. */
  call(operationId: string, input?: Input): Promise<Record<string, unknown>>;
  /** Calls one that must be refused, and keeps the error under its HTTP status. */
  refused(operationId: string, input: Input): Promise<void>;
  examples(): Record<string, Example>;
};

const described = z.object({
  operationId: z.string(),
  'x-signed': z.boolean().optional(),
  /** Of an operation that is on another host than the document: the biller's. */
  servers: z.array(z.unknown()).optional(),
});

const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), described)),
    webhooks: z.record(z.string(), z.unknown()),
  })
  .parse(JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')));

/** The names of the webhooks that the document has. */
export const events: readonly string[] = Object.keys(document.webhooks);

const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, 'x-signed': signed, servers }]) => [
      operationId,
      { path, method: method.toUpperCase(), signed: signed ?? false, isOnBiller: servers !== undefined },
    ]),
  ),
);

/** Stands in for real tokens: the document shows none, not even one of a sandbox that is gone. */
const TOKEN = 'eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl';

/** Records what a merchant of a sandbox sends and receives. */
export function startRecorder(merchant: MerchantClient, billerUrl: string): Recorder {
  const examples: Record<string, Example> = {};

  async function ask(operationId: string, { path = {}, query = '', body, headers = {} }: Input) {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new Error(`the document has no operation ${operationId}`);
    const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(path[name])) + query;
    const host = operation.isOnBiller ? merchant.at(billerUrl) : merchant;
    const answer = operation.signed
      ? await host.signed(url, body, headers)
      : await host.send(operation.method, url, body, headers);
    return { http: answer.http, json: withoutToken(answer.json) };
  }

  return {
    examples: () => examples,
    async call(operationId, input = {}) {
      const { http, json } = await ask(operationId, input);
      if (http > 299 || !isRecord(json.data)) throw new Error(`${operationId} answered ${http} ${JSON.stringify(json)}`);
      examples[operationId] = {
        ...examples[operationId],
        ...(input.body !== undefined && { request: input.body }),
        answer: json,
      };
      return json.data;
    },
    async refused(operationId, input) {
      const { http, json } = await ask(operationId, input);
      if (http < 400) throw new Error(`${operationId} was not refused: ${JSON.stringify(json)}`);
      const { errors, ...known } = examples[operationId] ?? {};
      examples[operationId] = { ...known, errors: { ...errors, [http]: json } };
    },
  };

  function withoutToken(json: Record<string, unknown>): Record<string, unknown> {
    if (!isRecord(json.data) || json.data.access_token === undefined) return json;
    return { ...json, data: { ...json.data, access_token: TOKEN } };
  }
}
