import { RefusalError } from '@gerbang/core';
import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { reference, type SnapAnswer, SUCCESSFUL } from './snap.ts';

export const unbindingNotifySchema = z.object({
  /** The reference that we gave the bank with the binding. */
  originalPartnerReferenceNo: reference(64),
});

const TRANSACTION_NOT_FOUND: SnapAnswer = { http: 404, caseCode: '01', message: 'Transaction Not Found' };

/** POST /v1.0/debit/notify of a bank (SNAP 56): the outcome of a charge is known there. */
export async function chargeNotify(
  { directDebit }: RailsContext,
  { body }: RailCall<{ originalPartnerReferenceNo: string }>,
): Promise<SnapAnswer> {
  return acknowledge(() => directDebit.reportCharge({ partnerReference: body.originalPartnerReferenceNo }));
}

/** POST /v1.0/registration-account-unbinding/notify (SNAP has none for 09): a customer has ended a binding at the bank. */
export async function unbindingNotify(
  { directDebit }: RailsContext,
  { body }: RailCall<z.output<typeof unbindingNotifySchema>>,
): Promise<SnapAnswer> {
  return acknowledge(() => directDebit.reportUnbound({ partnerReference: body.originalPartnerReferenceNo }));
}

async function acknowledge(report: () => Promise<unknown>): Promise<SnapAnswer> {
  try {
    await report();
    return SUCCESSFUL;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_not_found') return TRANSACTION_NOT_FOUND;
    throw error;
  }
}
