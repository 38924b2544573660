import { jakartaIso } from '@gerbang/core';
import type { RetailCodeName, RetailRail } from './retail.ts';
import { createSnapCalls, toSnapAmount } from './snap-call.ts';
import { openSnapClient, type SnapCredentials } from './snap-client.ts';
import { CREATE_VA, DELETE_VA, numberFields, readChange, readRegistration } from './snap-virtual-account.ts';

/** The digits by which the tills know that a code is the gateway's. */
const PREFIX_LENGTH = 4;

/**
 * A chain of shops. SNAP has no service for them; those who connect them take their codes for virtual accounts of a channel of their own, and so does this.
 * `now` is real time.
 */
export function openSnapRetail(credentials: SnapCredentials, now: () => number = Date.now): RetailRail {
  const snap = openSnapClient(credentials, now);
  const call = createSnapCalls(snap, now);
  return {
    registerCode(code, { signal }) {
      const body = {
        ...toName(code),
        virtualAccountName: code.customerName,
        totalAmount: toSnapAmount(code.amountSen),
        virtualAccountTrxType: 'C',
        expiredDate: jakartaIso(code.expiresAtMs),
      };
      return call(CREATE_VA, body, signal, readRegistration);
    },
    cancelCode: (code, { signal }) => call(DELETE_VA, toName(code), signal, readChange),
    close: () => snap.close(),
  };
}

function toName({ reference, paymentCode, retailCode }: RetailCodeName): object {
  return {
    ...numberFields(paymentCode, paymentCode.slice(0, PREFIX_LENGTH)),
    trxId: reference,
    additionalInfo: { channel: `RETAIL_${retailCode}` },
  };
}
