import { jakartaIso } from '@gerbang/core';
import { createSnapCalls, isDone, readRefusal, readRefusalOrNotFound, toSnapAmount } from './snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials, type SnapService } from './snap-client.ts';
import type {
  RegistrationResult,
  VirtualAccountName,
  VirtualAccountRail,
  VirtualAccountRegistration,
} from './virtual-account.ts';

export const CREATE_VA: SnapService = { path: '/v1.0/transfer-va/create-va', code: '27' };
export const UPDATE_VA: SnapService = { path: '/v1.0/transfer-va/update-va', code: '28', method: 'PUT' };
export const DELETE_VA: SnapService = { path: '/v1.0/transfer-va/delete-va', code: '31', method: 'DELETE' };

/** SNAP: eight characters, padded on the left. */
const PREFIX_LENGTH = 8;
/** 01: transaction not found; 11, 12: no such account or bill. */
const NOT_FOUND_CASES = ['01', '11', '12'];

/** A bank that speaks SNAP's create, update and delete VA (27, 28, 31). `now` is real time. */
export function openSnapVirtualAccount(credentials: SnapCredentials, now: () => number = Date.now): VirtualAccountRail {
  const snap = openSnapClient(credentials, now);
  const call = createSnapCalls(snap, now);
  return {
    createVirtualAccount: (account, { signal }) => call(CREATE_VA, toRegistration(account), signal, readRegistration),
    updateVirtualAccount: (account, { signal }) => call(UPDATE_VA, toRegistration(account), signal, readChange),
    deleteVirtualAccount: (account, { signal }) => call(DELETE_VA, toName(account), signal, readChange),
    close: () => snap.close(),
  };
}

export function readRegistration(answer: SnapAnswer): RegistrationResult {
  return isDone(answer) ? { outcome: 'succeeded' } : readRefusal(answer);
}

export function readChange(answer: SnapAnswer): RegistrationResult | { outcome: 'not_found' } {
  return isDone(answer) ? { outcome: 'succeeded' } : readRefusalOrNotFound(answer, NOT_FOUND_CASES);
}

/** How SNAP names a number: the gateway's part of it and the customer's. */
export function numberFields(number: string, prefix: string): object {
  const partnerServiceId = prefix.padStart(PREFIX_LENGTH);
  const customerNo = number.slice(prefix.length);
  return { partnerServiceId, customerNo, virtualAccountNo: partnerServiceId + customerNo };
}

function toName({ reference, number, prefix, bankCode }: VirtualAccountName): object {
  return { ...numberFields(number, prefix), trxId: reference, additionalInfo: { channel: `VA_${bankCode}` } };
}

function toRegistration(account: VirtualAccountRegistration): object {
  const { number, prefix, reference, bankCode, holderName, amount, usageMax, expiresAtMs } = account;
  const isClosed = amount.kind === 'closed';
  return {
    ...numberFields(number, prefix),
    virtualAccountName: holderName,
    trxId: reference,
    ...(isClosed && { totalAmount: toSnapAmount(amount.amountSen) }),
    virtualAccountTrxType: isClosed ? 'C' : 'O',
    ...(expiresAtMs !== undefined && { expiredDate: jakartaIso(expiresAtMs) }),
    additionalInfo: {
      channel: `VA_${bankCode}`,
      ...(!isClosed && { minAmount: toSnapAmount(amount.minSen), maxAmount: toSnapAmount(amount.maxSen) }),
      ...(usageMax !== undefined && { maxUsage: usageMax }),
    },
  };
}
