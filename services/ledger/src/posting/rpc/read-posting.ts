import { RefusalError, refuseField } from '@gerbang/core';
import {
  type PostRequest,
  Compensation as WireCompensation,
  Intent as WireIntent,
  Side as WireSide,
} from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { PARTITION } from '../../partition/name.ts';
import { ID } from '../account.ts';
import type { Compensation, Intent, Posting, Side } from '../posting.ts';

const KEY = /^[\x21-\x7e]{1,200}$/;
const RAIL = /^[a-z][a-z0-9-]{0,31}$/;
/** A page of 1,000 statement entries with the longest texts stays below the 4 MiB that an answer may have. */
const DESCRIPTION_MAX = 500;
const TEXT_MAX = 128;
const INT64_MAX = 2n ** 63n - 1n;
/** Intents that move money over a rail. */
const OF_RAILS: readonly Intent[] = ['capture', 'credit', 'refund', 'compensate', 'forfeit'];
/** Intents that take a fee, or give it back. */
const OF_FEES: readonly Intent[] = ['capture', 'credit', 'compensate', 'forfeit'];
/** Intents whose money may be elsewhere than available. */
const SIDED: readonly Intent[] = ['credit', 'refund', 'compensate'];

/** The request as a posting; throws a validation refusal naming the field. */
export function readPosting(request: PostRequest): Posting {
  const intent = intentOf(request.intent);
  if (intent === undefined) throw wrong('intent', 'is unknown');
  if (!PARTITION.test(request.partition)) throw wrong('partition', 'is not the name of a partition');
  if (!KEY.test(request.postingKey)) throw wrong('posting_key', 'must be 1 to 200 printable characters without blanks');
  const { side, fromSuspense, compensation } = readVariant(request, intent);
  readAmounts(request, { intent, side, compensation });
  readAccounts(request, intent, side);
  if (!RAIL.test(request.rail) && (request.rail !== '' || OF_RAILS.includes(intent)))
    throw wrong('rail', 'must be the name of a rail');
  readTexts(request, intent);
  return {
    key: request.postingKey,
    intent,
    merchantId: request.merchantId,
    accountId: request.accountId,
    amountSen: request.amountSen,
    feeSen: request.feeSen,
    vendorFeeSen: request.vendorFeeSen,
    rail: request.rail,
    product: request.product,
    transactionId: request.transactionId,
    referenceNumber: request.referenceNumber,
    description: request.description,
    destinationAccountId: request.destinationAccountId,
    side,
    fromSuspense,
    compensation,
  };
}

function readVariant(request: PostRequest, intent: Intent): Pick<Posting, 'side' | 'fromSuspense' | 'compensation'> {
  const { fromSuspense } = request;
  const side = sideOf(request.side);
  const compensation = compensationOf(request.compensation);
  if (side === undefined || (side !== 'available' && !SIDED.includes(intent))) throw wrong('side', `is no side of a ${intent}`);
  if (fromSuspense && (intent !== 'credit' || side === 'suspense'))
    throw wrong('from_suspense', 'is for a credit to an account alone');
  if (compensation === undefined || (compensation === '') === (intent === 'compensate'))
    throw wrong('compensation', 'must say what is compensated, and be empty for every other intent');
  if (side === 'pending' && (compensation === 'payout-returned' || compensation === 'payout-made'))
    throw wrong('side', 'no payout is pending');
  return { side, fromSuspense, compensation };
}

function readAmounts(
  { amountSen, feeSen, vendorFeeSen }: PostRequest,
  { intent, side, compensation }: Pick<Posting, 'intent' | 'side' | 'compensation'>,
): void {
  // A fee may take all of a payment, and is given back where the payment is withdrawn.
  const isAllFee = (intent === 'credit' || compensation === 'payment-withdrawn') && amountSen === 0n && feeSen > 0n;
  if (amountSen <= 0n && !isAllFee) throw wrong('amount_sen', 'must be more than 0');
  if (feeSen < 0n || amountSen + feeSen > INT64_MAX) throw wrong('fee_sen', 'must be 0 or more, and fit');
  if ((intent === 'transfer' || side === 'suspense') && feeSen !== 0n) throw wrong('fee_sen', 'must be 0: nobody bears it');
  if (vendorFeeSen < 0n) throw wrong('vendor_fee_sen', 'must be 0 or more');
  if (vendorFeeSen > 0n && (!OF_FEES.includes(intent) || side === 'suspense'))
    throw wrong('vendor_fee_sen', 'must be 0 where no fee is taken or given back');
}

function readAccounts(request: PostRequest, intent: Intent, side: Side): void {
  const { merchantId, accountId, destinationAccountId } = request;
  const isNobodys = side === 'suspense' && merchantId === '' && accountId === '';
  if (!isNobodys && !ID.test(merchantId)) throw wrong('merchant_id', 'is not an id');
  if (!isNobodys && !ID.test(accountId)) throw wrong('account_id', 'is not an id');
  if (intent === 'transfer' ? !ID.test(destinationAccountId) : destinationAccountId !== '')
    throw wrong('destination_account_id', 'must be the id of an account for a transfer, and empty otherwise');
  if (intent === 'transfer' && destinationAccountId === accountId)
    throw wrong('destination_account_id', 'must be another account than the source');
}

function readTexts({ product, transactionId, referenceNumber, description }: PostRequest, intent: Intent): void {
  // The settlement transaction names it (contract §5).
  if (intent === 'settle' && transactionId === '') throw wrong('transaction_id', 'is required for a settlement');
  readLength('product', product, TEXT_MAX);
  readLength('transaction_id', transactionId, TEXT_MAX);
  readLength('reference_number', referenceNumber, TEXT_MAX);
  readLength('description', description, DESCRIPTION_MAX);
}

function readLength(field: string, text: string, max: number): void {
  if (text.length > max) throw wrong(field, `must be at most ${max} characters`);
}

function wrong(field: string, message: string): RefusalError {
  return new RefusalError(refuseField(field, message));
}

function intentOf(intent: WireIntent): Intent | undefined {
  switch (intent) {
    case WireIntent.HOLD:
      return 'hold';
    case WireIntent.CAPTURE:
      return 'capture';
    case WireIntent.RELEASE:
      return 'release';
    case WireIntent.CREDIT:
      return 'credit';
    case WireIntent.TRANSFER:
      return 'transfer';
    case WireIntent.SETTLE:
      return 'settle';
    case WireIntent.REFUND:
      return 'refund';
    case WireIntent.COMPENSATE:
      return 'compensate';
    case WireIntent.RESERVE:
      return 'reserve';
    case WireIntent.RESTORE:
      return 'restore';
    case WireIntent.FORFEIT:
      return 'forfeit';
    default:
      return undefined;
  }
}

function sideOf(side: WireSide): Side | undefined {
  switch (side) {
    case WireSide.UNSPECIFIED:
    case WireSide.AVAILABLE:
      return 'available';
    case WireSide.PENDING:
      return 'pending';
    case WireSide.SUSPENSE:
      return 'suspense';
    default:
      return undefined;
  }
}

function compensationOf(compensation: WireCompensation): Compensation | undefined {
  switch (compensation) {
    case WireCompensation.UNSPECIFIED:
      return '';
    case WireCompensation.PAYOUT_RETURNED:
      return 'payout-returned';
    case WireCompensation.PAYOUT_MADE:
      return 'payout-made';
    case WireCompensation.PAYMENT_WITHDRAWN:
      return 'payment-withdrawn';
    default:
      return undefined;
  }
}
