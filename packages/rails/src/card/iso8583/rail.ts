import type { Logger } from '@gerbang/runtime';
import {
  type Fields,
  type LinkTls,
  NotSentError,
  openLink,
  UnansweredError,
  UnpackableMessageError,
} from '../../iso8583/index.ts';
import { type CallOptions, callWithin, type UnknownOutcome } from '../../rail-call.ts';
import type { AuthorisationResult, CardRail, DoneResult, InquiryResult } from '../port.ts';
import { type Acceptor, authorisationRequest, captureAdvice, type Request, refundRequest, reversal } from './messages.ts';
import { readPrivateData } from './private-data.ts';
import { meaningOf } from './response-codes.ts';

/** An acquirer's host. `tls` undefined: plain TCP, in the sandbox only. */
export type Iso8583Acquirer = Acceptor & { host: string; port: number; tls: LinkTls | undefined; log: Logger };

/** How long a request waits for a link that is just coming back. */
const SIGN_ON_WAIT_MS = 2_000;
/** The host knows nothing of the original. */
const NOT_LOCATED = '25';

/** An answer to the very message. `unsent`: it certainly has not left. `silent`: anything else. */
type Answer = { fields: Fields } | { unsent: string } | { silent: string };

/**
 * An acquirer that speaks ISO 8583:1987 over TCP, with dual messages (docs/rails.md, Cards by ISO 8583). It answers no inquiries and
 * authenticates no customers. What of a payment was not answered is reversed. Real time: the messages carry it.
 */
export function openIso8583CardRail({ host, port, tls, log, ...acceptor }: Iso8583Acquirer): CardRail {
  const onLateAnswer = (type: string) => log.warn({ type }, 'the acquirer has answered too late, or twice');
  const link = openLink({ host, port, tls, log, now: Date.now, onLateAnswer });

  const send = async (request: Request, { signal }: CallOptions): Promise<Answer> => {
    await callWithin(SIGN_ON_WAIT_MS, (late) =>
      // Where it is not signed on in time, the exchange says so.
      link.signedOn({ signal: AbortSignal.any([signal, late]) }).catch(() => undefined),
    );
    try {
      const { fields } = await link.exchange(request, { signal });
      return isOf(request, fields) ? { fields } : { silent: 'the answer is of another payment' };
    } catch (error) {
      if (error instanceof NotSentError || error instanceof UnpackableMessageError) return { unsent: error.message };
      if (error instanceof UnansweredError) return { silent: error.message };
      throw error;
    }
  };
  const act = async (request: Request, options: CallOptions) => doneOf(await send(request, options));

  return {
    authorise: async (request, card, options) =>
      authorisationOf(await send(authorisationRequest(acceptor, request, card, Date.now()), options)),
    resolve: async (request, options) => resolvedOf(await send(reversal(acceptor, request), options)),
    capture: (request, options) => act(captureAdvice(acceptor, request, Date.now()), options),
    void: (request, options) => act(reversal(acceptor, request), options),
    refund: (request, options) => act(refundRequest(acceptor, request, Date.now()), options),
    inquire: undefined,
    close: () => link.close(),
  };
}

/** Whether the answer repeats what it is about. One of another amount is an answer to something else. */
function isOf({ fields: asked }: Request, answer: Fields): boolean {
  return answer[37] === asked[37] && ([4, 41, 42] as const).every((field) => (answer[field] ?? asked[field]) === asked[field]);
}

function authorisationOf(answer: Answer): AuthorisationResult {
  if ('unsent' in answer) return { outcome: 'failed', code: 'NOT_SENT', reason: 'It has not reached the acquirer' };
  if ('silent' in answer) return unknown(answer.silent);
  const { 37: acquirerReference = '', 38: approvalCode = '', 39: code, 48: privateData = '' } = answer.fields;
  const { means, reason } = meaningOf(code);
  if (means === 'declined') return { outcome: 'failed', code: code ?? '', reason };
  if (means === 'unknown') return unknown(wordsOf(code, reason));
  const { networkTransactionId = '' } = readPrivateData(privateData) ?? {};
  return {
    outcome: 'authorised',
    acquirerReference,
    approvalCode: approvalCode.trim(),
    authorisedAtMs: undefined,
    ...(networkTransactionId !== '' && { networkTransactionId }),
  };
}

/** Of the reversal of what was not answered. Any other refusal than that it is not known leaves it open. */
function resolvedOf(answer: Answer): InquiryResult {
  if ('unsent' in answer) return unknown(answer.unsent);
  if ('silent' in answer) return unknown(answer.silent);
  const { 39: code } = answer.fields;
  const { means, reason } = meaningOf(code);
  if (means === 'approved') return { outcome: 'voided' };
  return code === NOT_LOCATED ? { outcome: 'not_found' } : unknown(wordsOf(code, reason));
}

function doneOf(answer: Answer): DoneResult {
  if ('unsent' in answer) return unknown(answer.unsent);
  if ('silent' in answer) return unknown(answer.silent);
  const { 39: code } = answer.fields;
  const { means, reason } = meaningOf(code);
  if (means === 'approved') return { outcome: 'done' };
  return means === 'declined' ? { outcome: 'failed', code: code ?? '', reason } : unknown(wordsOf(code, reason));
}

function wordsOf(code: string | undefined, reason: string): string {
  return `response code ${code ?? 'missing'}: ${reason}`;
}

function unknown(reason: string): UnknownOutcome {
  return { outcome: 'unknown', reason };
}
