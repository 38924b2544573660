import type { NotifyPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { NotFoundOutcome, PaidOutcome, RefusedOutcome, UnknownOutcome } from '@gerbang/rails';
import type { Payer } from '../payment/order.ts';
import type { Rails } from '../rails.ts';

/** A rail that brings money in. Its kind of payment request describes it; the shared code only asks it. */
export type Rail = {
  /** As it is named in ids, in the ledger and in the control API (contract §11). */
  name: string;
  /** Reads what it reports of a payment; undefined where another rail reports. */
  read(paid: NotifyPaymentRequest['payable']): PaidByRail | undefined;
  /**
   * Where customers pay to a number: the bank or chain that the number belongs to, undefined for none. Absent: they pay to a
   * reference that we gave the rail.
   */
  issuerOf?(number: string): string | undefined;
  /** Asks what has become of a payment; absent where the rail can't be asked. */
  inquire?(rails: Rails, question: Question, signal: AbortSignal): Promise<RailInquiry>;
  /** Whether it takes payments back. */
  reverses: boolean;
};

/**
 * What a rail reports of a payment beyond its amount and time. `issuers`: the banks or chains that the caller speaks for; empty:
 * all of them.
 */
export type PaidByRail = { paidTo: string; issuers: readonly string[]; tipSen: bigint; payer: Payer | undefined };

/** Which payment a rail is asked about, by the reference under which it was ordered; the amount without tip. */
export type Question = { rail: string; reference: string; amountSen: bigint };

export type RailInquiry = PaidOutcome | { outcome: 'pending' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome;
