import { explainSignature, presentExplanation } from '@gerbang/core/workbench';
import { z } from 'zod';
import type { Handler } from '../handler.ts';
import { read, readJson } from './json.ts';

const HEADERS_MAX = 100;
const HEADER_CHARACTERS_MAX = 8_192;

const schema = z.strictObject({
  method: z.string().min(1).max(20),
  /** The path with the query, or the whole address. */
  url: z.string().min(1).max(8_192),
  headers: z
    .record(z.string(), z.string().max(HEADER_CHARACTERS_MAX))
    .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `expected at most ${HEADERS_MAX}`),
  /** The text exactly as it was received. */
  body: z.string().default(''),
  client_secret: z.string().min(1).max(1_024),
  /** What was signed, where that is known. */
  string_to_sign: z.string().min(1).optional(),
});

/**
 * POST /sandbox/signature/explain `{method, url, headers, body?, client_secret, string_to_sign?}` → what the signature should
 * have been, and which component differs. For requests as merchants send them and for webhooks as they receive them. Bounded by
 * the size of a request; the secret is neither logged nor answered.
 */
export const explainSignatureOf: Handler = async (_context, request) => {
  const { client_secret: secret, string_to_sign: ownString, ...received } = read(schema, readJson(request));
  return presentExplanation(explainSignature(received, secret, { nowMs: Date.now(), ownString }));
};
