import { formatSen, harmlessText, maskCardNumbers, URL_LENGTH_MAX } from '@gerbang/core';
import { z } from 'zod';
import type { CallOptions, UnknownOutcome } from '../rail-call.ts';
import { openSnapHttp, SnapError, TLS_VERSIONS, type TlsVersion } from '../snap-http.ts';
import type { CardData } from './card-data.ts';
import { readChargeback } from './chargeback.ts';
import type { AuthorisationState, CardRail, DoneResult, Inquire } from './port.ts';
import { signAcquirerCall } from './rest-signature.ts';

export type AcquirerCredentials = { url: string; clientKey: string; clientSecret: string; tlsMin?: TlsVersion };

const CONNECTIONS = 64;

/** What the acquirer writes is stored and shown to merchants. A card number that it echoes does not stay in it. */
const text = (max: number) => z.string().max(max).transform(harmlessText);
const reference = (max: number) => z.string().max(max).transform(maskCardNumbers);

const authorisation = z.object({
  reference: z.string(),
  acquirer_reference: reference(64).default(''),
  amount: z.object({ value: z.string(), currency: z.literal('IDR') }),
  status: z.enum(['authorised', 'captured', 'voided', 'refunded', 'challenge', 'pending', 'declined']),
  approval_code: reference(16).default(''),
  network_transaction_id: reference(64).optional(),
  authorised_at: z.iso.datetime().optional(),
  challenge_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Where the issuer's ACS takes the customer by POST only. */
  challenge_form: z
    .object({
      url: z.url({ protocol: /^https?$/ }),
      fields: z.array(z.object({ name: z.string().min(1).max(64), value: z.string().max(16_384) })).max(16),
    })
    .optional(),
  decline: z.object({ code: text(16), reason: text(128) }).optional(),
});
type Authorisation = z.output<typeof authorisation>;

const refusal = z.object({ error: z.object({ code: text(32), message: text(128) }) });

/** An answer that can be read; `silent` is anything else. */
type Answer = { read: Authorisation } | { refused: { code: string; reason: string }; http: number } | { silent: string };

/** This one answers inquiries. */
export type RestCardRail = CardRail & { inquire: Inquire };

/**
 * An acquirer that speaks JSON over HTTP, signed by HMAC (docs/rails.md, Cards). 4xx with an `error` is its explicit no, except 401,
 * 408, 409, 425 and 429, which say nothing of the payment.
 */
export function openRestCardRail({ url, clientKey, clientSecret, tlsMin = '1.3' }: AcquirerCredentials): RestCardRail {
  const base = new URL(url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const http = openSnapHttp(base.origin, { connections: CONNECTIONS, tlsMin });

  const send = (method: 'GET' | 'POST', path: string, fields: object | undefined, { signal }: CallOptions) => {
    const body = fields === undefined ? '' : JSON.stringify(fields);
    const timestamp = new Date().toISOString();
    const signed = { method, path: `${prefix}${path}`, timestamp, body };
    const headers = {
      'x-client-key': clientKey,
      'x-timestamp': timestamp,
      'x-signature': signAcquirerCall(clientSecret, signed),
    };
    return http.send({ method, path: signed.path, headers, body, signal });
  };
  const call = async (...request: Parameters<typeof send>): Promise<Answer> => {
    try {
      return readAnswer(await send(...request));
    } catch (error) {
      if (error instanceof SnapError) return { silent: error.message };
      throw error;
    }
  };
  const pathOf = (reference: string, action = '') => `/v1/authorisations/${encodeURIComponent(reference)}${action}`;
  const act = async (reference: string, action: string, fields: object, options: CallOptions): Promise<DoneResult> => {
    const answer = await call('POST', pathOf(reference, action), fields, options);
    if ('silent' in answer) return unknown(answer.silent);
    if ('refused' in answer) return { outcome: 'failed', ...answer.refused };
    return answer.read.reference === reference ? { outcome: 'done' } : unknown('the answer is of another payment');
  };
  const inquire: Inquire = async ({ reference }, options) => {
    const answer = await call('GET', pathOf(reference), undefined, options);
    if ('silent' in answer) return unknown(answer.silent);
    if ('refused' in answer) return answer.http === 404 ? { outcome: 'not_found' } : unknown(answer.refused.reason);
    return stateOf(answer.read, { reference });
  };

  return {
    async authorise(request, card, options) {
      const answer = await call('POST', '/v1/authorisations', { ...fieldsOf(request), card: cardFields(card) }, options);
      if ('silent' in answer) return unknown(answer.silent);
      if ('refused' in answer) return { outcome: 'failed', ...answer.refused };
      return stateOf(answer.read, request);
    },
    capture: ({ reference, amountSen }, options) => act(reference, '/capture', { amount: moneyOf(amountSen) }, options),
    void: ({ reference }, options) => act(reference, '/void', {}, options),
    refund: ({ reference, refundReference, amountSen }, options) =>
      act(reference, '/refund', { refund_reference: refundReference, amount: moneyOf(amountSen) }, options),
    resolve: ({ reference }, options) => inquire({ reference }, options),
    inquire,
    async inquireChargeback({ caseId }, options) {
      try {
        return readChargeback(await send('GET', `/v1/chargebacks/${encodeURIComponent(caseId)}`, undefined, options), caseId);
      } catch (error) {
        if (error instanceof SnapError) return unknown(error.message);
        throw error;
      }
    },
    close: () => http.close(),
  };
}

function fieldsOf(request: Parameters<CardRail['authorise']>[0]) {
  return {
    reference: request.reference,
    amount: moneyOf(request.amountSen),
    installment_months: request.installmentMonths,
    merchant_reference: request.merchantReference,
    merchant_name: request.merchantName,
    return_url: request.returnUrl,
    ...(request.initiated !== undefined && { initiated_by: request.initiated }),
    ...(request.networkTransactionId !== undefined && { network_transaction_id: request.networkTransactionId }),
  };
}

function cardFields(card: CardData) {
  const { number, expiry, cvv, holderName } = card.reveal();
  return { number, expiry, ...(cvv !== undefined && { cvv }), holder_name: holderName };
}

function moneyOf(amountSen: string) {
  return { value: formatSen(BigInt(amountSen)), currency: 'IDR' };
}

/** Statuses that say nothing of the payment: the request was not looked at, or another one is under way. */
const NO_WORD = new Set([401, 408, 409, 425, 429]);

function readAnswer({ httpStatus, json }: { httpStatus: number; json: unknown }): Answer {
  if (httpStatus === 200 || httpStatus === 201) {
    const read = authorisation.safeParse(json);
    return read.success ? { read: read.data } : { silent: 'the answer can not be read' };
  }
  const refused = refusal.safeParse(json);
  if (httpStatus >= 400 && httpStatus < 500 && !NO_WORD.has(httpStatus) && refused.success) {
    const { code, message } = refused.data.error;
    return { refused: { code, reason: message }, http: httpStatus };
  }
  return { silent: `HTTP ${httpStatus}` };
}

/** An answer about another payment, or another amount, is no answer to this one. */
function stateOf(read: Authorisation, asked: { reference: string; amountSen?: string }): AuthorisationState | UnknownOutcome {
  if (read.reference !== asked.reference) return unknown('the answer is of another payment');
  if (asked.amountSen !== undefined && read.amount.value !== formatSen(BigInt(asked.amountSen)))
    return { ...unknown('the answer has another amount'), needsOperator: true };
  const { acquirer_reference: acquirerReference, approval_code: approvalCode, authorised_at, network_transaction_id } = read;
  switch (read.status) {
    case 'authorised': {
      const authorisedAtMs = authorised_at === undefined ? undefined : Date.parse(authorised_at);
      return {
        outcome: 'authorised',
        acquirerReference,
        approvalCode,
        authorisedAtMs,
        ...(network_transaction_id !== undefined && { networkTransactionId: network_transaction_id }),
      };
    }
    case 'captured':
      return { outcome: 'captured', acquirerReference };
    case 'voided':
    case 'refunded':
    case 'pending':
      return { outcome: read.status };
    case 'challenge':
      return challengeOf(read);
    case 'declined':
      return { outcome: 'failed', code: read.decline?.code ?? '', reason: read.decline?.reason ?? 'Declined' };
    default:
      return read.status satisfies never;
  }
}

/** One whose address is too long for a page would have its customer wait for nothing. */
function challengeOf({ challenge_url, challenge_form }: Authorisation): AuthorisationState | UnknownOutcome {
  const challenge = challenge_url === undefined ? challenge_form : { url: challenge_url };
  if (challenge === undefined) return unknown('the challenge has no address');
  if (challenge.url.length > URL_LENGTH_MAX) return unknown(`the challenge's address has more than ${URL_LENGTH_MAX} characters`);
  return { outcome: 'challenge', ...challenge };
}

function unknown(reason: string): UnknownOutcome {
  return { outcome: 'unknown', reason };
}

/** For the configuration of a rail. */
export const ACQUIRER_TLS_VERSIONS = TLS_VERSIONS;
