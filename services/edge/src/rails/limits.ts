import type { IncomingMessage } from 'node:http';
import { RefusalError } from '@gerbang/core';
import { networkOf } from '@gerbang/runtime';
import { callerAddress } from '../http/ip-whitelist.ts';
import { readBody } from '../http/json-body.ts';
import type { RailsContext } from './context.ts';
import type { RailPartner } from './partners.ts';
import { type SnapAnswer, SnapRefusal } from './snap.ts';

/** What metrics call this listener. */
export const RAILS_LISTENER = 'rails';

/** No callback of a rail is near this long. */
const BODY_BYTES_MAX = 64 * 1024;

/** The address of a caller, as limits count it. */
export function networkOfCaller({ trustedProxies }: RailsContext, request: IncomingMessage): string {
  return networkOf(callerAddress(request, trustedProxies) ?? '');
}

/**
 * Reads a body. Until its signature holds it is its address's, not the partner's that its sender claims to be. Refusals: 413 00, 400 00
 * (it ended early), 503 00 (too many of the address's bodies are not complete).
 */
export function readRailBody(
  context: RailsContext,
  request: IncomingMessage,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const reading = {
    bytesMax: BODY_BYTES_MAX,
    caller: networkOfCaller(context, request),
    unfinished: context.unfinishedBodies,
    refused: () => context.limitMetrics.refused(RAILS_LISTENER, 'unfinished bodies'),
  };
  readBody(request, reading, (error, bytes) => done(error && toSnap(error), bytes));
}

function toSnap(error: Error): Error {
  if (!(error instanceof RefusalError)) return error;
  switch (error.refusal.refused) {
    case 'body_too_large':
      return new SnapRefusal(413, '00', 'Request Too Large');
    case 'overloaded':
      return unavailable();
    default:
      return new SnapRefusal(400, '00', 'Bad Request');
  }
}

/**
 * Runs the work of a call under a permit of its partner, who has proved to be the one. Refusals: 429 00 (too many calls of the
 * partner are under way), 503 00 (too many of all).
 */
export async function underPermit(
  { callPermits, limitMetrics }: RailsContext,
  { partnerId }: RailPartner,
  work: () => Promise<SnapAnswer>,
): Promise<SnapAnswer> {
  const refused = callPermits.take(partnerId);
  if (refused !== undefined) {
    limitMetrics.refused(RAILS_LISTENER, refused === 'all' ? 'calls' : 'calls of a partner');
    throw refused === 'all' ? unavailable() : tooManyRequests();
  }
  try {
    return await work();
  } finally {
    callPermits.give(partnerId);
  }
}

/** Gives a token where the address has not had too many refused. Refusals: 429 00, and those of `issue`. */
export function withTokenFailures(context: RailsContext, request: IncomingMessage, issue: () => SnapAnswer): SnapAnswer {
  const { tokenFailures, limitMetrics } = context;
  const network = networkOfCaller(context, request);
  const clientKey = String(request.headers['x-client-key'] ?? '').slice(0, 36);
  if (tokenFailures.wait(clientKey, network) !== undefined) {
    limitMetrics.refused(RAILS_LISTENER, 'refused tokens of an address');
    throw tooManyRequests();
  }
  try {
    const answer = issue();
    tokenFailures.proved(clientKey, network);
    return answer;
  } catch (error) {
    if (error instanceof SnapRefusal && error.answer.http === 401) tokenFailures.failed(network);
    throw error;
  }
}

function unavailable(): SnapRefusal {
  return new SnapRefusal(503, '00', 'Service Unavailable');
}

function tooManyRequests(): SnapRefusal {
  return new SnapRefusal(429, '00', 'Too Many Requests');
}
