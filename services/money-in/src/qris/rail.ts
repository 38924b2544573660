import type { Rail } from '../rail/rail.ts';
import { QRIS } from './qris.ts';

/** The acquirer. It has taken the money when it reports it, holds the codes, and takes payments back. */
export const qrisRail: Rail = {
  name: QRIS,
  reverses: true,
  read(paid) {
    if (paid.case !== 'qris') return undefined;
    const { partnerReference, tipSen, issuerName, issuerNns, customerPan, customerName } = paid.value;
    const { customerAccountType, onUs, rrn } = paid.value;
    const payer = { issuerName, issuerNns, customerPan, customerName, customerAccountType, onUs, rrn };
    return { paidTo: partnerReference, issuers: [], tipSen, payer };
  },
  inquire: ({ qris }, { reference }, signal) => qris.query({ partnerReference: reference, railReference: '' }, { signal }),
};
