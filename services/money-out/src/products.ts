import { createDisbursement } from './disbursement/disbursement.ts';
import type { Rails } from './rails.ts';

/** The products of the transfer saga. */
export type Products = ReturnType<typeof createProducts>;

export function createProducts(rails: Rails) {
  return {
    disbursement: createDisbursement(rails.bankTransfer),
  };
}
