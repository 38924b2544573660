import type { IncomingMessage } from 'node:http';
import { isTimestampInWindow, RefusalError, refuse, verifyHashedRequestSignature } from '@gerbang/core';
import { headerOf } from './auth.ts';
import type { Caller } from './call.ts';

/**
 * The request signature of signed routes (merchant-api.md, request signature): X-Timestamp within 300 s of real time and
 * X-Signature over method, path with query, token, normalized body and timestamp, keyed with the secret of the token's
 * credential. One refusal for every mistake: signature_invalid.
 */
export function checkRequestSignature(request: IncomingMessage, bodyHash: () => string, caller: Caller, realNowMs: number): void {
  const timestamp = headerOf(request, 'x-timestamp') ?? '';
  const signature = headerOf(request, 'x-signature') ?? '';
  const { method = '', url: path = '' } = request;
  if (isTimestampInWindow(timestamp, realNowMs)) {
    const signed = { method, path, accessToken: caller.accessToken, bodyHash: bodyHash(), timestamp };
    if (verifyHashedRequestSignature(signed, caller.clientSecret, signature)) return;
  }
  throw new RefusalError(refuse('signature_invalid'));
}
