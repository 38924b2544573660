import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { BookItem, SimulatedRail } from '../simulated-rail.ts';
import { authorise, capture, inquire, refund, voidAuthorisation } from './acquirer.ts';
import { statusOf } from './authorisations.ts';
import { inquireChargeback, openChargeback, withdrawChargeback } from './chargebacks.ts';
import { changeAuthorisation, clearSeed, setSeed } from './control.ts';
import { HISTORY, tellMovements } from './movements.ts';
import { cardAcquirerOf } from './open.ts';
import { showChallenge, submitChallenge } from './three-ds/acs.ts';

/** The acquirer of cards, with its issuers, their directory and their ACS. */
export const cardRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/card/v1/authorisations', handler: authorise, anyone: true },
    { method: 'GET', url: '/card/v1/authorisations/:reference', handler: inquire, anyone: true },
    { method: 'POST', url: '/card/v1/authorisations/:reference/capture', handler: capture, anyone: true },
    { method: 'POST', url: '/card/v1/authorisations/:reference/void', handler: voidAuthorisation, anyone: true },
    { method: 'POST', url: '/card/v1/authorisations/:reference/refund', handler: refund, anyone: true },
    { method: 'GET', url: '/card/v1/chargebacks/:reference', handler: inquireChargeback, anyone: true },
    { method: 'GET', url: '/card/acs/challenge', handler: showChallenge, anyone: true },
    { method: 'POST', url: '/card/acs/challenge', handler: submitChallenge, anyone: true },
    { method: 'PUT', url: '/sandbox/card/3ds', handler: setSeed, anyone: false },
    { method: 'DELETE', url: '/sandbox/card/3ds', handler: clearSeed, anyone: false },
    { method: 'POST', url: '/sandbox/card/:reference/change', handler: changeAuthorisation, anyone: false },
    { method: 'POST', url: '/sandbox/card/:reference/chargeback', handler: openChargeback, anyone: false },
    { method: 'POST', url: '/sandbox/card/:reference/chargeback/withdraw', handler: withdrawChargeback, anyone: false },
  ],
  books: { card: bookPayments },
  histories: { [HISTORY]: { rail: 'card', rows: tellMovements } },
};

/**
 * What was captured and refunded, and what was not: success says that the money has moved. A chargeback is pending, since its end
 * is decided elsewhere, or canceled where it was withdrawn.
 */
async function* bookPayments(context: Context): AsyncGenerator<BookItem> {
  const { authorisations } = await cardAcquirerOf(context);
  for await (const authorisation of authorisations.all()) {
    const { reference, acquirerReference, amountSen, refund: given, initiatedBy } = authorisation;
    const status = statusOf(authorisation, context.clock.now());
    const isTaken = status === 'captured' || status === 'refunded';
    const isOpen = status === 'pending' || status === 'challenge' || status === 'authorised';
    const amount = toMoney(amountSen);
    yield {
      reference_number: acquirerReference,
      transaction_id: reference,
      direction: 'in',
      amount,
      status: isTaken ? 'success' : isOpen ? 'pending' : status === 'voided' ? 'canceled' : 'failed',
      ...(initiatedBy === 'merchant' && { initiated_by: initiatedBy }),
    };
    if (given !== undefined)
      yield { reference_number: given.reference, transaction_id: reference, direction: 'out', amount, status: 'success' };
    for (const { caseId, amountSen: disputedSen, isWithdrawn } of authorisation.chargebacks ?? [])
      yield {
        reference_number: caseId,
        transaction_id: reference,
        direction: 'out',
        amount: toMoney(BigInt(disputedSen)),
        status: isWithdrawn ? 'canceled' : 'pending',
      };
  }
}
