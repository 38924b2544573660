import { isLuhn } from '@gerbang/core';
import { type PrivateData, readPrivateData, writePrivateData } from '@gerbang/rails/card';
import { answerTypeOf, type Fields, type Message } from '@gerbang/rails/iso8583';
import type { Forced } from '../../bank-transfer/beneficiary.ts';
import type { Context } from '../../context.ts';
import { type Authorisation, type Status, statusOf } from '../authorisations.ts';
import { bookCapture, bookRefund, bookVoid, newAuthorisation } from '../bookkeeping.ts';
import { verdictOf } from '../issuer.ts';
import { cardAcquirerOf } from '../open.ts';

/** What a message is answered with: a response code (field 39), further fields, and when by business time. Or nothing. */
export type Booked = { code: string; fields?: Fields; atMs?: number } | 'silence';

const APPROVED = '00';
const DO_NOT_HONOR = '05';
const INVALID_TRANSACTION = '12';
const INVALID_CARD = '14';
const NOT_LOCATED = '25';
const FORMAT_ERROR = '30';
const DUPLICATE = '94';
const AUTHENTICATION_REQUIRED = { code: '1A', reason: 'The issuer wants the customer to be authenticated' };

/** Fields that an answer repeats. None of them is of the card. */
const REPEATED = [3, 4, 7, 11, 12, 13, 32, 37, 41, 42, 49] as const;

/** Books what a message asks for. Messages are told apart by type, and by the references in field 48. */
export async function bookMessage(context: Context, { type, fields }: Message, forced: Forced): Promise<Booked> {
  const data = readPrivateData(fields[48] ?? '');
  if (data?.reference === undefined || fields[4] === undefined) return { code: FORMAT_ERROR };
  const asked = { reference: data.reference, amountSen: BigInt(fields[4]) };
  switch (type) {
    case '0100':
      return authorise(context, { ...asked, fields, data, forced });
    case '0220':
    case '0221':
      if (forced === 'failed') return { code: DO_NOT_HONOR };
      return answerTo(context, await captureOf(context, asked, fields), ['captured', 'refunded'], forced);
    case '0400':
    case '0401':
    case '0420':
    case '0421':
      if (forced === 'failed') return { code: DO_NOT_HONOR };
      return answerTo(context, await bookVoid(context, asked.reference), ['voided', 'declined'], forced);
    case '0200':
    case '0201':
      return refund(context, { ...asked, fields, data, forced });
    default:
      return { code: INVALID_TRANSACTION };
  }
}

/** The answer to a message, with the fields that it repeats. */
export function toAnswer({ type, fields }: Message, { code, fields: more = {} }: Exclude<Booked, 'silence'>): Message {
  const repeated = Object.fromEntries(
    REPEATED.filter((field) => fields[field] !== undefined).map((field) => [field, fields[field]]),
  );
  return { type: answerTypeOf(type), fields: { ...repeated, ...more, 39: code } };
}

type Asked = { reference: string; amountSen: bigint; fields: Fields; data: PrivateData; forced: Forced };

/** There is no 3DS in these messages: an issuer that wants it declines, unless the merchant charges a card that it has kept. */
async function authorise(context: Context, { reference, amountSen, fields, data, forced }: Asked): Promise<Booked> {
  const { authorisations } = await cardAcquirerOf(context);
  const { 2: number = '', 43: acceptor = '' } = fields;
  if (!/^[0-9]{12,19}$/.test(number) || !isLuhn(number)) return { code: INVALID_CARD };
  const verdict = verdictOf(number, forced);
  const isMerchant = data.initiatedBy === 'M';
  const authorisation = newAuthorisation(context, number, {
    reference,
    amountSen,
    merchantName: acceptor.slice(0, 25).trim(),
    returnUrl: '',
    decline: verdict.challenges && !isMerchant ? AUTHENTICATION_REQUIRED : verdict.decline,
    answersAtMs: context.clock.now() + verdict.afterMs,
    authentication: undefined,
    initiatedBy: isMerchant ? 'merchant' : 'customer',
    networkTransactionId: data.networkTransactionId,
  });
  if (!(await authorisations.add(authorisation))) return { code: DUPLICATE };
  if (verdict.isSilent) return 'silence';
  const { decline, approvalCode, networkTransactionId = '', answersAtMs: atMs } = authorisation;
  if (decline !== undefined) return { code: decline.code, atMs };
  return { code: APPROVED, atMs, fields: { 38: approvalCode, 48: writePrivateData({ networkTransactionId }) } };
}

/** A capture names the approval that it takes. */
async function captureOf(context: Context, { reference, amountSen }: { reference: string; amountSen: bigint }, fields: Fields) {
  const { authorisations } = await cardAcquirerOf(context);
  const found = await authorisations.find(reference);
  if (found === undefined || found.approvalCode !== fields[38]) return undefined;
  return bookCapture(context, reference, amountSen);
}

async function refund(context: Context, { reference, amountSen, fields, data, forced }: Asked): Promise<Booked> {
  if (!fields[3]?.startsWith('20') || data.originalReference === undefined) return { code: INVALID_TRANSACTION };
  if (forced === 'failed') return { code: DO_NOT_HONOR };
  const changed = await bookRefund(context, { reference: data.originalReference, refundReference: reference, amountSen });
  if (changed?.refund !== undefined && changed.refund.reference !== reference) return { code: INVALID_TRANSACTION };
  return answerTo(context, changed, ['refunded'], forced);
}

/** Approved where it stands as was asked, also before. A forced timeout has done it and keeps silent. */
function answerTo(context: Context, changed: Authorisation | undefined, as: readonly Status[], forced: Forced): Booked {
  if (changed === undefined) return { code: NOT_LOCATED };
  if (forced === 'timeout') return 'silence';
  return { code: as.includes(statusOf(changed, context.clock.now())) ? APPROVED : INVALID_TRANSACTION };
}
