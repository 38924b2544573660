import type { Foundation } from '@gerbang/service';
import { openTimer } from '@gerbang/service/store';
import type { Store } from '@gerbang/store';
import type { Context } from './context.ts';
import { onPayablesDue } from './payable/on-due.ts';
import { PAYABLES } from './payable/store.ts';
import type { StoredPayableDocument } from './payable/stored-payable.ts';
import { onPaymentsDue } from './payment/on-due.ts';
import { PAYMENTS } from './payment/store.ts';
import type { StoredPaymentDocument } from './payment/stored-payment.ts';

/** Longer than a timer's whole work: the ledger and a few writes. */
const LEASE_MS = 20_000;

/** Batches of a timer at once: some wait for rails or for the ledger, while others are written. */
const BATCHES = 4;

/** Starts the timers: expiry of payables; settlement of payments, and what crashes have left. */
export async function startTimers(foundation: Foundation, context: Context, store: Store): Promise<void> {
  const { clock, payables, payments } = context;
  await openTimer(foundation, 'timer of payables', {
    collection: store.collection<StoredPayableDocument>(PAYABLES),
    clock,
    leaseMs: LEASE_MS,
    concurrency: BATCHES,
    handle: (document) => onPayablesDue(context, [payables.fromDocument(document)]),
    handleTogether: (documents) => onPayablesDue(context, documents.map(payables.fromDocument)),
  });
  await openTimer(foundation, 'timer of payments', {
    collection: store.collection<StoredPaymentDocument>(PAYMENTS),
    clock,
    leaseMs: LEASE_MS,
    concurrency: BATCHES,
    handle: (document) => onPaymentsDue(context, [payments.fromDocument(document)]),
    handleTogether: (documents) => onPaymentsDue(context, documents.map(payments.fromDocument)),
  });
}
