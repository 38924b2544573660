export { dayOf } from './day.ts';
export { type OurPayment, type Standing, TOLERANCE_MS } from './match/payment.ts';
export { openReconciliations, type ReconciliationOptions, type Reconciliations } from './open.ts';
export type { ReadPayment, ReconciledRail } from './rail.ts';
export type { Asked, Reconciled, ReconciledBy } from './reconciled.ts';
