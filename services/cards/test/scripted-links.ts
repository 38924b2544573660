import { create } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuse } from '@gerbang/core';
import {
  BeginCardPaymentResponseSchema,
  CardOutcome,
  ReportCardPaymentResponseSchema,
} from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../src/context.ts';
import { ACCOUNT, MERCHANT } from './parts-harness.ts';

/**
 * money-in's part in memory: one session over IDR 250,000, which has one open try at a time and counts one payment, once. `isOver`: it
 * takes none any more.
 */
export function newLinks(expiresAtMs: number) {
  const session = {
    reffNo: `PH${newUlid(Date.now())}`,
    linkReffNo: `PL${newUlid(Date.now())}`,
    isOver: false,
    endsOnceBegun: false,
    isAway: false,
    tries: [] as { paymentId: string; isOpen: boolean }[],
    paidBy: undefined as string | undefined,
    paidAtMs: 0n,
    settleAtMs: 0n,
    feeSen: 0n,
    hasSettled: false,
    isReversed: false,
    uses: 0,
  };
  const links: Context['links'] = {
    async beginCardPayment({ attempt = 0, paymentId = '' }) {
      if (session.isAway) throw new RefusalError(refuse('unavailable'));
      const last = session.tries.at(-1);
      if (attempt === session.tries.length + 1 && !last?.isOpen) {
        if (session.isOver) throw new RefusalError(refuse('bad_request'));
        session.tries.push({ paymentId, isOpen: true });
        session.isOver = session.endsOnceBegun;
      }
      const now = session.tries.at(-1);
      return create(BeginCardPaymentResponseSchema, {
        paymentId: now?.paymentId ?? '',
        mayCharge: attempt === session.tries.length && now?.isOpen === true,
        merchantId: MERCHANT,
        accountId: ACCOUNT,
        amountSen: 250_000_00n,
        linkReffNo: session.linkReffNo,
        expiresAtMs: BigInt(expiresAtMs),
        customerName: 'Sri',
      });
    },
    async reportCardPayment({ paymentId = '', outcome, paidAtMs = 0n, settleAtMs = 0n, feeSen = 0n }) {
      if (session.isAway) throw new RefusalError(refuse('unavailable'));
      const last = session.tries.find((one) => one.paymentId === paymentId);
      const answer = (accepted: boolean) => create(ReportCardPaymentResponseSchema, { accepted });
      if (outcome === CardOutcome.SETTLED) {
        Object.assign(session, { hasSettled: session.paidBy === paymentId, settleAtMs });
        return answer(true);
      }
      if (session.paidBy === paymentId) {
        session.isReversed ||= outcome === CardOutcome.FAILED;
        return answer(true);
      }
      const fits = outcome === CardOutcome.PAID && !session.isOver && session.paidBy === undefined && last?.isOpen === true;
      if (fits) {
        Object.assign(session, { paidBy: paymentId, paidAtMs, settleAtMs, feeSen });
        session.uses++;
      } else if (last !== undefined) last.isOpen = false;
      return answer(fits || outcome === CardOutcome.FAILED);
    },
  };
  return { links, session };
}
