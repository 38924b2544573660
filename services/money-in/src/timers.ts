import type { Foundation } from '@gerbang/service';
import { openTimer } from '@gerbang/service/store';
import type { Store } from '@gerbang/store';
import type { Context } from './context.ts';
import type { StoredPaymentDocument } from './payment/document.ts';
import { onPaymentsDue } from './payment/on-due.ts';
import { PAYMENTS } from './payment/store.ts';
import type { StoredDocument } from './payment-request/document.ts';
import { onPaymentRequestsDue } from './payment-request/on-due.ts';
import { PAYMENT_REQUESTS } from './payment-request/store.ts';

/** Longer than a timer's whole work: the ledger and a few writes. */
const LEASE_MS = 20_000;

/** Batches of a timer at once: some wait for rails or for the ledger, while others are written. */
const BATCHES = 4;

/** Starts the timers: expiry of payment requests; settlement of payments, and what crashes have left. */
export async function startTimers(foundation: Foundation, context: Context, store: Store): Promise<void> {
  const { clock, paymentRequests, payments } = context;
  await openTimer(foundation, 'timer of payment requests', {
    collection: store.collection<StoredDocument>(PAYMENT_REQUESTS),
    clock,
    leaseMs: LEASE_MS,
    concurrency: BATCHES,
    handle: (document) => onPaymentRequestsDue(context, [paymentRequests.fromDocument(document)]),
    handleTogether: (documents) => onPaymentRequestsDue(context, documents.map(paymentRequests.fromDocument)),
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
