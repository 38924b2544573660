import { jakartaIso } from '@gerbang/core';
import { newExternalId, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials, type SnapService } from '../snap-client.ts';
import { EWALLET_TOPUP_PROFILES } from './channels.ts';
import { readTopup, readTopupStatus, readWallet } from './outcomes.ts';
import type { EwalletTopupRail, EwalletTopupRequest, Wallet } from './port.ts';

const WALLET_INQUIRY: SnapService = { path: '/v1.0/emoney/account-inquiry', code: '37' };
const TOP_UP: SnapService = { path: '/v1.0/emoney/topup', code: '38' };
const STATUS: SnapService = { path: '/v1.0/emoney/topup-status', code: '39' };

/** E-wallets that speak SNAP's account inquiry (37), top-up (38) and top-up status (39). `now` is real time. */
export function openSnapEwalletTopup(credentials: SnapCredentials, now: () => number = Date.now): EwalletTopupRail {
  const snap = openSnapClient(credentials, now);
  return {
    inquireWallet: (wallet, { signal }) =>
      orUnknown(async () => {
        const call = { service: WALLET_INQUIRY, externalId: newExternalId(now()), body: toInquiry(wallet), signal };
        return readWallet(await snap.post(call), wallet.channel);
      }),
    topUp: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        const call = { service: TOP_UP, externalId: request.externalId, body: toBody(request), signal };
        return readTopup(await snap.post(call), request, { firstSend });
      }),
    inquireTopup: (request, { signal }) =>
      orUnknown(async () => {
        const body = {
          originalPartnerReferenceNo: request.partnerReference,
          originalExternalId: request.externalId,
          serviceCode: TOP_UP.code,
        };
        return readTopupStatus(await snap.post({ service: STATUS, externalId: newExternalId(now()), body, signal }), request);
      }),
    close: () => snap.close(),
  };
}

/** SNAP wants an amount, which moves nothing: the smallest one, so that the answer is about the wallet. */
function toInquiry(wallet: Wallet): object {
  return { ...toCustomer(wallet), amount: toSnapAmount(EWALLET_TOPUP_PROFILES[wallet.channel].minimumSen) };
}

/** The body of a top-up: the same text for the same request, whenever it is sent. */
function toBody(request: EwalletTopupRequest): object {
  const { additionalInfo, ...customer } = toCustomer(request);
  return {
    partnerReferenceNo: request.partnerReference,
    ...customer,
    amount: toSnapAmount(BigInt(request.amountSen)),
    transactionDate: jakartaIso(request.createdAtMs),
    ...(request.notes !== '' && { notes: request.notes }),
    additionalInfo: { ...additionalInfo, merchantReference: request.merchantReference, transactionId: request.transactionId },
  };
}

/** SNAP has no field for the wallet, since each speaks for itself; a rail to several takes it as additional information. */
function toCustomer({ channel, phoneNumber }: Wallet) {
  return {
    customerNumber: phoneNumber,
    additionalInfo: { beneficiaryProvider: EWALLET_TOPUP_PROFILES[channel].provider },
  };
}
