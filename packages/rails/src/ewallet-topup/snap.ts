import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import { serviceOf } from '../providers/provider.ts';
import { newExternalId, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { EWALLET_TOPUP_PROFILES } from './channels.ts';
import { readTopup, readTopupStatus, readWallet } from './outcomes.ts';
import type { EwalletTopupRail, EwalletTopupRequest, Wallet } from './port.ts';

/** E-wallets that speak SNAP's account inquiry (37), top-up (38) and top-up status (39). `now` is real time. */
export function openSnapEwalletTopup(credentials: SnapCredentials, now: () => number = Date.now): EwalletTopupRail {
  const { provider = aspi } = credentials;
  const inquiry = serviceOf(provider, 'walletInquiry');
  const topup = serviceOf(provider, 'topup');
  const status = serviceOf(provider, 'topupStatus');
  const snap = openSnapClient(credentials, now);
  return {
    inquireWallet: (wallet, { signal }) =>
      orUnknown(async () => {
        const call = { service: inquiry, externalId: newExternalId(now()), body: toInquiry(wallet), signal };
        return readWallet(await snap.post(call), wallet.channel);
      }),
    topUp: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        const call = { service: topup, externalId: request.externalId, body: toBody(request), signal };
        return readTopup(await snap.post(call), request, { firstSend });
      }),
    inquireTopup: (request, { signal }) =>
      orUnknown(async () => {
        const body = {
          originalPartnerReferenceNo: request.partnerReference,
          originalExternalId: externalIdFor(topup, request.externalId),
          serviceCode: topup.code,
        };
        return readTopupStatus(await snap.post({ service: status, externalId: newExternalId(now()), body, signal }), request);
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
