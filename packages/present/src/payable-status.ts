import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { z } from 'zod';
import type {
  EwalletStatus,
  PaymentLinkHistoryStatus,
  PaymentLinkStatus,
  QrisStatus,
  RetailStatus,
  VirtualAccountStatus,
} from './schemas.ts';

/** A product's own words for how its payment requests stand (merchant-api.md, states; contract §5). */
export type StatusWords<Word extends string = string> = Readonly<Record<Exclude<PayableStatus, PayableStatus.UNSPECIFIED>, Word>>;

export const VIRTUAL_ACCOUNT_WORDS: StatusWords<z.output<typeof VirtualAccountStatus>> = {
  [PayableStatus.ACTIVE]: 'active',
  [PayableStatus.COMPLETED]: 'completed',
  [PayableStatus.EXPIRED]: 'expired',
  [PayableStatus.INACTIVE]: 'inactive',
  [PayableStatus.FAILED]: 'failed',
  [PayableStatus.REVERSED]: 'failed',
};

/** A payment link's are the same. */
export const PAYMENT_LINK_WORDS: StatusWords<z.output<typeof PaymentLinkStatus>> = VIRTUAL_ACCOUNT_WORDS;

export const QRIS_WORDS: StatusWords<z.output<typeof QrisStatus>> = {
  [PayableStatus.ACTIVE]: 'open',
  [PayableStatus.COMPLETED]: 'success',
  [PayableStatus.EXPIRED]: 'expired',
  [PayableStatus.INACTIVE]: 'canceled',
  [PayableStatus.FAILED]: 'failed',
  [PayableStatus.REVERSED]: 'reversed',
};

export const EWALLET_WORDS: StatusWords<z.output<typeof EwalletStatus>> = {
  [PayableStatus.ACTIVE]: 'pending',
  [PayableStatus.COMPLETED]: 'success',
  [PayableStatus.EXPIRED]: 'expired',
  [PayableStatus.INACTIVE]: 'failed',
  [PayableStatus.FAILED]: 'failed',
  [PayableStatus.REVERSED]: 'failed',
};

export const RETAIL_WORDS: StatusWords<z.output<typeof RetailStatus>> = {
  [PayableStatus.ACTIVE]: 'unpaid',
  [PayableStatus.COMPLETED]: 'paid',
  [PayableStatus.EXPIRED]: 'expired',
  [PayableStatus.INACTIVE]: 'failed',
  [PayableStatus.FAILED]: 'failed',
  [PayableStatus.REVERSED]: 'failed',
};

export const HISTORY_WORDS: StatusWords<z.output<typeof PaymentLinkHistoryStatus>> = {
  [PayableStatus.ACTIVE]: 'pending',
  [PayableStatus.COMPLETED]: 'paid',
  [PayableStatus.EXPIRED]: 'expired',
  [PayableStatus.INACTIVE]: 'failed',
  [PayableStatus.FAILED]: 'failed',
  [PayableStatus.REVERSED]: 'failed',
};

/** The product's word for a status. */
export function statusWord<Word extends string>(words: StatusWords<Word>, status: PayableStatus): Word {
  if (status === PayableStatus.UNSPECIFIED) throw new Error('a payment request has no status');
  return words[status];
}

/** Where several statuses share a word, the one that it is asked for by. */
const STATUSES = [
  PayableStatus.ACTIVE,
  PayableStatus.COMPLETED,
  PayableStatus.EXPIRED,
  PayableStatus.FAILED,
  PayableStatus.INACTIVE,
  PayableStatus.REVERSED,
] as const;

/** The status behind a word, for list filters; undefined when the product has no such word. */
export function statusOfWord(words: StatusWords, word: string): PayableStatus | undefined {
  return STATUSES.find((status) => words[status] === word);
}
