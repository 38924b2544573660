import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import { DEBIT_NOTIFY } from '../money-in/gateway.ts';
import { snapMoment } from '../money-in/snap-time.ts';
import { type Authorisation, statusOf } from './authorisations.ts';

const SNAP_STATUS = {
  authorised: '00',
  captured: '00',
  refunded: '04',
  voided: '05',
  declined: '06',
  pending: '03',
  challenge: '03',
} as const;

/** Notifies the gateway that something has changed. One that is lost is not repeated: the gateway asks for what it needs. */
export async function notifyGateway({ gateway, clock, log }: Context, authorisation: Authorisation): Promise<void> {
  const status = statusOf(authorisation, clock.now());
  const answer = await gateway.call('card', DEBIT_NOTIFY, {
    originalReferenceNo: authorisation.acquirerReference,
    originalPartnerReferenceNo: authorisation.reference,
    latestTransactionStatus: SNAP_STATUS[status],
    transactionStatusDesc: status,
    amount: toMoney(authorisation.amountSen),
    finishedTime: snapMoment(clock.now()),
  });
  if (answer.outcome !== 'done')
    log.warn({ reference: authorisation.reference, outcome: answer.outcome }, 'a card payment was not taken');
}
